//! The names of attributes and operations: those of the conventions, and our own.

use value::Value;

macro_rules! names {
    ($($name:ident = $text:literal;)*) => {
        $(#[doc = concat!("`", $text, "`")] pub const $name: &str = $text;)*
    };
}

names! {
    AGENT_ID = "gen_ai.agent.id";
    AGENT_NAME = "gen_ai.agent.name";
    CONVERSATION_ID = "gen_ai.conversation.id";
    ERROR_TYPE = "error.type";
    INPUT_MESSAGES = "gen_ai.input.messages";
    OPERATION_NAME = "gen_ai.operation.name";
    OUTPUT_MESSAGES = "gen_ai.output.messages";
    PROVIDER_NAME = "gen_ai.provider.name";
    REQUEST_MODEL = "gen_ai.request.model";
    RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons";
    SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions";
    TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
    TOOL_CALL_ID = "gen_ai.tool.call.id";
    TOOL_CALL_RESULT = "gen_ai.tool.call.result";
    TOOL_DEFINITIONS = "gen_ai.tool.definitions";
    TOOL_NAME = "gen_ai.tool.name";
    TOOL_TYPE = "gen_ai.tool.type";
    USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens";
    USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
    WORKFLOW_NAME = "gen_ai.workflow.name";

    ACTOR = "quipu.actor";
    ANSWER = "quipu.answer";
    APPROVAL_OUTCOME = "quipu.approval.outcome";
    AT = "quipu.at";
    ATTEMPT = "quipu.attempt";
    COST = "quipu.cost";
    EFFECT_CLASS = "quipu.effect_class";
    EVENT = "quipu.event";
    EXIT = "quipu.exit";
    EXPIRED = "quipu.expired";
    FORK_EVENT = "quipu.fork.event";
    FORK_RUN = "quipu.fork.run";
    FORK_SEQ = "quipu.fork.seq";
    GRAPH = "quipu.graph";
    INHERITED = "quipu.inherited";
    OPEN = "quipu.open";
    POLICY_DIGEST = "quipu.policy_digest";
    PROMPT = "quipu.prompt";
    QUESTION = "quipu.question";
    REASON = "quipu.reason";
    REHEARSAL = "quipu.rehearsal";
    RESULT = "quipu.result";
    RUN = "quipu.run";
    SEQ = "quipu.seq";
    SERVER = "quipu.server";
    SUBSTITUTED = "quipu.substituted";
}

/// What a parameter of a model is in the conventions.
#[derive(Clone, Copy)]
enum Shape {
    Double,
    Int,
    Texts,
}

/// The parameters that the conventions know, by the names that authors write.
const PARAMS: &[(&str, &str, Shape)] = &[
    ("frequency_penalty", "gen_ai.request.frequency_penalty", Shape::Double),
    ("max_tokens", "gen_ai.request.max_tokens", Shape::Int),
    ("presence_penalty", "gen_ai.request.presence_penalty", Shape::Double),
    ("seed", "gen_ai.request.seed", Shape::Int),
    ("stop", "gen_ai.request.stop_sequences", Shape::Texts),
    ("temperature", "gen_ai.request.temperature", Shape::Double),
    ("top_k", "gen_ai.request.top_k", Shape::Int),
    ("top_p", "gen_ai.request.top_p", Shape::Double),
];

/// The parameters of a request, as far as they are what the conventions want.
pub(super) fn params(given: &value::Map) -> Vec<super::Attribute> {
    let known = PARAMS.iter().filter_map(|(param, name, shape)| {
        let value = match (shape, given.get(param)?) {
            (Shape::Double, Value::Int(number)) => Value::Float(*number as f64),
            (Shape::Double, number @ Value::Float(_)) | (Shape::Int, number @ Value::Int(_)) => {
                number.clone()
            }
            (Shape::Texts, text @ Value::Text(_)) => Value::list([text.clone()]),
            (Shape::Texts, Value::List(texts)) => {
                Value::list(texts.iter().filter(|text| text.as_text().is_some()).cloned())
            }
            _ => return None,
        };
        Some((*name, value))
    });
    known.collect()
}

/// A word of others, where few different ones are expected. What is no word may be anything, also
/// a text that somebody said, and is left out.
pub(super) fn word(text: &str) -> Value {
    const LENGTH_MAX: usize = 64;
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_.-:".contains(letter);
    let is_one = (1..=LENGTH_MAX).contains(&text.len()) && text.chars().all(is_word);
    if is_one { text.into() } else { "_OTHER".into() }
}

#[cfg(test)]
mod tests {
    use value::json;

    use super::*;

    #[test]
    fn parameters_are_told_in_the_kinds_of_the_conventions() {
        let given = json::parse(
            r#"{"temperature": 1, "max_tokens": 9, "stop": "end", "top_k": "x", "thinking": true}"#,
        );
        let told = params(given.unwrap().as_map().unwrap());
        let shown: Vec<String> =
            told.iter().map(|(name, value)| format!("{name} {value:?}")).collect();
        assert_eq!(
            shown,
            [
                "gen_ai.request.max_tokens Int(9)",
                "gen_ai.request.stop_sequences List([Text(\"end\")])",
                "gen_ai.request.temperature Float(1.0)",
            ]
        );
    }

    #[test]
    fn what_is_no_word_is_not_told() {
        assert_eq!(word("rate_limit.429"), "rate_limit.429".into());
        for text in ["", "the parcel of Ada", "né", &"x".repeat(65)] {
            assert_eq!(word(text), "_OTHER".into(), "{text}");
        }
    }
}
