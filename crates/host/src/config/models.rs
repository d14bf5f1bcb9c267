//! `[models.NAME]`

use diagnostics::plain;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use value::{Map, Text, Value};

use super::reader::{Item, Known, Members, Place, Reader, text, time};
use crate::models::{ModelSettings, PROVIDERS, Price, Provider};

const MEMBERS: Known = &[
    ("provider", "the name of a provider, as text"),
    ("model", "the model's name at its provider, as text"),
    ("base_url", "an address such as `\"http://127.0.0.1:11434/v1\"`"),
    ("key", "`{ env = \"NAME\" }` or `{ file = \"./key\" }`"),
    ("timeout", "a duration such as `\"60s\"`, or a whole number of seconds from 1 on"),
    ("params", "a table such as `{ temperature = 0.2, max_tokens = 2000 }`"),
    ("price", "a table such as `{ input = \"0.15\", output = \"0.60\" }`"),
];

const PARAMS: Known = &[
    ("temperature", "a number from 0 to 2"),
    ("max_tokens", "a whole number from 1 on"),
    ("thinking", "`\"none\"`, `\"low\"`, `\"high\"` or `\"extended\"`"),
    ("stop", "a list of texts"),
];

const PRICE: Known = &[
    ("input", "a decimal number as text, such as `\"0.15\"`"),
    ("output", "a decimal number as text, such as `\"0.60\"`"),
    ("cached", "a decimal number as text, such as `\"0.075\"`"),
];

impl Reader<'_> {
    pub(super) fn model(
        &mut self,
        _: &Text,
        _: Place,
        table: &DeTable<'_>,
    ) -> Option<ModelSettings> {
        let members = self.members(table, MEMBERS);
        let providers: Vec<(&str, &'static Provider)> =
            PROVIDERS.iter().map(|provider| (provider.name, provider)).collect();
        let named = |value: &DeValue<'_>| text(value).filter(|name| !name.is_empty());
        Some(ModelSettings {
            provider: self.word(&members, "provider", &providers),
            model: self.given(&members, "model", named).map(Text::from),
            base_url: self.base_url(&members),
            key: members.get("key").and_then(|item| self.source(item)),
            timeout: self.given(&members, "timeout", time),
            params: self.inner(&members, "params").map(|it| self.params(it)).unwrap_or_default(),
            price: self.inner(&members, "price").and_then(|it| self.price(it)),
        })
    }

    fn base_url(&mut self, members: &Members<'_, '_>) -> Option<Text> {
        let url = self.given(members, "base_url", text)?;
        if let (Err(why), Some(item)) = (crate::models::readable(&url), members.get("base_url")) {
            self.found(item.span(), format!("`base_url` {why}"));
        }
        Some(url.into())
    }

    /// A member that must be a table, where it is given.
    fn inner<'a, 'i>(
        &mut self,
        members: &Members<'a, 'i>,
        member: &str,
    ) -> Option<&'a Spanned<DeValue<'i>>> {
        let item = members.get(member)?;
        let is_table = item.get_ref().is_table();
        if !is_table {
            let _ = self.given(members, member, |_| None::<()>);
        }
        Some(item).filter(|_| is_table)
    }

    fn params(&mut self, item: Item<'_, '_>) -> Map {
        let DeValue::Table(table) = item.get_ref() else { return Map::default() };
        let members = self.members(table, PARAMS);
        let mut params = Map::default();
        for (name, _) in PARAMS {
            let read = |value: &DeValue<'_>| {
                let value = plain_value(value)?;
                crate::models::param(name, &value).is_ok().then_some(value)
            };
            params.extend(self.given(&members, name, read).map(|value| ((*name).into(), value)));
        }
        params
    }

    fn price(&mut self, item: Item<'_, '_>) -> Option<Price> {
        let DeValue::Table(table) = item.get_ref() else { return None };
        let members = self.members(table, PRICE);
        let amount = |value: &DeValue<'_>| text(value).filter(|text| Price::is_readable(text));
        let mut read = |name: &str| self.given(&members, name, amount).map(Text::from);
        let (input, output, cached) = (read("input"), read("output"), read("cached"));
        for name in ["input", "output"] {
            if members.get(name).is_none() {
                self.found(item.span(), format!("a price needs `{}`", plain(name)));
            }
        }
        Some(Price { input: input?, output: output?, cached })
    }
}

/// A number, a text, a truth or a list of them.
fn plain_value(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::text(text.as_ref()),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Integer(number) => {
            Value::Int(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
        }
        DeValue::Float(number) => {
            Value::Float(number.as_str().parse::<f64>().ok().filter(|number| number.is_finite())?)
        }
        DeValue::Array(items) => {
            let items: Option<Vec<Value>> =
                items.iter().map(|item| plain_value(item.get_ref())).collect();
            Value::list(items?)
        }
        _ => return None,
    })
}
