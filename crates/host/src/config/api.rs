//! `[tools.ID]` with `http`

use std::sync::Arc;
use std::time::Duration;

use diagnostics::plain;
use graph::{Again, Touches};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName};
use toml::de::{DeArray, DeTable, DeValue};
use value::{Text, Value};

use super::reader::{Item, Members, Place, Reader, in_order, text, time, whole};
use crate::adapter::{Bound, Contract};
use crate::http::{Allowed, Client, HttpLimits};
use crate::secrets::Sources;
use crate::tools::api::NOT_GIVEN;
use crate::tools::api::{Api, Binding, Body, Place as Gap, Shape, Template, UrlTemplate, Wanted};

/// What only a tool with `http` has.
pub(super) const OF_HTTP: &[&str] = &["headers", "body", "allow", "answer", "bytes_max"];

const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// More than this nobody waits for, and no machine should hold.
const BYTES_MAX: usize = 1 << 30;

impl Reader<'_> {
    pub(super) fn api(&mut self, id: &Text, members: &Members<'_, '_>) -> Option<Arc<dyn Bound>> {
        let line = self.request_line(members);
        let headers = self.headers(members);
        let given = headers.iter().find(|(name, _)| *name == CONTENT_TYPE);
        let body = self.body(members, given.map(|(_, template)| template));
        let allowed = self.allowed(members);
        let limits = self.limits(members);
        let wanted = [("body", Wanted::Body), ("whole", Wanted::Whole)];
        let wanted = self.word(members, "answer", &wanted).unwrap_or(Wanted::Body);
        let method = line.as_ref().map_or(Method::POST, |(method, _)| method.clone());
        let contract = self.contract(members, otherwise(&method, members));
        let timeout = self.given(members, "timeout", time);
        let (_, url) = line?;
        let client = Client::new(allowed, limits);
        let place = members.get("http").map(|item| item.span()).unwrap_or_default();
        if let Err(refused) = client.check(url.origin()) {
            self.found(place.clone(), refused.to_string());
        }
        if let (Some((at, _)), true) = (members.placed("body"), method.is_safe()) {
            self.found(at, format!("`{method}` has no body"));
        }
        let (id, secrets) = (id.clone(), Sources::default());
        let mut binding =
            Binding { id, method, url, headers, body, secrets, contract, timeout, wanted };
        let named = binding.templates().flat_map(Template::secrets);
        binding.secrets = self.named_secrets(members, named);
        Some(Arc::new(Api::new(binding, client)))
    }

    /// Such as `GET https://api.example/items/{id}`.
    fn request_line(&mut self, members: &Members<'_, '_>) -> Option<(Method, UrlTemplate)> {
        let line = self.given(members, "http", text)?;
        let at = members.get("http").map(|item| item.span()).unwrap_or_default();
        let Some((method, url)) = line.split_once(' ') else {
            let help = format!("write `http = \"GET {}\"`", plain(&line));
            self.helped(at, "`http` must be a method and a URL", Some(help));
            return None;
        };
        let known = METHODS.contains(&method).then(|| Method::from_bytes(method.as_bytes()).ok());
        if known.is_none() {
            self.unknown(at.clone(), "method", method, METHODS);
        }
        let url =
            UrlTemplate::parse(url.trim()).map_err(|why| self.found(at, plain(&why).to_string()));
        known.flatten().zip(url.ok())
    }

    fn headers(&mut self, members: &Members<'_, '_>) -> Vec<(HeaderName, Template)> {
        let mut headers: Vec<(HeaderName, Template)> = Vec::new();
        for (name, at, item) in self.table(members, "headers") {
            let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
                self.found(at, format!("`{}` cannot be the name of a header", plain(name)));
                continue;
            };
            if NOT_GIVEN.contains(&header.as_str()) {
                self.found(at, format!("the header `{name}` is not for a tool to choose"));
            } else if headers.iter().any(|(given, _)| *given == header) {
                self.found(at, format!("the header `{name}` is given twice"));
            } else if let Some(template) = self.template(item) {
                headers.push((header, template));
            }
        }
        headers
    }

    fn template(&mut self, item: Item<'_, '_>) -> Option<Template> {
        let Some(text) = item.get_ref().as_str() else {
            self.found(item.span(), "this must be text, such as `\"Bearer {secret:TOKEN}\"`");
            return None;
        };
        if text.chars().any(|letter| letter.is_control() && letter != '\t') {
            self.found(item.span(), "no header has a line break");
        }
        Template::parse(text).map_err(|why| self.found(item.span(), why)).ok()
    }

    fn body(&mut self, members: &Members<'_, '_>, kind: Option<&Template>) -> Option<Body> {
        let item = members.get("body")?;
        match item.get_ref() {
            DeValue::String(text) => {
                let template = Template::parse(text);
                let template = template.map_err(|why| self.found(item.span(), why)).ok()?;
                let gap = self.gap(item.span(), kind, &template);
                Some(Body::Text(template, gap))
            }
            DeValue::Table(table) => Some(Body::Json(self.object(table))),
            DeValue::Array(items) => Some(Body::Json(self.list(items))),
            _ => {
                self.found(item.span(), "`body` must be a table, a list or text");
                None
            }
        }
    }

    /// How arguments are written in a text of some kind.
    fn gap(&mut self, at: Place, kind: Option<&Template>, template: &Template) -> Gap {
        let kind: String = kind.iter().flat_map(|kind| kind.texts()).collect();
        let kind = kind.to_ascii_lowercase();
        if kind.contains("json") {
            if !template.is_plain() && template.as_argument().is_none() {
                let message = "arguments inside a text could make other JSON of it";
                let help = "write `body` as a table, such as `body = { query = \"{query}\" }`";
                self.helped(at, message, Some(help.to_owned()));
            }
            Gap::Json
        } else if kind.contains("form-urlencoded") {
            Gap::Url
        } else if kind.contains("xml") || kind.contains("html") {
            Gap::Markup
        } else {
            Gap::Plain
        }
    }

    fn object(&mut self, table: &DeTable<'_>) -> Shape {
        let mut members = Vec::new();
        for (name, _, item) in in_order(table) {
            members.extend(self.shape(item).map(|shape| (Text::from(name), shape)));
        }
        Shape::Map(members)
    }

    fn list(&mut self, items: &DeArray<'_>) -> Shape {
        Shape::List(items.iter().filter_map(|item| self.shape(item)).collect())
    }

    fn shape(&mut self, item: Item<'_, '_>) -> Option<Shape> {
        let fixed = match item.get_ref() {
            DeValue::String(text) => {
                let template = Template::parse(text);
                return template.map_err(|why| self.found(item.span(), why)).map(Shape::Text).ok();
            }
            DeValue::Table(table) => return Some(self.object(table)),
            DeValue::Array(items) => return Some(self.list(items)),
            DeValue::Boolean(boolean) => Some(Value::Bool(*boolean)),
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Int)
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse::<f64>().ok();
                number.filter(|number| number.is_finite()).map(Value::Float)
            }
            DeValue::Datetime(time) => Some(Value::text(time.to_string())),
        };
        if fixed.is_none() {
            self.found(item.span(), "JSON has no such number");
        }
        fixed.map(Shape::Fixed)
    }

    pub(super) fn allowed(&mut self, members: &Members<'_, '_>) -> Allowed {
        let Some(item) = members.get("allow") else { return Allowed::default() };
        let Some(items) = item.get_ref().as_array() else {
            self.given(members, "allow", |_| None::<()>);
            return Allowed::default();
        };
        let mut listed = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_str() {
                Some(text) => match Allowed::parse([text]) {
                    Ok(_) => listed.push(text),
                    Err(why) => self.found(item.span(), plain(&why).to_string()),
                },
                None => self.found(item.span(), "this must be text, such as `\"10.0.0.0/8\"`"),
            }
        }
        Allowed::parse(listed).unwrap_or_default()
    }

    pub(super) fn limits(&mut self, members: &Members<'_, '_>) -> HttpLimits {
        let standard = HttpLimits::default();
        let bytes_max = self.given(members, "bytes_max", |value| {
            let number = whole(value)?.get() as usize;
            (number <= BYTES_MAX).then_some(number)
        });
        let total = members.get("timeout").and_then(|item| time(item.get_ref()));
        HttpLimits {
            bytes_max: bytes_max.unwrap_or(standard.bytes_max),
            total: total.unwrap_or(standard.total),
            connect: total.map_or(standard.connect, |total: Duration| total.min(standard.connect)),
            ..standard
        }
    }
}

/// What a method means, where nobody says more. What only reads can be done again.
fn otherwise(method: &Method, members: &Members<'_, '_>) -> Contract {
    let touches = members.get("touches").and_then(|item| item.get_ref().as_str());
    if method.is_safe() && touches != Some("write") || touches == Some("read") {
        return Contract { touches: Touches::Read, again: Again::Freely };
    }
    let again = if method.is_idempotent() { Again::WithKey } else { Again::ByAsking };
    Contract { touches: Touches::Write, again }
}
