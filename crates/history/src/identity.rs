//! The hashes that name things. They are told apart by type, and printed as 64 digits.

use std::fmt;

use value::Digest;

macro_rules! identities {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub Digest);

            impl $name {
                /// Reads 64 hexadecimal digits, with or without `sha256:` before them.
                pub fn parse(text: &str) -> Option<$name> {
                    Digest::parse(text).map($name)
                }

                /// Its 32 bytes.
                pub fn as_bytes(&self) -> &[u8; 32] {
                    self.0.as_bytes()
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::LowerHex::fmt(&self.0, f)
                }
            }

            impl fmt::LowerHex for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::LowerHex::fmt(&self.0, f)
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::LowerHex::fmt(&self.0, f)
                }
            }

            impl From<$name> for value::Value {
                fn from(id: $name) -> value::Value {
                    id.to_string().into()
                }
            }
        )*
    };
}

identities! {
    /// What an event says: the hash of its canonical form without its id.
    EventId;
    /// Where an event stands: the hash of everything up to and including it.
    Link;
    /// A large value: the hash of its bytes.
    BlobId;
    /// A move of a name: the hash of its canonical form.
    OperationId;
}

impl EventId {
    /// Its first eight bytes, as a number of the same order. Somebody who tries can make two ids
    /// that begin alike, so that nothing may be allowed by this alone.
    pub fn brief(&self) -> u64 {
        let first = self.as_bytes().first_chunk().expect("eight bytes are fewer than 32");
        u64::from_be_bytes(*first)
    }
}
