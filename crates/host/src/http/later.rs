//! When to come back, as a server says it.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// How long to wait, as headers say it: in milliseconds, in seconds, or until a date. What is over
/// is now; what is no time, or one that no clock has, is nothing.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |number: f64| Duration::try_from_secs_f64(number).ok();
    if let Some(after) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return seconds(after / 1000.0);
    }
    let after = text(RETRY_AFTER.as_str())?;
    if let Ok(number) = after.parse::<f64>() {
        return seconds(number);
    }
    let at = DateTimeParser::new().parse_timestamp(after).ok()?;
    Some(at.duration_since(Timestamp::now()).try_into().unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn after(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        retry_after(&headers)
    }

    #[test]
    fn servers_say_when_to_come_back() {
        assert_eq!(after("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(after("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(after("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT"), Some(Duration::ZERO));
        let later = after("retry-after", "Tue, 31 Dec 2199 23:59:59 GMT").unwrap();
        assert!(later > Duration::from_secs(3600 * 24 * 365));
        for value in ["", "soon", "-1", "NaN", "1e400"] {
            assert_eq!(after("retry-after", value), None, "{value}");
        }
    }
}
