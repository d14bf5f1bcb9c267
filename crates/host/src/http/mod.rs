//! HTTP, safely: the one client that tools and everything else here speak through.
//!
//! ```
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! use host::http::{Allowed, Client, HttpLimits};
//!
//! let client = Client::new(Allowed::default(), HttpLimits::default());
//! let refused = client.judge("http://169.254.169.254/latest/meta-data/").await;
//! assert!(refused.is_err(), "credentials are handed out there");
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

mod address;
mod allowed;
mod client;
mod encoded;
mod error;
mod guard;
mod later;
mod redirect;
mod resolve;

pub use address::{Denied, denied};
pub use allowed::Allowed;
pub(crate) use client::IDEMPOTENCY_KEY;
pub use client::{Client, HttpLimits, Incoming, Outgoing};
pub(crate) use encoded::percent_encoded;
pub use error::{HttpError, Why};
pub use guard::Refused;
pub(crate) use later::retry_after;
pub use resolve::{Resolve, Resolving};

/// Lets everything in this process that speaks TLS do it by `ring`. Whoever was first has chosen,
/// and that is fine too.
pub fn use_ring() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
