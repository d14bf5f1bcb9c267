//! Whether providers can be asked: what is set, and, where somebody wants to know, who answers.

use std::time::Duration;

use value::Text;

use super::Providers;
use super::ask::headers;
use super::transport::connect;
use crate::models::named::{PROVIDERS, Protocol, Provider, Target, resolve};

/// How long a provider may take to say that it is there.
const LOOK_MAX: Duration = Duration::from_secs(3);

/// Something that was looked at, and how it is or what is wrong with it.
pub type Looked = (String, Result<String, String>);

impl Providers {
    /// The providers that something is set for, and the models of `quipu.toml`. Nothing is sent
    /// anywhere unless `online` says so, and then only one cheap question to each address.
    pub fn look(&self, online: bool) -> Vec<Looked> {
        let set = PROVIDERS.iter().filter(|provider| self.is_set(provider));
        let named = set.map(|provider| {
            // Any name does: nothing is asked of the model.
            (format!("provider {}", provider.name), format!("{}/any", provider.name).into())
        });
        let own = self.config.models.keys().map(|name| (format!("model {name}"), name.clone()));
        let all: Vec<(String, Text)> = named.chain(own).collect();
        if all.is_empty() {
            let none = "no key and no address is set: `export OPENAI_API_KEY=...`, or `export \
                        OPENAI_BASE_URL=http://127.0.0.1:11434/v1` for a local server; \
                        `--model stub:high` needs neither";
            return vec![("models".to_owned(), Ok(none.to_owned()))];
        }
        let looked = all.into_iter().map(|(what, name)| {
            let found = resolve(&self.config, &self.variables, &name);
            let found = found.map_err(|missing| missing.line());
            (what, found.and_then(|target| if online { ask(&target) } else { Ok(shown(&target)) }))
        });
        looked.collect()
    }

    fn is_set(&self, provider: &Provider) -> bool {
        let variables = [provider.key_variable, provider.base_url_variable];
        variables.into_iter().flatten().any(|name| (self.variables)(name).is_some())
    }
}

fn shown(target: &Target) -> String {
    let key = if target.key.is_some() { "with a key" } else { "without a key" };
    format!("{}, {key}; `--online` asks whether it answers", target.base_url)
}

/// Asks for the list of models: it costs nothing, and needs the key.
fn ask(target: &Target) -> Result<String, String> {
    let base = &target.base_url;
    let has = |version: &str| base.ends_with(version);
    let url = match target.provider.protocol {
        Protocol::OpenAi => format!("{base}/models"),
        Protocol::Anthropic if has("/v1") => format!("{base}/models"),
        Protocol::Anthropic => format!("{base}/v1/models"),
        Protocol::Gemini if has("/v1beta") || has("/v1") => format!("{base}/models"),
        Protocol::Gemini => format!("{base}/v1beta/models"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let answered = runtime.block_on(async {
        let mut request = connect()?.get(url).timeout(LOOK_MAX);
        for (name, value) in headers(target) {
            request = request.header(name, value);
        }
        let sent = request.send().await;
        sent.map(|response| response.status().as_u16()).map_err(|error| match error.is_timeout() {
            true => format!("{base} does not answer within {} s", LOOK_MAX.as_secs()),
            false => format!("{base} cannot be reached; is it running, and is the address right?"),
        })
    })?;
    match answered {
        200..=299 => Ok(format!("{base} answers")),
        401 | 403 => {
            let variable = target.provider.key_variable.unwrap_or("the key");
            Err(format!("{base} refuses the key (status {answered}): look at `{variable}`"))
        }
        404 => Ok(format!("{base} answers, but knows no list of models")),
        _ => Err(format!("{base} answers with status {answered}")),
    }
}
