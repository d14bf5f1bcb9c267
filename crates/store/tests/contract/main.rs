//! What every store promises, asked of each of them, and what only files promise.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

/// Makes tests of functions that get a new store, one for every kind of store.
macro_rules! contract {
    ($($name:ident,)*) => {
        mod memory {
            $(#[test]
            fn $name() {
                super::$name(&store::MemoryStore::default());
            })*
        }

        mod sqlite {
            $(#[test]
            fn $name() {
                let folder = crate::sample::Folder::new();
                super::$name(&store::SqliteStore::open(folder.file("a/b/store")).unwrap());
            })*
        }
    };
}

mod appending;
mod blobs;
mod closing;
mod finding;
mod forking;
mod leasing;
mod lockstep;
mod names;
mod opening;
mod reading;
mod repeating;
mod sample;
mod shelving;
mod versions;
mod watching;
