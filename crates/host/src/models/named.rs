//! Which provider a model's name means, where it is, and with which key.
//!
//! Nothing here asks anybody: what is missing is found before a run begins.

use std::sync::Arc;
use std::time::Duration;

use diagnostics::nearest;
use value::{Map, Text};

use super::provider::Price;
use crate::config::Config;
use crate::secrets::{Secret, Source, process_variable};

/// How a provider is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Chat completions, as OpenAI and nearly everybody else has them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

/// Somebody whose models can be asked.
#[derive(Debug, PartialEq)]
pub struct Provider {
    /// As `quipu.toml` and `provider/NAME` write it.
    pub name: &'static str,
    /// How it is talked to.
    pub protocol: Protocol,
    /// Where it is, unless somebody says otherwise.
    pub base_url: &'static str,
    /// The variable that says otherwise.
    pub base_url_variable: Option<&'static str>,
    /// The variable that holds its key; none where no key is needed.
    pub key_variable: Option<&'static str>,
    /// What the names of its models begin with.
    prefixes: &'static [&'static str],
}

const fn compatible(
    name: &'static str,
    base_url: &'static str,
    key_variable: Option<&'static str>,
) -> Provider {
    let protocol = Protocol::OpenAi;
    Provider { name, protocol, base_url, base_url_variable: None, key_variable, prefixes: &[] }
}

/// Everybody who is known by name.
pub static PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        protocol: Protocol::OpenAi,
        base_url: "https://api.openai.com/v1",
        base_url_variable: Some("OPENAI_BASE_URL"),
        key_variable: Some("OPENAI_API_KEY"),
        prefixes: &["gpt-"],
    },
    Provider {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_variable: Some("ANTHROPIC_BASE_URL"),
        key_variable: Some("ANTHROPIC_API_KEY"),
        prefixes: &["claude-"],
    },
    Provider {
        name: "gemini",
        protocol: Protocol::Gemini,
        base_url: "https://generativelanguage.googleapis.com",
        base_url_variable: Some("GEMINI_BASE_URL"),
        key_variable: Some("GEMINI_API_KEY"),
        prefixes: &["gemini-"],
    },
    compatible("ollama", "http://127.0.0.1:11434/v1", None),
    compatible("vllm", "http://127.0.0.1:8000/v1", None),
    compatible("llamacpp", "http://127.0.0.1:8080/v1", None),
    compatible("openrouter", "https://openrouter.ai/api/v1", Some("OPENROUTER_API_KEY")),
    compatible("deepseek", "https://api.deepseek.com/v1", Some("DEEPSEEK_API_KEY")),
    compatible("groq", "https://api.groq.com/openai/v1", Some("GROQ_API_KEY")),
    compatible("mistral", "https://api.mistral.ai/v1", Some("MISTRAL_API_KEY")),
    compatible("xai", "https://api.x.ai/v1", Some("XAI_API_KEY")),
];

/// Whom names go to that say nothing else, once `OPENAI_BASE_URL` is set.
const LOCAL: &str = "openai";

impl Provider {
    /// The one with this name.
    pub fn find(name: &str) -> Option<&'static Provider> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// The one whose models have such names.
    fn of_model(model: &str) -> Option<&'static Provider> {
        // `o1`, `o3-mini` and so on.
        let is_reasoner = {
            let mut letters = model.chars();
            letters.next() == Some('o') && letters.next().is_some_and(|c| c.is_ascii_digit())
        };
        let has = |provider: &&Provider| {
            provider.prefixes.iter().any(|prefix| model.starts_with(prefix))
                || (is_reasoner && provider.name == LOCAL)
        };
        PROVIDERS.iter().find(has)
    }
}

/// What `quipu.toml` says of a model.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// Who has it; else its name says.
    pub provider: Option<&'static Provider>,
    /// Its name there; else the one that it has here.
    pub model: Option<Text>,
    /// Where the provider is.
    pub base_url: Option<Text>,
    /// Where its key is.
    pub key: Option<Source>,
    /// How long a turn may take.
    pub timeout: Option<Duration>,
    /// What holds where the spec says nothing.
    pub params: Map,
    /// What it costs.
    pub price: Option<Price>,
}

/// The variables of the process, or those of a test.
pub type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The variables of this process.
pub fn process_variables() -> Variables {
    Arc::new(process_variable)
}

/// A model that can be asked.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) provider: &'static Provider,
    /// The name that the provider knows.
    pub(crate) model: Text,
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) key: Option<Secret>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) params: Map,
    pub(crate) price: Option<Price>,
}

/// Why a model cannot be asked, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// The model.
    pub model: Text,
    /// What is wrong, in one sentence.
    pub why: String,
    /// What would put it right, one command or line each.
    pub remedies: Vec<String>,
}

