//! What all commands that drive runs share: who answers, how it is stopped, what is printed.

mod doubt;
mod elsewhere;
mod entry;
mod exported;
mod limits;
mod models;
mod people;
mod report;
mod terminal;
mod view;
mod voice;

pub(crate) use elsewhere::{Begun, policy_here, usual_at_most};
pub(crate) use entry::{Beginning, begin_at};
pub(crate) use exported::export_as;
pub(crate) use limits::{limit, remind_of_limits};
pub(crate) use models::remind_of_params;
pub(crate) use report::{not_driven, report};

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use history::{Stream, Timestamp};
use host::config::{Config, Otlp};
use host::models::{Named, Profile, Providers, Sample, process_variables};
use host::{
    Adapter, Described, Dispatcher, Limits, ModelChoice, People, Registry, Shelved, Unbound, Who,
    World,
};
use runtime::{Offer, Options, Plan, Run};
use store::Store;
use value::{Text, Value, json};

use self::people::people;
use self::view::View;
use crate::args::running::WorldChoice;
use crate::opened::now;
use crate::output;

/// Who answers what a run asks for.
pub(crate) struct Around {
    registry: Registry,
    providers: Arc<Providers>,
    dispatcher: Dispatcher,
    people: Box<dyn People>,
    view: View,
    stop: Arc<AtomicBool>,
    model: Option<Text>,
    choice: Option<ModelChoice>,
    answers: Option<Text>,
    config: Option<Text>,
    otlp: Option<Otlp>,
    llm: Option<Text>,
    grants: Vec<Text>,
    who: Who,
}

impl Around {
    /// What the command line does not say is as the run was begun with. `folder` is where an agent
    /// that begins is.
    pub(crate) fn new(
        choice: &WorldChoice,
        begun: &Options,
        plan: &Arc<Plan>,
        folder: &Path,
        store: Arc<dyn Store>,
    ) -> Result<Around> {
        let named = choice.model.as_deref();
        let asked = named.or(begun.model.as_deref()).map(str::parse::<ModelChoice>).transpose()?;
        let model = match (named, &asked) {
            (Some(named), Some(asked)) => Some(everywhere(named, asked)?),
            _ => begun.model.clone(),
        };
        let unbound = asked.as_ref().map_or(Unbound::Fail, ModelChoice::unbound);
        let answers = match choice.answers.as_deref() {
            Some("ask") => Some("ask".into()),
            Some(file) => Some(absolute(Path::new(file))?),
            None => begun.answers.clone(),
        };
        let view = View::new();
        let bound = match choice.no_config {
            true => None,
            false => config_file(choice.config.as_deref(), begun.config.as_deref(), folder),
        };
        let config = bound.as_deref().map(Config::load).transpose()?.unwrap_or_default();
        let who = who(choice.actor.as_deref(), &config);
        let people = people(answers.as_deref(), unbound == Unbound::MakeUp, &view, who.clone())?;
        let mut providers = Providers::new(&config, process_variables());
        if let Some(voice) = voice::voice(choice, &view) {
            providers = providers.with_voice(voice);
        }
        let providers = Arc::new(providers);
        let llm = begun.llm.clone().or_else(|| config.adapters.llm.clone());
        let own = || {
            let agents = plan.agents().into_iter();
            agents.map(|(id, model, _)| (id.clone(), own_model(model, llm.as_ref()).clone()))
        };
        let named_model = |only: Option<&Text>| -> Arc<dyn Adapter> {
            Arc::new(Named::new(Arc::clone(&providers), only.cloned(), own().collect()))
        };
        let answering: Arc<dyn Adapter> = match &asked {
            None => named_model(None),
            Some(model) => {
                let opened = model.open(&|profile| sample(plan, profile), &named_model);
                match named {
                    Some(_) => opened?,
                    None => opened.with_context(|| {
                        format!(
                            "the run was begun with `--model {model}`; put that file right, or \
                             say `--model MODEL`"
                        )
                    })?,
                }
            }
        };
        let folders = config.stores.iter().map(|(id, folder)| (id.clone(), Arc::clone(folder)));
        let shelved = Arc::new(Shelved::new(store, plan.name.clone()).with_folders(folders));
        Ok(Around {
            registry: Registry::new(&config, answering, unbound)
                .for_plan(plan)
                .with_stores(shelved),
            providers,
            dispatcher: Dispatcher::new(&Limits::of(&config)),
            people,
            view,
            stop: stop_on_signals()?,
            model,
            choice: asked,
            answers,
            config: bound.as_deref().map(absolute).transpose()?,
            otlp: config.otlp,
            llm,
            grants: config.grants,
            who,
        })
    }

