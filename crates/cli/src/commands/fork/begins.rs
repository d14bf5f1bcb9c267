//! How the fork of a run of ours differs. All of it is tried out before there is a fork.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use diagnostics::nearest;
use history::kinds::RunStarted;
use history::kinds::records::Origin;
use history::kinds::words::RunReason;
use history::{Lineage, Place, Stream};
use host::pinned::pin;
use host::{Answered, LoadError, Python, When, Who, answer_as, give, load};
use runtime::{
    Answer, CallId, Input, Logic, Options, Plan, Question, Request, Run, Told, migrate, note, rest,
};
use store::Store;
use store::fork::GoingOn;
use value::{Map, Value};

use super::super::run::begun_again;
use crate::Outcome;
use crate::args::ConfigOf;
use crate::args::history::Fork;
use crate::opened::now;
use crate::output;
use crate::running::{
    Around, Begun, limit, named_value, policy_here, remind_of_limits, usual_at_most, written,
};

/// How the fork of a run of ours goes on.
pub(super) struct Begins {
    pub(super) going_on: GoingOn,
    pub(super) around: Around,
    values: Map,
    answers: Vec<(CallId, Value)>,
    /// Who gives them.
    who: Who,
}

impl Begins {
    /// What is to be different in the fork; nothing for a history that Quipu did not run itself.
    pub(super) fn new(
        arguments: &Fork,
        store: &Arc<dyn Store>,
        at: &Place,
    ) -> Result<Result<Option<Begins>, Outcome>> {
        let mut logic = Python::default();
        let loaded = match load(&**store, &at.stream, Some(at.seq + 1), &mut logic) {
            Ok(loaded) => loaded,
            Err(LoadError::Foreign(_) | LoadError::NoRun(_)) => {
                let is_more = !arguments.set.is_empty()
                    || !arguments.answer.is_empty()
                    || !arguments.output.is_empty()
                    || arguments.graph.is_some();
                if is_more {
                    bail!("`{}` was not run by Quipu: its forks cannot be run", at.stream);
                }
                return Ok(Ok(None));
            }
            Err(error) => return Err(error.into()),
        };
        if loaded.run.is_over() && !arguments.no_run {
            bail!("`{at}` is the end of the run; fork at an earlier event, as in `{}`", before(at));
        }
        let versions = Some(Arc::new(host::versions()));
        let mut going_on = GoingOn { versions, ..GoingOn::default() };
        let (mut plan, mut run) = (loaded.plan.clone(), loaded.run.clone());
        if let Some(file) = &arguments.graph {
            let is_json = arguments.format.is_json();
            let policy = crate::policies::of_run(&**store, &loaded.run)?;
            let books = policy.as_ref().map(|policy| policy.books()).unwrap_or_default();
            let world = &arguments.world;
            let config = match (&world.config, world.no_config) {
                (_, true) => ConfigOf::Nothing,
                (Some(config), false) => ConfigOf::File(config.clone()),
                (None, false) => ConfigOf::Place,
            };
            let new = match begun_again(file, &**store, &at.stream, config, is_json, &books)? {
                Ok(graph) => graph,
                Err(outcome) => return Ok(Err(outcome)),
            };
            let pinned = pin(&new).with_context(|| format!("`{file}` cannot run"))?;
            run = migrated(run, &plan, &pinned.plan, file, at)?;
            going_on.document = Some(pinned.document);
            going_on.graph = Some(pinned.checksum);
            plan = pinned.plan;
        }
        let recorded = loaded.run.options();
        let Begun { here, options: begun } = {
            let begun = Begun::of(&**store, &at.stream, Some(at.seq + 1), recorded)?;
            begun.refuse_without_words(recorded, &arguments.world, "fork", &arguments.at)?;
            begun
        };
        let begun = &begun;
        let around = Around::new(&arguments.world, begun, &plan, Path::new("."), store.clone())?;
        // Whoever names another model may want to have everything made up.
        if arguments.world.model.is_none() {
            around.refuse_without_tools(begun, &plan)?;
        }
        if !arguments.no_run {
            around.refuse_without_models(&plan)?;
        }
        let mut options: Options = begun.clone();
        around.pin(&mut options, &plan);
        options.live = arguments.live;
        if !here {
            around.refuse_other_calls(&loaded.run, &at.to_string())?;
            usual_at_most(&mut options.limits);
            options.policy = policy_here(&**store, &loaded.run)?.or(options.policy);
        }
        limit(&mut options.limits, &arguments.limits)?;
        remind_of_limits(&plan, &arguments.limits);
        options.outputs = outputs(&arguments.output, &plan)?.into_iter().collect();
        going_on.options = Some(options.to_map());
        let values = arguments.set.iter().map(|words| named_value(words));
        let values = values.collect::<Result<Map>>()?;
        let mut trial = Trial { plan: &plan, run, logic: &mut logic };
        trial.begin(&**store, at, going_on.options.clone())?;
        trial.set(&values)?;
        let answers = arguments.answer.iter().map(|words| trial.answer(words, at));
        let answers = answers.collect::<Result<_>>()?;
        let who = around.who().clone();
        Ok(Ok(Some(Begins { going_on, around, values, answers, who })))
    }

