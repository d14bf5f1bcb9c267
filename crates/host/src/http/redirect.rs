//! Where a redirect leads, what goes along, and what stays behind.

use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderMap,
    HeaderName, LOCATION,
};
use reqwest::{Method, StatusCode, Url};

use super::client::{IDEMPOTENCY_KEY, Outgoing};
use super::error::{Why, host};

/// All that another host is told: any other header may say who is asking.
const FOR_ANYBODY: [HeaderName; 5] =
    [ACCEPT, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE];

/// Headers that tell of a body, and go with it.
const OF_BODIES: [HeaderName; 3] = [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE];

/// The request that a redirect asks for. None where the answer is no redirect, but the answer.
pub(super) fn next(
    sent: &Outgoing,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<Outgoing>, Why> {
    let is_redirect = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = headers.get(LOCATION).filter(|_| is_redirect) else { return Ok(None) };
    let nowhere = |why: &str| Why::Redirect { host: host(&sent.url), why: why.to_owned() };
    let location = location.to_str().map_err(|_| nowhere("to what is no URL"))?;
    let mut url = sent.url.join(location).map_err(|_| nowhere("to what is no URL"))?;
    url.set_fragment(None);
    if sent.url.scheme() == "https" && url.scheme() == "http" {
        return Err(nowhere("from https to http, which is never followed"));
    }
    let mut next = Outgoing { url, ..sent.clone() };
    if becomes_get(status, &sent.method) {
        next.method = Method::GET;
        next.drop_body();
    }
    if !is_same_origin(&sent.url, &next.url) {
        next.drop_credentials();
        if next.is_body_secret && next.body.is_some() {
            return Err(nowhere("to another host, and the body has a secret"));
        }
    }
    Ok(Some(next))
}

/// RFC 9110, 15.4: after 303 one looks at another page; 301 and 302 do to a POST what they always
/// did; any other method stays.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::SEE_OTHER => !matches!(*method, Method::GET | Method::HEAD),
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => *method == Method::POST,
        _ => false,
    }
}

fn is_same_origin(one: &Url, other: &Url) -> bool {
    let port = Url::port_or_known_default;
    one.scheme() == other.scheme() && one.host_str() == other.host_str() && port(one) == port(other)
}

impl Outgoing {
    fn drop_body(&mut self) {
        self.body = None;
        for name in OF_BODIES {
            self.headers.remove(name);
        }
        // It names the effect that the body would have had.
        self.headers.remove(IDEMPOTENCY_KEY);
    }

    fn drop_credentials(&mut self) {
        let headers = std::mem::take(&mut self.headers);
        for name in FOR_ANYBODY {
            let value = headers.get(&name).filter(|value| !value.is_sensitive());
            self.headers.extend(value.map(|value| (name, value.clone())));
        }
    }
}
