//! Asks models of providers, over the network. One call is one turn of a model: whether it is
//! asked again, and what becomes of the tools that it wants, the core decides.

mod answer;
mod anthropic;
mod ask;
mod foreign;
mod gemini;
mod look;
mod openai;
mod params;
mod price;
mod retry;
mod stream;
mod transport;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use runtime::{Answer, ModelAnswer, ModelCall, Request};
use tokio::time::{Instant, sleep, timeout_at};
use value::Text;

pub use look::Looked;
pub(crate) use params::param;
pub use params::{MAX_TOKENS, PARAMS, unknown_params};
pub use price::{PRICES_OF, Price};
pub use retry::Patience;
pub use stream::{Piece, Speaker, Voice};

use self::ask::{Mode, asked};
use self::retry::{Again, Lacks, Trouble, unasked};
use self::stream::streamed;
use self::transport::{connect, whole};
use super::named::{Missing, Target, Variables, resolve};
use crate::adapter::{Adapter, Call, Calling};
use crate::config::Config;

/// How long a turn may take with all its attempts, where nobody says so.
pub const TURN_MAX: Duration = Duration::from_secs(120);

/// Everybody who can be asked, with one set of connections to all of them.
pub struct Providers {
    config: Config,
    variables: Variables,
    voice: Option<Arc<dyn Voice>>,
    patience: Patience,
    client: OnceLock<Result<reqwest::Client, String>>,
    /// What providers turned out not to be able to do, by address and model.
    lacks: Mutex<BTreeSet<(String, Text, Lacks)>>,
}

impl Providers {
    /// Those of a configuration and these variables. Nothing is connected before somebody asks.
    pub fn new(config: &Config, variables: Variables) -> Providers {
        Providers {
            config: config.clone(),
            variables,
            voice: None,
            patience: Patience::default(),
            client: OnceLock::new(),
            lacks: Mutex::default(),
        }
    }

    /// The same with somebody who hears answers as they come.
    #[must_use]
    pub fn with_voice(mut self, voice: Arc<dyn Voice>) -> Providers {
        self.voice = Some(voice);
        self
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Providers {
        self.patience = patience;
        self
    }

    /// What would keep a model from being asked, as far as that can be known before.
    pub fn missing(&self, model: &Text) -> Option<Missing> {
        resolve(&self.config, &self.variables, model).err()
    }

    fn client(&self) -> Result<&reqwest::Client, &str> {
        self.client.get_or_init(connect).as_ref().map_err(String::as_str)
    }

    fn knows_that(&self, target: &Target, lack: Lacks) -> bool {
        let lacks = self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        lacks.contains(&(target.base_url.clone(), target.model.clone(), lack))
    }

    fn learn(&self, target: &Target, lack: Lacks) {
        let mut lacks = self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        lacks.insert((target.base_url.clone(), target.model.clone(), lack));
    }

    async fn answer(&self, call: Call, question: ModelCall, model: Text) -> Answer {
        let target = match resolve(&self.config, &self.variables, &model) {
            Ok(target) => target,
            Err(missing) => return Answer::Failed(unasked(&model, &missing.line())),
        };
        let speaker = Speaker { run: call.run, at: call.at, agent: question.agent.clone(), model };
        let limits = [target.timeout, question.timeout_ms.map(Duration::from_millis)];
        let limit = limits.into_iter().flatten().min().unwrap_or(TURN_MAX);
        let deadline = Instant::now() + limit;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let turn = self.turn(&target, &question, &speaker);
            let trouble = match timeout_at(deadline, turn).await {
                Ok(Ok(answer)) => return Answer::Model(Box::new(answer)),
                Ok(Err(trouble)) => trouble,
                Err(_) => Trouble::too_late(limit),
            };
            let delay = match trouble.again {
                Again::No => None,
                // Each of them is learnt once: this ends.
                Again::Without(lack) => {
                    self.learn(&target, lack);
                    attempts -= 1;
                    continue;
                }
                Again::Later => Some(self.patience.delay(attempts)),
                Again::After(after) => Some(after),
            };
            let left = deadline.saturating_duration_since(Instant::now());
            match delay {
                Some(delay) if attempts < self.patience.attempts && delay < left => {
                    sleep(delay).await;
                }
                Some(delay) if attempts < self.patience.attempts => {
                    let trouble = trouble.without_time(delay, left);
                    return Answer::Failed(trouble.fault(&target, attempts));
                }
                _ => return Answer::Failed(trouble.fault(&target, attempts)),
            }
        }
    }

    /// Asks once.
    async fn turn(
        &self,
        target: &Target,
        question: &ModelCall,
        speaker: &Speaker,
    ) -> Result<ModelAnswer, Trouble> {
        let client = self.client().map_err(Trouble::of)?;
        let shapes = !self.knows_that(target, Lacks::Shapes);
        let voice = self.voice.as_deref().filter(|_| !self.knows_that(target, Lacks::Streams));
        let mode = if voice.is_some() { Mode::Stream } else { Mode::Whole };
        let asked = asked(target, question, shapes, mode).map_err(Trouble::of)?;
        let is_shaped = asked.is_shaped;
        let body = match voice {
            Some(voice) => streamed(client, target, asked, voice, speaker).await,
            None => whole(client, target, asked).await,
        };
        let body = body.map_err(|trouble| trouble.unless_shaped(is_shaped))?;
        let given = answer::read(target.provider.protocol, &body, question.talk.len())?;
        answer::settled(target, given, question.shape.is_some())
    }
}

/// Asks each agent's model, or one for all of them.
pub struct Named {
    providers: Arc<Providers>,
    /// The one that everybody asks.
    only: Option<Text>,
    /// The models of agents, where questions name something else.
    own: BTreeMap<Text, Text>,
}

impl Named {
    /// Everybody asks `only`, or else their own.
    pub fn new(providers: Arc<Providers>, only: Option<Text>, own: BTreeMap<Text, Text>) -> Named {
        Named { providers, only, own }
    }
}

impl Adapter for Named {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(question) = call.request.clone() else {
            return Calling::misrouted(&call);
        };
        let own = || self.own.get(&question.agent).cloned();
        let model = self.only.clone().or_else(own).unwrap_or_else(|| question.model.clone());
        let providers = Arc::clone(&self.providers);
        Calling::Later(Box::pin(async move { providers.answer(call, *question, model).await }))
    }
}