    /// Makes a fork differ before it goes on.
    pub(super) fn change(&self, store: &dyn Store, stream: &Stream) -> Result<()> {
        let mut logic = Python::default();
        if !self.values.is_empty() {
            let set = |_: &Run| Some(Input::Set(self.values.clone()));
            let given = give(store, stream, &mut logic, now()?, When::AtOnce, set)?;
            given.map_err(|refusal| anyhow!("the values cannot be set: {refusal}"))?;
        }
        for (call, value) in &self.answers {
            let mut loaded = load(store, stream, None, &mut logic)?;
            while rest(&loaded.plan, &mut loaded.run, &mut logic).more {}
            let asked = loaded.run.pending_call(*call).and_then(|pending| asked(&pending.request));
            let asked = asked.context("`--answer` cannot be taken: nothing is asked any more")?;
            match answer_as(store, &mut logic, stream, &asked.id, value, &self.who, now()?)? {
                Answered::Taken => {}
                Answered::Before { .. } => bail!("question `{}` is answered already", asked.id),
                Answered::Refused(why) => bail!("`--answer` cannot be taken: {why}"),
            }
        }
        Ok(())
    }
}

/// The run brought to another graph.
fn migrated(run: Run, old: &Plan, new: &Plan, file: &str, at: &Place) -> Result<Run> {
    match migrate(run, old, new) {
        Ok((run, kept)) => {
            for kept in kept {
                output::note(&format!("kept: {kept}"));
            }
            Ok(run)
        }
        Err(refused) => {
            let list: Vec<String> = refused.iter().map(|one| format!("\n  {one}")).collect();
            bail!("`{file}` cannot take over at {at}:{}", list.concat());
        }
    }
}

/// What nodes are to answer.
fn outputs(given: &[String], plan: &Plan) -> Result<Vec<(value::Text, Value)>> {
    let each = given.iter().map(|words| {
        let (node, value) = named_value(words)?;
        let found = plan.find_node(&node);
        let near = nearest(&node, plan.label_names().map(|label| &**label));
        let found = found.with_context(|| match near {
            Some(near) => format!("no node answers at `{node}`; did you mean `{near}`?"),
            None => format!("no node answers at `{node}`; write `LABEL/nK`"),
        })?;
        if !plan.takes_output(&found) {
            bail!("`{found}` asks no model and no tool, so that `--output` cannot answer for it");
        }
        Ok((found, value))
    });
    each.collect()
}

fn before(at: &Place) -> Place {
    Place::new(at.stream.clone(), at.seq.saturating_sub(1))
}

/// The run as the fork would be. Its questions have the ids that they would have in the run itself,
/// which whoever answers them has read.
struct Trial<'a> {
    plan: &'a Plan,
    run: Run,
    logic: &'a mut dyn Logic,
}

impl Trial<'_> {
    fn begin(&mut self, store: &dyn Store, at: &Place, options: Option<Arc<Map>>) -> Result<()> {
        let (place, entry) = Lineage::locate(store, at)?.context("it was found")?;
        let run_id = place.stream.run_id().context("only runs are forked")?.clone();
        let seq = place.seq.cast_signed();
        let started = RunStarted {
            reason: Some(RunReason::Fork),
            from: Some(Origin { run_id, seq, event_id: entry.event.id() }),
            graph: None,
            document: None,
            inputs: None,
            seed: None,
            versions: None,
            options,
        };
        let fork = Some((self.run.id().clone(), started));
        let told = Input::Told(Box::new(Told { event: entry.event, fork }));
        note(self.plan, &mut self.run, &told, now()?).context("a fork begins anywhere")?;
        Ok(())
    }

    fn set(&mut self, values: &Map) -> Result<()> {
        if !values.is_empty() {
            let set = note(self.plan, &mut self.run, &Input::Set(values.clone()), now()?);
            set.map_err(|refusal| anyhow!("the values cannot be set: {refusal}"))?;
        }
        Ok(())
    }

    /// Gives an answer, and says to which call. In the fork, its question may have another id.
    fn answer(&mut self, words: &str, at: &Place) -> Result<(CallId, Value)> {
        // Only there it takes one: behind a question, its timer is still to be set.
        while rest(self.plan, &mut self.run, self.logic).more {}
        let (call, value, expires) = self.chosen(words, at)?;
        let now = now()?;
        if let Some(expires) = expires.filter(|expires| now >= *expires) {
            bail!("`--answer` cannot be taken: it expired at {expires}");
        }
        let input = Input::Answer(call, Answer::Person(value.clone(), None));
        let taken = note(self.plan, &mut self.run, &input, now);
        taken.map_err(|refusal| anyhow!("`--answer` cannot be taken: {refusal}"))?;
        Ok((call, value))
    }

    /// Which open question an answer is meant for, and until when it can be answered.
    fn chosen(
        &self,
        words: &str,
        at: &Place,
    ) -> Result<(CallId, Value, Option<history::Timestamp>)> {
        let open = self.run.pending();
        let open = open.filter_map(|pending| Some((pending.id, asked(&pending.request)?)));
        let open: Vec<(CallId, &Question)> = open.collect();
        if let Some((id, value)) = words.split_once('=')
            && let Some((call, asked)) = open.iter().find(|(_, asked)| *asked.id == *id)
        {
            return Ok((*call, written(value), asked.expires));
        }
        match open.as_slice() {
            [] => bail!("no question is open at {at}"),
            [(only, asked)] => Ok((*only, written(words), asked.expires)),
            several => {
                let ids: Vec<&str> = several.iter().map(|(_, asked)| &*asked.id).collect();
                bail!(
                    "several questions are open: write `--answer ID=VALUE`, one of {}",
                    ids.join(", ")
                )
            }
        }
    }
}

/// The question that a request is.
fn asked(request: &Request) -> Option<&Question> {
    match request {
        Request::Question(question) => Some(question),
        _ => None,
    }
}
