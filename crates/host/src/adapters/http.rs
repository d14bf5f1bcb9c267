//! `http.GET` and its kind: a request to one of the hosts that the operator lists, through the one
//! client that judges addresses.

use std::time::Duration;

use graph::Touches;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use runtime::{Answer, Fault, FaultKind, Happened};
use value::{Map, Text, Value, json};

use super::{missing, of_verb, others, refused, taken, text};
use crate::adapter::{Adapter, Call, Calling, Contract, shorter};
use crate::http::{Allowed, Client, IDEMPOTENCY_KEY, Outgoing, Refused};
use crate::secrets::Revealed;
use crate::tools::api::{NOT_GIVEN, Report, Wanted};

/// The verbs, each with its method.
const VERBS: [(&str, Method); 7] = [
    ("GET", Method::GET),
    ("HEAD", Method::HEAD),
    ("OPTIONS", Method::OPTIONS),
    ("POST", Method::POST),
    ("PUT", Method::PUT),
    ("PATCH", Method::PATCH),
    ("DELETE", Method::DELETE),
];

/// The hosts that agents may speak to.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    pub(crate) client: Client,
    /// As the operator wrote them.
    pub(crate) allow: Vec<Text>,
}

/// What a call says beside its URL.
#[derive(Default)]
struct Said {
    body: Option<Vec<u8>>,
    headers: HeaderMap,
    timeout: Option<Duration>,
}

impl Http {
    pub(crate) fn new(allow: Vec<Text>, listed: Allowed, limits: crate::http::HttpLimits) -> Http {
        Http { client: Client::new(listed.exact(), limits).only(listed), allow }
    }

    pub(super) fn look(&self) -> Result<String, String> {
        let hosts: Vec<String> = self.allow.iter().map(|host| format!("`{host}`")).collect();
        Ok(format!("may speak to {}", hosts.join(", ")))
    }

    /// Why a URL is not spoken to, and what to write so that it is.
    fn not_spoken_to(&self, name: &str, refused: &Refused) -> Fault {
        let message = match refused {
            Refused::Unlisted { listed } => {
                let mut all = self.allow.clone();
                all.push(listed.as_str().into());
                let all = json::compact(&Value::list(all.into_iter().map(Value::Text)));
                format!(
                    "`{name}` was not called: {refused}; if it is meant, write in quipu.toml:\n\n\
                     [adapters.http]\nallow = {all}\n"
                )
            }
            // These end with what to list.
            Refused::Address { .. } | Refused::MetadataName { .. } | Refused::Port { .. } => {
                format!("`{name}` was not called: {refused}, in `[adapters.http]` of quipu.toml")
            }
            _ => format!("`{name}` was not called: {refused}"),
        };
        Fault::new(FaultKind::Denied, message).with_happened(Happened::No)
    }
}

impl Adapter for Http {
    fn call(&self, call: Call) -> Calling {
        let Some(tool) = taken(&call) else { return Calling::misrouted(&call) };
        let name = tool.name();
        let Some((_, method)) = VERBS.into_iter().find(|(verb, _)| *verb == &*tool.tool) else {
            let verbs = VERBS.map(|(verb, _)| format!("`http.{verb}`")).join(", ");
            return missing(format!("there is no `{name}`, but {verbs}"));
        };
        let url = match text(&tool.args).map(|url| Url::parse(url)) {
            Some(Ok(url)) => url,
            Some(Err(why)) => return refused(format!("`{name}`: this is no URL: {why}")),
            None => return refused(format!("`{name}` needs a URL, as text")),
        };
        if let Err(refused) = self.client.check(&url) {
            return Calling::Now(Answer::Failed(self.not_spoken_to(&name, &refused)));
        }
        let said = match said(&method, others(&tool.args)) {
            Ok(said) => said,
            Err(why) => return refused(format!("`{name}` was not called: {why}")),
        };
        let contract = of_verb("http", &tool.tool);
        let mut request = Outgoing::new(method.clone(), url);
        request.headers = said.headers;
        request.body = said.body;
        if contract.touches == Touches::Write
            && let Ok(key) = HeaderValue::from_str(&call.key)
        {
            request.headers.insert(IDEMPOTENCY_KEY, key);
        }
        let limit = self.client.limits().total;
        let asked = shorter(said.timeout, tool.timeout_ms).unwrap_or(limit);
        let (client, time_max) = (self.client.clone(), asked.min(limit));
        Calling::Later(Box::pin(async move {
            sent(&client, &name, request, contract, time_max).await.into()
        }))
    }
}

