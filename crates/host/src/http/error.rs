//! Why a request got no answer. No message here has more of a URL than its host: the rest may hold
//! what must not be shown.

use std::time::Duration;

use reqwest::Url;
use runtime::Happened;

use super::guard::Refused;
use super::resolve::Astray;

/// Why a request got no answer.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct HttpError {
    /// Why.
    pub why: Why,
    /// Whether something has left that may have had an effect.
    pub has_left: bool,
}

/// The reasons that there are.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// It may not be spoken to.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The name has no address.
    #[error("`{host}` cannot be found: {why}")]
    Unresolved {
        /// Which.
        host: String,
        /// In the system's words.
        why: String,
    },
    /// Nobody answers at the address, or not with a certificate that can be trusted.
    #[error("`{host}` cannot be reached: {why}")]
    Unreachable {
        /// Which.
        host: String,
        /// In the system's words.
        why: String,
    },
    /// The request may have arrived, and no answer that could be read came back.
    #[error("the answer of `{host}` was lost: {why}")]
    Lost {
        /// Whose.
        host: String,
        /// In words.
        why: String,
    },
    /// It took too long.
    #[error("there was no whole answer within {after:?}")]
    TimedOut {
        /// How long it could have taken.
        after: Duration,
    },
    /// There is more than there may be.
    #[error("the answer of `{host}` is longer than {bytes_max} bytes")]
    TooLong {
        /// Whose.
        host: String,
        /// How long it could have been.
        bytes_max: usize,
    },
    /// The answer is compressed, although nobody asked for that.
    #[error("the answer of `{host}` is compressed, which was not asked for")]
    Compressed {
        /// Whose.
        host: String,
    },
    /// A redirect leads nowhere.
    #[error("`{host}` redirects {why}")]
    Redirect {
        /// Who.
        host: String,
        /// Where to, or why not.
        why: String,
    },
    /// A redirect leads to what may not be spoken to.
    #[error("`{host}` redirects to what may not be spoken to: {refused}")]
    RedirectRefused {
        /// Who.
        host: String,
        /// Why not.
        #[source]
        refused: Refused,
    },
}

impl HttpError {
    /// What is known of an effect that the request would have had.
    pub fn happened(&self) -> Happened {
        if self.has_left { Happened::Maybe } else { Happened::No }
    }

    pub(super) fn before(why: impl Into<Why>) -> HttpError {
        HttpError { why: why.into(), has_left: false }
    }

    pub(super) fn after(why: impl Into<Why>) -> HttpError {
        HttpError { why: why.into(), has_left: true }
    }

    /// What is known of a request that could not be sent, or got no answer.
    pub(super) fn of(error: &reqwest::Error, url: &Url) -> HttpError {
        let host = host(url);
        let found = chain(error).find_map(|cause| cause.downcast_ref::<Astray>());
        if let Some(Astray::Refused(refused)) = found {
            return HttpError::before(refused.clone());
        }
        let why = innermost(error);
        if found.is_some() || error.is_dns() {
            HttpError::before(Why::Unresolved { host, why })
        } else if error.is_connect() || error.is_builder() {
            HttpError::before(Why::Unreachable { host, why })
        } else {
            HttpError::after(Why::Lost { host, why })
        }
    }
}

/// What may be shown of a URL.
pub(super) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

/// What lies at the bottom says what is wrong; what lies above says only where, and has the URL.
fn innermost(error: &reqwest::Error) -> String {
    let why = chain(error).skip(1).last().map(ToString::to_string);
    why.unwrap_or_else(|| "it cannot be sent".to_owned())
}
