//! What went wrong between us and a provider, whether asking again may help, and when.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use diagnostics::plain;
use reqwest::header::HeaderMap;
use runtime::{Fault, FaultKind};
use serde_json::Value as Json;
use value::{Text, Value};

use super::answer::{BYTES_MAX, VALUES_MAX, text_at};
use crate::http::retry_after;
use crate::models::named::Target;

/// So much of what a provider says about an error is told.
pub(super) const MESSAGE_MAX: usize = 400;

/// How often a provider is asked, and how long nobody asks in between.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// At most so many attempts.
    pub attempts: u32,
    /// Before the second attempt; before each further one twice as long.
    pub first: Duration,
    /// But never longer.
    pub longest: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        let (first, longest) = (Duration::from_millis(500), Duration::from_secs(8));
        Patience { attempts: 4, first, longest }
    }
}

impl Patience {
    /// How long to wait after this many attempts: between half and all of it, so that those who
    /// failed together do not come back together.
    pub(super) fn delay(&self, attempts: u32) -> Duration {
        let times = 1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
        let whole = self.first.saturating_mul(times).min(self.longest);
        let dice = RandomState::new().build_hasher().finish() % 1000;
        whole / 2 + whole.mul_f64(dice as f64 / 2000.0)
    }
}

/// Whether asking again may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    No,
    /// After a while.
    Later,
    /// When the provider said so.
    After(Duration),
    /// At once, without what it cannot do.
    Without(Lacks),
}

/// What a provider turns out not to be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lacks {
    /// Keep to a schema.
    Shapes,
    /// Send an answer as it comes.
    Streams,
}

/// Something that went wrong.
#[derive(Clone, Debug)]
pub(super) struct Trouble {
    kind: FaultKind,
    what: String,
    status: Option<u16>,
    finish: Option<String>,
    pub(super) again: Again,
}

impl Trouble {
    fn new(what: impl Into<String>, again: Again) -> Trouble {
        Trouble { kind: FaultKind::Model, what: what.into(), status: None, finish: None, again }
    }

    /// Something that is likely to go another way next time.
    pub(super) fn again(what: impl Into<String>) -> Trouble {
        Trouble::new(what, Again::Later)
    }

    /// Something that will not.
    pub(super) fn of(what: impl Into<String>) -> Trouble {
        Trouble::new(what, Again::No)
    }

    /// A body that is no answer.
    pub(super) fn garbage(why: &str) -> Trouble {
        Trouble::of(format!("what came back is no answer of a model: {why}"))
    }

    /// An error in place of an answer, or in the middle of one.
    pub(super) fn reported(error: &Json) -> Trouble {
        let words = [text_at(error, "/type"), text_at(error, "/code"), text_at(error, "/status")];
        let is_passing = words.iter().flatten().any(|word| {
            ["overloaded", "rate_limit", "server_error", "api_error", "UNAVAILABLE", "INTERNAL"]
                .iter()
                .any(|known| word.contains(known))
        });
        let again = if is_passing { Again::Later } else { Again::No };
        let message = text_at(error, "/message").unwrap_or_else(|| error.to_string());
        Trouble::new(format!("it reported an error: {message}"), again)
    }

    pub(super) fn too_large() -> Trouble {
        Trouble::of(format!("its answer is larger than {} MiB", BYTES_MAX >> 20))
    }

    pub(super) fn too_many() -> Trouble {
        Trouble::of(format!("its answer has more than {VALUES_MAX} values in it"))
    }

    pub(super) fn refused(why: &str, finish: Option<String>) -> Trouble {
        Trouble { finish, ..Trouble::of(format!("there is no answer: {why}")) }
    }

    pub(super) fn empty(finish: Option<&str>) -> Trouble {
        let what = match finish {
            Some(finish) => format!("its answer is empty (it stopped with `{finish}`)"),
            None => "its answer is empty".to_owned(),
        };
        Trouble { finish: finish.map(str::to_owned), ..Trouble::again(what) }
    }

    pub(super) fn cut(where_: &str, tokens: u64, finish: Option<String>) -> Trouble {
        let what = format!(
            "its answer was cut off after {tokens} tokens, {where_}: raise `max_tokens`, or ask \
             for less"
        );
        Trouble { finish, ..Trouble::of(what) }
    }

    /// A stream that ended without an end.
    pub(super) fn dropped(why: Option<&str>) -> Trouble {
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        Trouble::again(format!("the connection broke off in the middle of the answer{why}"))
    }

    /// Something that it cannot do, and that need not be.
    pub(super) fn lacks(lack: Lacks, what: &str) -> Trouble {
        Trouble::new(what, Again::Without(lack))
    }

    pub(super) fn too_late(limit: Duration) -> Trouble {
        let what = format!("there was no answer within {} s", limit.as_secs_f64());
        Trouble { kind: FaultKind::Timeout, ..Trouble::of(what) }
    }

    /// The same, where there is no time to wait for anything better.
    pub(super) fn without_time(mut self, delay: Duration, left: Duration) -> Trouble {
        self.what.push_str(&format!(
            " (it may answer in {} s, and only {} s are left)",
            delay.as_secs_f64().ceil(),
            left.as_secs()
        ));
        self
    }

    /// Whether a provider complains about the schema rather than about the question.
    fn is_about_shape(&self) -> bool {
        const WORDS: [&str; 6] = [
            "response_format",
            "json_schema",
            "output_config",
            "output_format",
            "responseJsonSchema",
            "response_json_schema",
        ];
        matches!(self.status, Some(400 | 404 | 422))
            && WORDS.iter().any(|it| self.what.contains(it))
    }

