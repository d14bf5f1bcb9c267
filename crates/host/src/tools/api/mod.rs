//! A tool that is an HTTP interface: a request with gaps, which the arguments of a call fill.
//!
//! Whom it speaks to and what it says there is written by an operator; a call only fills gaps, and
//! what fills one stays inside it.

mod answer;
mod body;
mod template;
mod url;

use std::sync::Arc;
use std::time::Duration;

use graph::Touches;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use runtime::{Fault, Request};
use value::{Map, Text, Value};

pub(crate) use self::answer::Report;
pub(crate) use self::body::{Body, Shape};
use self::template::Secrets;
pub(crate) use self::template::{Place, Template};
pub(crate) use self::url::UrlTemplate;
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described, shorter};
use crate::http::{Client, IDEMPOTENCY_KEY, Outgoing, Resolve};
use crate::secrets::{Revealed, Sources};

/// Headers that belong to the connection, or that are sent anyhow.
pub(crate) const NOT_GIVEN: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "idempotency-key",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// An HTTP interface that answers the calls of a tool.
#[derive(Clone, Debug)]
pub struct Api {
    binding: Arc<Binding>,
    client: Client,
}

/// What `quipu.toml` says of it.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) id: Text,
    pub(crate) method: Method,
    pub(crate) url: UrlTemplate,
    pub(crate) headers: Vec<(HeaderName, Template)>,
    pub(crate) body: Option<Body>,
    /// INVARIANT: every secret that a template names.
    pub(crate) secrets: Sources,
    pub(crate) contract: Contract,
    pub(crate) timeout: Option<Duration>,
    pub(crate) wanted: Wanted,
}

/// What of an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The body, if all went well.
    Body,
    /// Status, headers and body, however it went.
    Whole,
    /// Status, headers and body, if all went well.
    WholeIfFine,
}

impl Api {
    pub(crate) fn new(binding: Binding, client: Client) -> Api {
        Api { binding: Arc::new(binding), client }
    }

    /// The same with another way to find addresses.
    #[must_use]
    pub fn with_resolve(self, resolve: Arc<dyn Resolve>) -> Api {
        Api { client: self.client.with_resolve(resolve), ..self }
    }
}

impl Adapter for Api {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = call.request else { return Calling::misrouted(&call) };
        let (binding, client) = (Arc::clone(&self.binding), self.client.clone());
        let time_max = shorter(binding.timeout, tool.timeout_ms).unwrap_or(client.limits().total);
        Calling::Later(Box::pin(async move {
            binding.answer(&client, &tool.args, &call.key, time_max).await.into()
        }))
    }
}

impl Bound for Api {
    fn contract(&self) -> Contract {
        self.binding.contract
    }

    fn described(&self) -> Described {
        Described { input: Some(self.binding.input()), ..Described::default() }
    }

    fn has_credentials(&self) -> bool {
        self.binding.secrets.are_there()
    }

    fn look(&self) -> Result<String, String> {
        let Binding { method, url, secrets, .. } = &*self.binding;
        let host = url.origin().as_str().trim_end_matches('/');
        secrets.reveal()?;
        let names: Vec<String> = secrets.names().map(|name| format!("`{name}`")).collect();
        Ok(match &*names {
            [] => format!("{method} {host}"),
            [name] => format!("{method} {host}, with the secret {name}"),
            _ => format!("{method} {host}, with the secrets {}", names.join(", ")),
        })
    }
}

impl Binding {
    /// All that can have gaps.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Template> {
        let headers = self.headers.iter().map(|(_, template)| template);
        let body = self.body.iter().flat_map(Body::templates);
        self.url.templates().chain(headers).chain(body)
    }

    /// The JSON Schema of what fills the gaps.
    fn input(&self) -> Value {
        let (mut properties, mut required) = (Map::default(), Vec::<Value>::new());
        for argument in self.templates().flat_map(Template::arguments) {
            let name = argument.name();
            properties.insert_new(name.clone(), Value::Map(Arc::default()));
            let name = Value::Text(name.clone());
            if !argument.is_optional && !required.contains(&name) {
                required.push(name);
            }
        }
        Value::map([
            ("type", Value::text("object")),
            ("properties", properties.into()),
            ("required", Value::list(required)),
        ])
    }

    async fn answer(
        &self,
        client: &Client,
        args: &Map,
        key: &Text,
        time_max: Duration,
    ) -> Result<Value, Fault> {
        let report = Report {
            id: &self.id,
            method: &self.method,
            shown: self.url.shown(args),
            contract: self.contract,
            wanted: self.wanted,
            time_max,
        };
        let revealed = self.secrets.reveal().map_err(|why| report.not_sent(why))?;
        // Whatever a server says, a secret does not come back by it.
        revealed.hide_in_result(self.ask(client, args, key, &revealed, &report).await)
    }

    async fn ask(
        &self,
        client: &Client,
        args: &Map,
        key: &Text,
        revealed: &Revealed,
        report: &Report<'_>,
    ) -> Result<Value, Fault> {
        let request = self.request(args, key, revealed).map_err(|why| report.not_sent(why))?;
        report.exchange(client, request, revealed).await
    }

    fn request(&self, args: &Map, key: &Text, revealed: &Revealed) -> Result<Outgoing, String> {
        let known = |name: &Text| revealed.get(name).to_owned();
        let secrets = Secrets::Known(&known);
        let mut request = Outgoing::new(self.method.clone(), self.url.fill(args, secrets)?);
        for (name, template) in &self.headers {
            let Some(text) = template.fill(args, Place::Header, secrets)? else { continue };
            let mut value = HeaderValue::from_bytes(text.as_bytes())
                .map_err(|_| format!("the header `{name}` has a letter that no header can have"))?;
            value.set_sensitive(template.secrets().next().is_some());
            request.headers.insert(name.clone(), value);
        }
        if let Some(body) = &self.body {
            let default = HeaderValue::from_static(body.content_type());
            request.headers.entry(CONTENT_TYPE).or_insert(default);
            request.body = Some(body.fill(args, secrets)?.into_bytes());
            request.is_body_secret =
                body.templates().iter().any(|template| template.secrets().next().is_some());
        }
        if self.contract.touches == Touches::Write {
            let key = HeaderValue::from_str(key);
            let key = key.map_err(|_| "the key of the call fits no header".to_owned())?;
            request.headers.insert(IDEMPOTENCY_KEY, key);
        }
        Ok(request)
    }
}