    /// Whoever answers here.
    pub(crate) fn who(&self) -> &Who {
        &self.who
    }

    /// Has a run go on with this world, whoever resumes it, and wherever.
    pub(crate) fn pin(&self, options: &mut Options, plan: &Plan) {
        let is_made_up = self.choice.as_ref().map(ModelChoice::unbound) == Some(Unbound::MakeUp);
        options.model = self.model.clone();
        options.rehearsal = is_made_up;
        options.in_turn = self.choice.as_ref().is_some_and(ModelChoice::is_immediate);
        options.config = self.config.clone();
        options.answers = self.answers.clone();
        let known = plan.tools().into_iter().filter_map(|tool| {
            let contract = self.registry.resolve(&tool)?;
            Some((tool, contract))
        });
        let adapters = plan.adapters().into_iter().filter_map(|name| {
            let contract = self.registry.resolve_adapter(&name)?;
            Some((name, contract))
        });
        options.tools = known.chain(adapters).collect();
        options.llm = self.llm.clone();
        options.grants = self.grants.clone();
        let offered =
            plan.tools_of_agents().into_iter().filter(|tool| self.registry.is_bound(tool));
        let offers = offered.filter_map(|tool| {
            let Described { description, input, .. } = self.registry.described(&tool);
            let is_said = description.is_some() || input.is_some();
            is_said.then_some((tool, Offer { description, input }))
        });
        options.offers = offers.collect();
    }

    /// Says which tools a model could want if something were bound to them.
    pub(crate) fn remind_of_tools(&self, plan: &Plan) {
        if self.choice.as_ref().is_some_and(ModelChoice::is_immediate) {
            return;
        }
        let tools = plan.tools_of_agents();
        let lacking = tools.iter().filter(|tool| !self.registry.is_bound(tool));
        let lacking: Vec<String> = lacking.map(|tool| format!("`{tool}`")).collect();
        if !lacking.is_empty() {
            output::note(&format!(
                "note: nothing is bound to {}, so that no model is offered it; bind it in \
                 quipu.toml (`[tools.ID]`, see docs/tools.md)",
                lacking.join(", ")
            ));
        }
    }

    /// A tool that answered when the run began must still be there: without it a run would fail, or
    /// go on with answers that were made up.
    pub(crate) fn refuse_without_tools(&self, begun: &Options, plan: &Plan) -> Result<()> {
        let was_bound = |name: &Text| begun.tools.get(name).is_some_and(|known| !known.made_up);
        let tools = plan.tools().into_iter().filter(|tool| !self.registry.is_bound(tool));
        let adapters = plan.adapters();
        let adapters = adapters.into_iter().filter(|name| !self.registry.is_adapter_bound(name));
        let gone: Vec<String> = tools
            .chain(adapters)
            .filter(|name| was_bound(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        let place = begun.config.as_deref().unwrap_or("quipu.toml");
        bail!(
            "nothing is bound to {} any more, which was there when the run began: put `{place}` \
             right, or say `--config FILE`",
            gone.join(", ")
        )
    }

    /// Sends the spans of a run that has stopped, if the operator wants that.
    pub(crate) fn export(&self, store: &dyn Store, run: &str) {
        exported::export(store, &Stream::run(run), self.otlp.as_ref());
    }

    /// Does something with everything that a driver needs.
    pub(crate) fn with<T>(
        &self,
        store: &dyn Store,
        quiet: bool,
        work: impl FnOnce(&World<'_>) -> Result<T>,
    ) -> Result<T> {
        if !quiet {
            self.view.begin();
        }
        // Whoever sets QUIPU_NOW wrongly was told before.
        let clock = || now().unwrap_or_else(|_| Timestamp::from_micros(0));
        let told = std::cell::Cell::new(false);
        let progress = |plan: &Plan, run: &Run| {
            self.view.show(plan, run);
            if self.stop.load(std::sync::atomic::Ordering::Relaxed) && !told.replace(true) {
                tell_of_pause(run);
            }
        };
        let world = World {
            store,
            adapter: &self.registry,
            dispatcher: &self.dispatcher,
            people: &*self.people,
            clock: &clock,
            stop: &self.stop,
            progress: &progress,
        };
        let done = work(&world);
        self.view.put_aside();
        done
    }
}

/// The model of an agent, or the one for whoever names none.
fn own_model<'a>(model: &'a Text, other: Option<&'a Text>) -> &'a Text {
    if model.is_empty() { other.unwrap_or(model) } else { model }
}

/// Makes answers up that fit the schemas of a plan.
fn sample(plan: &Arc<Plan>, profile: Profile) -> Sample {
    let plan = plan.clone();
    let profile = match profile {
        Profile::Low => runtime::schema::Profile::Low,
        Profile::High => runtime::schema::Profile::High,
        Profile::Cycle => runtime::schema::Profile::Cycle,
    };
    Arc::new(move |schema: &str, nth: u32| {
        let schemas = plan.schemas();
        Some(schemas.sample(schemas.find(schema)?, profile, nth))
    })
}

/// The first signal asks the run to pause; a second one ends the process.
pub(crate) fn stop_on_signals() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, stop.clone())
            .and_then(|_| signal_hook::flag::register(signal, stop.clone()))
            .context("cannot listen to signals")?;
    }
    Ok(stop)
}