    /// The same, where it may be that only the schema was not understood.
    pub(super) fn unless_shaped(mut self, is_shaped: bool) -> Trouble {
        if is_shaped && self.is_about_shape() {
            self.again = Again::Without(Lacks::Shapes);
        }
        self
    }

    /// As the core is told.
    pub(super) fn fault(&self, target: &Target, attempts: u32) -> Fault {
        let who = format!("{} (`{}`)", target.provider.name, plain(&target.model));
        let times = if attempts > 1 { format!(", asked {attempts} times") } else { String::new() };
        let what = told(target, &self.what);
        let mut fault = Fault::new(self.kind.clone(), format!("{who}{times}: {what}"))
            .with_detail("provider", Value::text(target.provider.name))
            .with_detail("model", Value::Text(target.model.clone()))
            .with_detail("attempts", Value::Int(attempts.into()));
        if let Some(status) = self.status {
            fault = fault.with_detail("status", Value::Int(status.into()));
        }
        if let Some(finish) = &self.finish {
            fault = fault.with_detail("finish_reason", Value::text(told(target, finish)));
        }
        fault
    }
}

/// What a provider says, cut, on one line, and without the key.
fn told(target: &Target, text: &str) -> String {
    // Looking for pieces of a key takes its time, and a server may say very much.
    let end = text.char_indices().nth(4 * MESSAGE_MAX).map_or(text.len(), |(end, _)| end);
    let text = &text[..end];
    let text = match &target.key {
        Some(key) => key.removed_from(text),
        None => text.to_owned(),
    };
    let text = plain(&text).to_string();
    match text.char_indices().nth(MESSAGE_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Somebody is there, but the way to or from them is broken.
pub(super) fn unsent(error: &reqwest::Error) -> Trouble {
    match error.is_builder() {
        true => Trouble::of(root(error)),
        false => Trouble::dropped(Some(&root(error))),
    }
}

/// Nobody is there.
pub(super) fn unreachable(target: &Target, error: &reqwest::Error) -> Trouble {
    let mut what = format!("cannot be reached at {}: {}", target.base_url, root(error));
    match target.provider.base_url_variable {
        Some(variable) => what.push_str(&format!("; is it running, and is `{variable}` right?")),
        None => what.push_str("; is it running?"),
    }
    what.push_str(" Without any model: `--model stub:high`");
    Trouble::again(what)
}

/// A status that is none of success.
pub(super) fn refused(target: &Target, status: u16, body: &str, headers: &HeaderMap) -> Trouble {
    let parsed: Option<Json> = serde_json::from_str(body).ok();
    // Gemini's bodies may be lists of one.
    let parsed = parsed.map(|body| match body {
        Json::Array(mut items) if !items.is_empty() => items.swap_remove(0),
        other => other,
    });
    let places = ["/error/message", "/error", "/message", "/detail"];
    let said = parsed.as_ref().and_then(|it| places.iter().find_map(|place| text_at(it, place)));
    let said = said.unwrap_or_else(|| body.trim().chars().take(MESSAGE_MAX).collect());
    let mut what = format!("it refused with status {status}");
    if !said.trim().is_empty() {
        what.push_str(&format!(": {}", said.trim()));
    }
    match (status, target.provider.key_variable) {
        (401 | 403, Some(variable)) => what.push_str(&format!(" (look at `{variable}`)")),
        (404, _) => what.push_str(&format!(
            " (is there such a model, and is {} the right address?)",
            target.base_url
        )),
        (300..=399, _) => what.push_str(" (redirects are not followed: give the address it names)"),
        _ => {}
    }
    let asked = parsed.as_ref().and_then(retry_delay).or_else(|| retry_after(headers));
    let again = match (status, asked) {
        (408 | 409 | 429 | 500..=599, Some(after)) => Again::After(after),
        (408 | 409 | 429 | 500..=599, None) => Again::Later,
        _ => Again::No,
    };
    // What is used up does not come back by waiting.
    let is_spent = status == 429 && body.contains("insufficient_quota");
    let again = if is_spent { Again::No } else { again };
    Trouble { status: Some(status), ..Trouble::new(what, again) }
}

/// When to come back, as Gemini's bodies say it: `"retryDelay": "12.5s"`.
fn retry_delay(body: &Json) -> Option<Duration> {
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| text_at(detail, "/retryDelay"))?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// The last reason in a chain: those before it say where, and hold addresses.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// A fault of a question that was never asked.
pub(super) fn unasked(model: &Text, why: &str) -> Fault {
    let fault = Fault::new(FaultKind::Model, why);
    fault.with_detail("model", Value::Text(model.clone())).with_detail("attempts", Value::Int(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_says_when_to_come_back() {
        let body = serde_json::json!({"error": {"details": [{"a": 1}, {"retryDelay": "1.5s"}]}});
        assert_eq!(retry_delay(&body), Some(Duration::from_millis(1500)));
    }

    #[test]
    fn delays_grow_and_end() {
        let patience = Patience::default();
        for (attempts, longest) in [(1, 500), (2, 1000), (3, 2000), (9, 8000), (200, 8000)] {
            let longest = Duration::from_millis(longest);
            let delay = patience.delay(attempts);
            assert!(delay >= longest / 2 && delay <= longest, "{attempts}: {delay:?}");
        }
    }
}
