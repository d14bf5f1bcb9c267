//! Who answers for a model, as the conventions call them.

use value::{Map, Value};

/// What models of some makers are called. Where a model is served by somebody else, the name still
/// tells more than nothing would.
const FAMILIES: &[(&str, &str)] = &[
    ("chatgpt", "openai"),
    ("claude", "anthropic"),
    ("command-", "cohere"),
    ("deepseek", "deepseek"),
    ("gemini", "gcp.gemini"),
    ("gpt-", "openai"),
    ("grok", "x_ai"),
    ("mistral", "mistral_ai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
];

/// What we answer ourselves.
const OURS: &[&str] = &["stub:", "script:", "record:", "replay:"];

/// The provider of a model: the one that the request names, or else the one that its name is of.
pub(super) fn provider(model: &str, params: Option<&Map>) -> Value {
    if let Some(named) = params.and_then(|params| params.get("provider")?.as_text()) {
        return super::names::word(named);
    }
    if OURS.iter().any(|ours| model.starts_with(ours)) {
        return "quipu".into();
    }
    // `openai/gpt-4o` and `anthropic::claude` say it themselves, but for the family.
    let name = model.rsplit(['/', ':']).next().unwrap_or(model);
    let family = FAMILIES.iter().find(|(family, _)| name.starts_with(family));
    family.map_or("_OTHER", |(_, provider)| provider).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_its_makers_unless_the_request_says_otherwise() {
        for (model, expected) in [
            ("gpt-4o-mini", "openai"),
            ("openai/o4-mini", "openai"),
            ("anthropic::claude-sonnet", "anthropic"),
            ("gemini-2.5-pro", "gcp.gemini"),
            ("stub:low", "quipu"),
            ("record:tape.json,gpt-4o", "quipu"),
            ("qwen3:8b", "_OTHER"),
            ("", "_OTHER"),
        ] {
            assert_eq!(provider(model, None), expected.into(), "{model}");
        }
        let params: Map = [("provider".into(), "groq".into())].into_iter().collect();
        assert_eq!(provider("gpt-oss", Some(&params)), "groq".into());
    }
}