/// Why a run that should pause does not do so at once.
fn tell_of_pause(run: &Run) {
    let left = run.pending().filter(|pending| pending.stage == runtime::Stage::Started);
    let under_way = left.filter(|pending| {
        matches!(&pending.request,
        runtime::Request::Tool(call) if call.again == graph::Again::ByAsking)
    });
    let names: Vec<&str> = under_way.map(|pending| &*pending.at).collect();
    if !names.is_empty() {
        output::note(&format!(
            "pausing: waits for {}, which cannot be repeated; once more ends at once",
            names.join(", ")
        ));
    }
}

/// Where tools are bound: in a file that was named, in the one that the run was begun with, in the
/// one beside the agent, or in the one in this folder.
pub(crate) fn config_file(
    named: Option<&str>,
    begun: Option<&str>,
    folder: &Path,
) -> Option<PathBuf> {
    let there = |path: PathBuf| path.is_file().then_some(path);
    match (named, begun) {
        (Some(named), _) => Some(named.into()),
        // That it is not there any more counts only if the run needs it.
        (None, Some(begun)) => there(begun.into()),
        (None, None) => {
            there(folder.join(host::config::FILE)).or_else(|| there(host::config::FILE.into()))
        }
    }
}

/// The tools that are bound for this folder.
pub(crate) fn config(named: Option<&str>) -> Result<Config> {
    let file = config_file(named, None, Path::new("."));
    Ok(file.as_deref().map(Config::load).transpose()?.unwrap_or_default())
}

/// A model as runs remember it, so that they can go on from any folder; as it was named where that
/// cannot be written.
fn everywhere(named: &str, asked: &ModelChoice) -> Result<Text> {
    let text = asked.everywhere().with_context(|| format!("cannot use `{named}`"))?;
    Ok(text.unwrap_or_else(|| named.into()))
}

fn absolute(path: &Path) -> Result<Text> {
    let whole = std::path::absolute(path);
    let whole = whole.with_context(|| format!("cannot use `{}`", path.display()))?;
    Ok(whole.to_string_lossy().into())
}

/// Whoever is here, unless they say otherwise.
pub(crate) fn user() -> Option<Text> {
    std::env::var("USER").ok().filter(|user| !user.is_empty()).map(Text::from)
}

/// Whoever answers here, and what everybody may do.
pub(crate) fn who(named: Option<&str>, config: &Config) -> Who {
    let name = named.map(Text::from).or_else(user);
    Who { name, capabilities: config.people.clone() }
}

/// The configuration of a run that is answered and not driven: one that is named, or the one that
/// it was begun with.
pub(crate) fn config_of(named: Option<&str>, begun: &Options) -> Result<Config> {
    let file = config_file(named, begun.config.as_deref(), Path::new("."));
    Ok(file.as_deref().map(Config::load).transpose()?.unwrap_or_default())
}

/// JSON if it is that, else text.
pub(crate) fn written(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|_| Value::text(text))
}

/// A value as people type it.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => json::compact(other),
    }
}

/// `NAME=VALUE` as a name and a value.
pub(crate) fn named_value(words: &str) -> Result<(Text, Value)> {
    match words.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), written(value))),
        _ => bail!("`{words}` is no value to set; write `NAME=VALUE`"),
    }
}

/// The run that a stream is.
pub(crate) fn run_stream(stream: &Stream) -> Result<()> {
    if stream.run_id().is_none() {
        bail!("`{stream}` is no run");
    }
    Ok(())
}