impl Missing {
    /// In several lines, for a person.
    pub fn lines(&self) -> String {
        let ways = self.remedies.iter().map(|way| format!("\n  {way}")).collect::<String>();
        format!("{}; do one of these and run it again:{ways}", self.why)
    }

    /// In one line, for an event.
    pub fn line(&self) -> String {
        let ways: Vec<&str> =
            self.remedies.iter().map(|way| way.split("  #").next().unwrap_or(way).trim()).collect();
        format!("{}: {}", self.why, ways.join(", or "))
    }
}

/// The three ways to get going, the first of which is the provider's own.
fn remedies(provider: Option<&Provider>) -> Vec<String> {
    let variable = provider.map_or(Some("OPENAI_API_KEY"), |provider| provider.key_variable);
    let own = variable.map(|variable| format!("export {variable}=...  # your key"));
    let local = "export OPENAI_BASE_URL=http://127.0.0.1:11434/v1  # a local server such as \
                 Ollama; then `--model ITS-NAME`";
    let stub = "quipu run FILE --model stub:high  # answers that are made up, without any model";
    own.into_iter().chain([local.to_owned(), stub.to_owned()]).collect()
}

/// What a name means, as far as it can be known without asking anybody.
pub(crate) fn resolve(
    config: &Config,
    variables: &Variables,
    name: &Text,
) -> Result<Target, Missing> {
    let variable = |name: &str| variables(name).filter(|value| !value.trim().is_empty());
    let settings = config.models.get(name);
    let asked = settings.and_then(|it| it.model.clone()).unwrap_or_else(|| name.clone());
    let said = settings.and_then(|it| it.provider);
    let (provider, model) = match (said, split(&asked)) {
        (Some(provider), _) => (provider, asked.clone()),
        (None, Some((provider, model))) => (provider, model.into()),
        (None, None) => {
            let is_local = settings.is_some_and(|it| it.base_url.is_some())
                || variable("OPENAI_BASE_URL").is_some();
            let found = Provider::of_model(&asked)
                .or_else(|| is_local.then(|| Provider::find(LOCAL)).flatten());
            (found.ok_or_else(|| unknown(config, name))?, asked.clone())
        }
    };
    let own = settings.and_then(|it| it.base_url.as_deref().map(str::to_owned));
    let moved = own.or_else(|| variable(provider.base_url_variable?));
    let is_moved = moved.is_some();
    let base_url = moved.unwrap_or_else(|| provider.base_url.to_owned());
    let base_url = base_url.trim().trim_end_matches('/').to_owned();
    if let Err(why) = readable(&base_url) {
        let place = match settings.and_then(|it| it.base_url.as_ref()) {
            Some(_) => format!("`base_url` of `[models.{name}]`"),
            None => format!("`{}`", provider.base_url_variable.unwrap_or_default()),
        };
        let why = format!("`{name}` cannot be asked: {place} {why}");
        let remedies = vec!["write it as in `http://127.0.0.1:11434/v1`".to_owned()];
        return Err(Missing { model: name.clone(), why, remedies });
    }
    let key = match settings.and_then(|it| it.key.as_ref()) {
        Some(source) => Some(read_key(source, variables).map_err(|why| Missing {
            model: name.clone(),
            why: format!("`{name}` cannot be asked: {why}"),
            remedies: vec![format!("put it right, or change `key` of `[models.{name}]`")],
        })?),
        None => match provider
            .key_variable
            .map(|variable_name| (variable_name, variable(variable_name)))
        {
            Some((variable_name, Some(text))) => {
                Some(Secret::new(&text).map_err(|why| Missing {
                    model: name.clone(),
                    why: format!("`{name}` cannot be asked: the key in `{variable_name}` {why}"),
                    remedies: remedies(Some(provider)),
                })?)
            }
            // Whoever runs a server of their own needs no key to it.
            Some((_, None)) if is_moved && provider.protocol == Protocol::OpenAi => None,
            Some((variable_name, None)) => {
                let why = format!(
                    "`{name}` is a model of {}, and `{variable_name}` is not set",
                    provider.name
                );
                return Err(Missing {
                    model: name.clone(),
                    why,
                    remedies: remedies(Some(provider)),
                });
            }
            None => None,
        },
    };
    Ok(Target {
        provider,
        model,
        base_url,
        key,
        timeout: settings.and_then(|it| it.timeout),
        params: settings.map(|it| it.params.clone()).unwrap_or_default(),
        price: settings.and_then(|it| it.price.clone()),
    })
}

/// `provider/NAME`, where there is such a provider: `meta-llama/llama-3` is a name.
fn split(name: &str) -> Option<(&'static Provider, &str)> {
    let (provider, model) = name.split_once('/')?;
    Some((Provider::find(provider)?, model)).filter(|(_, model)| !model.is_empty())
}

