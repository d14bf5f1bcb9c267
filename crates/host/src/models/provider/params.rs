//! Temperature, limits and so on, as authors write them and as providers take them.

use std::sync::Arc;

use genai::chat::{ChatOptions, ReasoningEffort};
use value::{Map, Text, Value};

use super::super::named::{Protocol, Target};

/// How long an answer may be where nobody says so. Without a limit some providers refuse, and
/// others let a model go on until somebody's money is gone.
pub const MAX_TOKENS: u32 = 4096;

/// The parameters that are honoured.
pub const PARAMS: &[&str] = &["temperature", "max_tokens", "thinking", "stop"];

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinking {
    None,
    Low,
    High,
    Extended,
}

/// What an author says about how a model answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Params {
    temperature: Option<f64>,
    max_tokens: Option<u32>,
    thinking: Option<Thinking>,
    stop: Vec<String>,
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

    /// What is sent.
    pub(super) fn options(&self, target: &Target) -> ChatOptions {
        let thinking = self.thinking.unwrap_or(Thinking::None);
        // What a model thinks counts as its answer: an author who asks for more thought does not
        // want less of an answer.
        let thought = match thinking {
            Thinking::None => 0,
            Thinking::Low => 2_048,
            Thinking::High => 24_576,
            Thinking::Extended => 32_768,
        };
        let most = self.max_tokens.unwrap_or(MAX_TOKENS).saturating_add(thought);
        let mut options = ChatOptions::default().with_max_tokens(most).with_capture_usage(true);
        if let Some(temperature) = self.temperature {
            options = options.with_temperature(temperature);
        }
        if !self.stop.is_empty() {
            options = options.with_stop_sequences(self.stop.clone());
        }
        if let Some(effort) = effort(target, self.thinking) {
            options = options.with_reasoning_effort(effort);
        }
        if thinking != Thinking::None {
            options = options.with_capture_reasoning_content(true);
        }
        options
    }
}

/// How much thought is asked for. The library reads names such as `qwen-max` as `qwen` with much
/// thought where it is told nothing, so that it is always told something that changes nothing.
fn effort(target: &Target, thinking: Option<Thinking>) -> Option<ReasoningEffort> {
    let model = &*target.model;
    match (target.provider.protocol, thinking) {
        (_, Some(Thinking::Low)) => Some(ReasoningEffort::Low),
        (_, Some(Thinking::High)) => Some(ReasoningEffort::High),
        (Protocol::Anthropic, Some(Thinking::Extended)) => Some(ReasoningEffort::Max),
        (_, Some(Thinking::Extended)) => Some(ReasoningEffort::High),
        // Only later models take `none`; the others do not think unless they are asked to.
        (Protocol::OpenAi, Some(Thinking::None)) if model.starts_with("gpt-5.") => {
            Some(ReasoningEffort::Zero)
        }
        (Protocol::OpenAi, _) => Some(ReasoningEffort::Budget(0)),
        // This one cannot do without, and says so when it is told to.
        (Protocol::Gemini, Some(Thinking::None)) if model.contains("2.5-pro") => {
            Some(ReasoningEffort::Budget(128))
        }
        (Protocol::Gemini, Some(Thinking::None)) => Some(ReasoningEffort::Budget(0)),
        (Protocol::Gemini, None) => Some(ReasoningEffort::Zero),
        (Protocol::Anthropic, Some(Thinking::None)) => Some(ReasoningEffort::Zero),
        (Protocol::Anthropic, None) => None,
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
