//! Temperature, limits and so on, as authors write them and as providers take them.

use std::sync::Arc;

use value::{Map, Text, Value};

/// How long an answer may be where nobody says so. Without a limit some providers refuse, and
/// others let a model go on until somebody's money is gone.
pub const MAX_TOKENS: u32 = 4096;

/// The parameters that are honoured.
pub const PARAMS: &[&str] = &["temperature", "max_tokens", "thinking", "stop"];

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thinking {
    /// Not at all, where that can be said.
    None,
    Low,
    High,
    Extended,
}

/// What an author says about how a model answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Params {
    pub(super) temperature: Option<f64>,
    max_tokens: Option<u32>,
    pub(super) thinking: Option<Thinking>,
    pub(super) stop: Vec<String>,
}

/// One parameter, or what it must be.
pub(crate) fn param(name: &str, value: &Value) -> Result<(), &'static str> {
    Params::default().set(name, value)
}

impl Params {
    /// What the spec says, over what `quipu.toml` says.
    pub(super) fn read(defaults: &Map, given: &Map) -> Result<Params, String> {
        let mut params = Params::default();
        for (name, value) in defaults.iter().chain(given.iter()) {
            // Members that nobody wrote anything in are as if they were not there.
            if *value != Value::Null {
                params.set(name, value).map_err(|must| format!("`{name}` must be {must}"))?;
            }
        }
        Ok(params)
    }

    /// Unknown ones do not count: who runs a spec is told of them before.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), &'static str> {
        match name {
            "temperature" => {
                let number = match value {
                    Value::Int(number) => Some(*number as f64),
                    Value::Float(number) => Some(*number),
                    _ => None,
                };
                let fits = number.filter(|number| (0.0..=2.0).contains(number));
                self.temperature = Some(fits.ok_or("a number from 0 to 2")?);
            }
            "max_tokens" => {
                let number = match value {
                    Value::Int(number) => u32::try_from(*number).ok(),
                    _ => None,
                };
                let fits = number.filter(|number| *number > 0);
                self.max_tokens = Some(fits.ok_or("a whole number from 1 on")?);
            }
            "thinking" => {
                self.thinking = Some(match value.as_text().map(|word| &**word) {
                    Some("none") => Thinking::None,
                    Some("low") => Thinking::Low,
                    Some("high") => Thinking::High,
                    Some("extended") => Thinking::Extended,
                    _ => return Err("`none`, `low`, `high` or `extended`"),
                });
            }
            "stop" => {
                let texts = match value {
                    Value::Text(text) => Some(vec![text.to_string()]),
                    Value::List(items) => {
                        items.iter().map(|item| item.as_text().map(|it| it.to_string())).collect()
                    }
                    _ => None,
                };
                self.stop = texts.ok_or("a list of texts")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// How long an answer may be. What a model thinks counts as its answer: an author who asks for
    /// more thought does not want less of an answer.
    pub(super) fn most(&self) -> u32 {
        let thought = match self.thinking {
            None | Some(Thinking::None) => 0,
            Some(Thinking::Low) => 2_048,
            Some(Thinking::High) => 24_576,
            Some(Thinking::Extended) => 32_768,
        };
        self.max_tokens.unwrap_or(MAX_TOKENS).saturating_add(thought)
    }
}

/// The parameters of a spec that nobody honours.
pub fn unknown_params(params: &Map) -> Vec<Text> {
    params.keys().filter(|name| !PARAMS.contains(&&***name)).map(Arc::clone).collect()
}

#[cfg(test)]
mod tests {
    use value::json;

    use super::*;

    fn map(text: &str) -> Map {
        json::parse(text).unwrap().as_map().unwrap().clone()
    }

    #[test]
    fn the_spec_is_stronger_than_the_defaults() {
        let defaults = map(r#"{"temperature": 0.2, "max_tokens": 100}"#);
        let given = map(r#"{"temperature": 1, "stop": ["END"], "thinking": null}"#);
        let params = Params::read(&defaults, &given).unwrap();
        let expected = Params {
            temperature: Some(1.0),
            max_tokens: Some(100),
            thinking: None,
            stop: vec!["END".into()],
        };
        assert_eq!(params, expected);
    }

    #[test]
    fn what_no_parameter_can_be_is_said() {
        for (text, why) in [
            (r#"{"temperature": "hot"}"#, "`temperature` must be a number from 0 to 2"),
            (r#"{"temperature": 3}"#, "`temperature` must be a number from 0 to 2"),
            (r#"{"max_tokens": 0}"#, "`max_tokens` must be a whole number from 1 on"),
            (r#"{"max_tokens": 4294967296}"#, "`max_tokens` must be a whole number from 1 on"),
            (r#"{"thinking": true}"#, "`thinking` must be `none`, `low`, `high` or `extended`"),
            (r#"{"stop": [1]}"#, "`stop` must be a list of texts"),
        ] {
            assert_eq!(Params::read(&Map::default(), &map(text)), Err(why.to_owned()));
        }
        let strange = map(r#"{"top_p": 1, "stop": "x"}"#);
        assert_eq!(unknown_params(&strange), ["top_p".into()]);
        assert!(Params::read(&Map::default(), &strange).is_ok());
    }
}