async fn sent(
    client: &Client,
    name: &Text,
    request: Outgoing,
    contract: Contract,
    time_max: Duration,
) -> Result<Value, Fault> {
    let (method, shown) = (request.method.clone(), request.url.to_string());
    let wanted = Wanted::WholeIfFine;
    let report = Report { id: name, method: &method, shown, contract, wanted, time_max };
    report.exchange(client, request, &Revealed::default()).await
}

/// What a call would have to be listed as, where its URL can be read.
pub(super) fn to_be_listed(args: &Map) -> Option<String> {
    let url = Url::parse(text(args)?).ok()?;
    let nobody = Client::new(Allowed::default(), Default::default()).only(Allowed::default());
    match nobody.check(&url) {
        Err(Refused::Unlisted { listed }) => Some(listed),
        _ => None,
    }
}

/// What stands behind a URL: a body where there can be one, then headers as an object and the time
/// in seconds as a number, in any order.
fn said(method: &Method, given: &[Value]) -> Result<Said, String> {
    let mut said = Said::default();
    let mut rest = given.iter();
    if !method.is_safe() && *method != Method::DELETE {
        said.body = rest.next().and_then(|body| body_of(body, &mut said.headers));
    }
    let mut has_headers = false;
    for one in rest {
        match one {
            Value::Null => {}
            Value::Map(headers) if !has_headers => {
                has_headers = true;
                for (name, value) in headers.iter() {
                    let (name, value) = header(name, value)?;
                    said.headers.insert(name, value);
                }
            }
            Value::Int(_) | Value::Float(_) if said.timeout.is_none() => {
                said.timeout = Some(seconds(one)?);
            }
            other => {
                return Err(format!(
                    "behind the URL{} stand headers, as an object, and a time in seconds, and not \
                     {}",
                    if method.is_safe() { "" } else { " and the body" },
                    other.kind()
                ));
            }
        }
    }
    Ok(said)
}

/// A text is sent as it is, anything else as JSON, and null is no body.
fn body_of(body: &Value, headers: &mut HeaderMap) -> Option<Vec<u8>> {
    let (kind, bytes) = match body {
        Value::Null => return None,
        Value::Text(text) => ("text/plain; charset=utf-8", text.as_bytes().to_vec()),
        other => ("application/json", json::compact(other).into_bytes()),
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Some(bytes)
}

fn header(name: &str, value: &Value) -> Result<(HeaderName, HeaderValue), String> {
    let header = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| format!("`{name}` cannot be the name of a header"))?;
    if NOT_GIVEN.contains(&header.as_str()) {
        return Err(format!("the header `{name}` is not for a call to choose"));
    }
    let text = match value {
        Value::Text(text) => text.to_string(),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => json::compact(value),
        other => return Err(format!("the header `{name}` must be text, but is {}", other.kind())),
    };
    let value = HeaderValue::from_str(&text)
        .map_err(|_| format!("the header `{name}` has a letter that no header can have"))?;
    Ok((header, value))
}

fn seconds(time: &Value) -> Result<Duration, String> {
    let seconds = match time {
        Value::Int(seconds) => *seconds as f64,
        Value::Float(seconds) => *seconds,
        _ => 0.0,
    };
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| format!("a time of {seconds} seconds makes no sense"))
}