fn unknown(config: &Config, name: &Text) -> Missing {
    let why = match (name.is_empty(), nearest(name, config.models.keys().map(|known| &**known))) {
        (true, _) => "the agent has no model".to_owned(),
        (false, Some(near)) => {
            format!("nobody knows a model `{name}`; did you mean `{near}`?")
        }
        (false, None) => format!("nothing says whose model `{name}` is"),
    };
    let mut ways = remedies(None);
    if !name.is_empty() {
        let section = format!(
            "write `openai/{name}`, or in quipu.toml `[models.\"{name}\"]` with \
             `provider = \"openai\"`  # or any other provider"
        );
        ways.insert(0, section);
    }
    Missing { model: name.clone(), why, remedies: ways }
}

/// Whether requests can go there. What is wrong is said without the address, which may hold a
/// password.
pub(crate) fn readable(base_url: &str) -> Result<(), &'static str> {
    let Ok(url) = reqwest::Url::parse(base_url) else { return Err("is no address") };
    match url.scheme() {
        "http" | "https" => {}
        _ => return Err("must begin with `http://` or `https://`"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a name or a password: give the key with `key`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must end before any `?` or `#`");
    }
    Ok(())
}

fn read_key(source: &Source, variables: &Variables) -> Result<Secret, String> {
    let shown = match source {
        Source::Variable(name) => name.clone(),
        Source::File(path) => path.display().to_string(),
    };
    let text = source.reveal_by(|name| variables(name))?;
    Secret::new(&text).map_err(|why| format!("the key in `{shown}` {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, set: &[(&str, &str)]) -> Result<String, String> {
        let set: Vec<(String, String)> =
            set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let variables: Variables = Arc::new(move |name| {
            set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        });
        let found = resolve(&Config::default(), &variables, &name.into());
        let shown = |target: Target| {
            let key = target.key.map_or("no key", |_| "a key");
            format!("{} {} {} {key}", target.provider.name, target.model, target.base_url)
        };
        found.map(shown).map_err(|missing| missing.line())
    }

    const ALL: &[(&str, &str)] =
        &[("OPENAI_API_KEY", "k1"), ("ANTHROPIC_API_KEY", "k2"), ("GEMINI_API_KEY", "k3")];

    #[test]
    fn names_say_whose_they_are() {
        for (name, found) in [
            ("gpt-5", "openai gpt-5 https://api.openai.com/v1 a key"),
            ("o3-mini", "openai o3-mini https://api.openai.com/v1 a key"),
            ("claude-x", "anthropic claude-x https://api.anthropic.com a key"),
            (
                "gemini-2.5-flash",
                "gemini gemini-2.5-flash https://generativelanguage.googleapis.com a key",
            ),
            ("openai/my-own", "openai my-own https://api.openai.com/v1 a key"),
            ("ollama/qwen2.5:7b", "ollama qwen2.5:7b http://127.0.0.1:11434/v1 no key"),
            ("anthropic/x/y", "anthropic x/y https://api.anthropic.com a key"),
        ] {
            assert_eq!(named(name, ALL).as_deref(), Ok(found), "{name}");
        }
    }

    #[test]
    fn a_server_of_ones_own_needs_no_key_and_takes_any_name() {
        let set = [("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")];
        for name in ["gpt-4o", "qwen2.5:7b", "meta-llama/llama-3"] {
            let found = format!("openai {name} http://127.0.0.1:1/v1 no key");
            assert_eq!(named(name, &set), Ok(found));
        }
        let anthropic = [("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")];
        assert!(
            named("claude-x", &anthropic).unwrap_err().contains("`ANTHROPIC_API_KEY` is not set")
        );
    }

    #[test]
    fn what_is_missing_is_said_with_what_to_do() {
        let missing = named("gpt-4o", &[]).unwrap_err();
        assert_eq!(
            missing,
            "`gpt-4o` is a model of openai, and `OPENAI_API_KEY` is not set: export \
             OPENAI_API_KEY=..., or export OPENAI_BASE_URL=http://127.0.0.1:11434/v1, or quipu run \
             FILE --model stub:high"
        );
        assert!(named("claude-x", &[]).unwrap_err().contains("export ANTHROPIC_API_KEY=..."));
        assert!(
            named("oracle", ALL).unwrap_err().starts_with("nothing says whose model `oracle` is")
        );
        assert!(named("", ALL).unwrap_err().starts_with("the agent has no model"));
        for (url, why) in [
            ("not one", "`OPENAI_BASE_URL` is no address"),
            ("ftp://x", "must begin with `http://`"),
            ("http://user:pass@x", "must not hold a name or a password"),
            ("http://x/v1?key=1", "must end before any `?`"),
        ] {
            let missing = named("gpt-4o", &[("OPENAI_BASE_URL", url)]).unwrap_err();
            assert!(missing.contains(why), "{missing}");
            assert!(!missing.contains("pass@"), "{missing}");
        }
    }
}
