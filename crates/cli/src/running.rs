//! What all commands that drive runs share: who answers, how it is stopped, what is printed.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use history::kinds::{Kind, What};
use history::{Stream, Timestamp};
use host::config::Config;
use host::models::{Absent, Profile, Sample};
use host::{
    Adapter, Dispatcher, DriveError, Limits, ModelChoice, People, Registry, Shelved, Stopped,
    Unbound, World,
};
use runtime::{Fault, FaultKind, Options, Plan, Question, Run, Status, ToolContract};
use store::{AppendError, Store};
use value::{Map, Text, Value, json};

use crate::args::running::{LimitChoice, WorldChoice};
use crate::opened::{self, count, now};
use crate::{Outcome, output};

/// Who answers what a run asks for.
pub(crate) struct Around {
    registry: Registry,
    dispatcher: Dispatcher,
    people: Box<dyn People>,
    stop: Arc<AtomicBool>,
    model: Option<Text>,
    choice: Option<ModelChoice>,
    answers: Option<Text>,
    config: Option<Text>,
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
        let model = choice.model.as_deref().map(Text::from).or_else(|| begun.model.clone());
        let asked = model.as_deref().map(str::parse::<ModelChoice>).transpose()?;
        let unbound = asked.as_ref().map_or(Unbound::Fail, ModelChoice::unbound);
        let answers = match choice.answers.as_deref() {
            Some("ask") => Some("ask".into()),
            Some(file) => Some(absolute(Path::new(file))?),
            None => begun.answers.clone(),
        };
        let people = people(answers.as_deref(), unbound == Unbound::MakeUp)?;
        let bound = config_file(choice.config.as_deref(), begun.config.as_deref(), folder);
        let config = bound.as_deref().map(Config::load).transpose()?.unwrap_or_default();
        let answering: Arc<dyn Adapter> = match &asked {
            None => Arc::new(Absent),
            Some(model) => model.open(&|profile| sample(plan, profile), Arc::new(Absent))?,
        };
        let shelved = Arc::new(Shelved::new(store, plan.name.clone()));
        Ok(Around {
            registry: Registry::new(&config, answering, unbound).with_stores(shelved),
            dispatcher: Dispatcher::new(&Limits::of(&config)),
            people,
            stop: stop_on_signals()?,
            model,
            choice: asked,
            answers,
            config: bound.as_deref().map(absolute).transpose()?,
        })
    }

    /// Has a run go on with this world, whoever resumes it, and wherever.
    pub(crate) fn pin(&self, options: &mut Options, plan: &Plan) {
        let is_made_up = self.choice.as_ref().map(ModelChoice::unbound) == Some(Unbound::MakeUp);
        options.model = self.model.clone();
        options.rehearsal = is_made_up;
        options.in_turn = is_made_up
            || matches!(self.choice, Some(ModelChoice::Script(_) | ModelChoice::Replay(_)));
        options.config = self.config.clone();
        options.answers = self.answers.clone();
        let known = plan.tools().into_iter().filter_map(|tool| {
            let contract = self.registry.resolve("tool", &tool)?;
            let pinned = ToolContract {
                touches: contract.touches,
                again: contract.again,
                timeout_ms: None,
                made_up: !self.registry.is_bound(&tool),
            };
            Some((tool, pinned))
        });
        options.tools = known.collect();
    }

    /// A tool that answered when the run began must still be there: without it a run would fail, or
    /// go on with answers that were made up.
    pub(crate) fn refuse_without_tools(&self, begun: &Options, plan: &Plan) -> Result<()> {
        let tools = plan.tools();
        let is_gone = |tool: &&Text| {
            let was_bound = begun.tools.get(*tool).is_some_and(|contract| !contract.made_up);
            was_bound && !self.registry.is_bound(tool)
        };
        let gone: Vec<String> =
            tools.iter().filter(is_gone).map(|tool| format!("`{tool}`")).collect();
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

    /// Does something with everything that a driver needs.
    pub(crate) fn with<T>(
        &self,
        store: &dyn Store,
        quiet: bool,
        work: impl FnOnce(&World<'_>) -> Result<T>,
    ) -> Result<T> {
        let view = View::new(quiet);
        // Whoever sets QUIPU_NOW wrongly was told before.
        let clock = || now().unwrap_or_else(|_| Timestamp::from_micros(0));
        let told = std::cell::Cell::new(false);
        let progress = |plan: &Plan, run: &Run| {
            view.show(plan, run);
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
        view.clear();
        done
    }
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
fn stop_on_signals() -> Result<Arc<AtomicBool>> {
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
    let under_way = run.pending().filter(|pending| {
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
fn config_file(named: Option<&str>, begun: Option<&str>, folder: &Path) -> Option<PathBuf> {
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

fn absolute(path: &Path) -> Result<Text> {
    let whole = std::path::absolute(path);
    let whole = whole.with_context(|| format!("cannot use `{}`", path.display()))?;
    Ok(whole.to_string_lossy().into())
}

fn people(answers: Option<&str>, is_stub: bool) -> Result<Box<dyn People>> {
    Ok(match answers {
        Some("ask") => Box::new(Terminal),
        Some(file) => Box::new(Listed { file: file.to_owned(), answers: read_list(file)? }),
        None if is_stub => Box::new(MadeUp),
        None => Box::new(Terminal),
    })
}

fn read_list(file: &str) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read `{file}`"))?;
    match json::parse(&text) {
        Ok(Value::List(items)) => Ok(items.to_vec()),
        _ => bail!("`{file}` must be a JSON array of answers"),
    }
}

/// Takes the first option, in lower case, as the stub models do; else something that fits.
struct MadeUp;

impl People for MadeUp {
    fn answer(&self, question: &Question, _: u64) -> Option<Result<Value, Fault>> {
        let answer = match (question.options.first(), &question.default, &question.schema) {
            (Some(Value::Text(option)), ..) => Value::text(option.to_lowercase()),
            (Some(option), ..) => option.clone(),
            (None, Some(default), _) => default.clone(),
            (None, None, Some(schema)) => made_up(schema),
            (None, None, None) => "approve".into(),
        };
        Some(fitting(question, answer, "a stub"))
    }
}

/// Something of the type that a JSON Schema wants.
fn made_up(schema: &Value) -> Value {
    let first = |name: &str| schema.get(name).and_then(Value::as_list)?.first().cloned();
    let own = schema.get("const").cloned().or_else(|| first("enum"));
    let own = own.or_else(|| schema.get("default").cloned());
    let least = || schema.get("minimum").cloned().unwrap_or(Value::Int(1));
    let members = |names: &[Value]| {
        names
            .iter()
            .filter_map(Value::as_text)
            .map(|name| {
                let member = schema.get("properties").and_then(|members| members.get(name));
                (name.clone(), member.map_or_else(|| "stub".into(), made_up))
            })
            .collect::<Map>()
    };
    let kind = schema.get("type").and_then(Value::as_text).map(|kind| &**kind);
    own.unwrap_or_else(|| match kind {
        Some("string") => "stub".into(),
        Some("integer" | "number") => least(),
        Some("boolean") => true.into(),
        Some("array") => Value::list([]),
        Some("null") => Value::Null,
        Some("object") => {
            members(schema.get("required").and_then(Value::as_list).unwrap_or_default()).into()
        }
        _ => "approve".into(),
    })
}

/// Takes answers from a list.
struct Listed {
    file: String,
    answers: Vec<Value>,
}

impl People for Listed {
    fn answer(&self, question: &Question, nth: u64) -> Option<Result<Value, Fault>> {
        let at = usize::try_from(nth).unwrap_or(usize::MAX);
        Some(match at.checked_sub(1).and_then(|at| self.answers.get(at)) {
            Some(answer) => {
                fitting(question, answer.clone(), &format!("answer {nth} of `{}`", self.file))
            }
            None => {
                let there = output::plural(self.answers.len(), "answer");
                let (prompt, file) = (&question.prompt, &self.file);
                let message =
                    format!("there is no answer {nth} to `{prompt}`: `{file}` has {there}");
                Err(no_answer(message))
            }
        })
    }
}

/// An answer, if it can be one.
fn fitting(question: &Question, answer: Value, whose: &str) -> Result<Value, Fault> {
    match question.refuses(&answer) {
        None => Ok(answer),
        Some(why) => {
            let message = format!("{whose} cannot answer `{}`: {why}", question.prompt);
            Err(no_answer(message))
        }
    }
}

/// The run only records that there was none: why is told here.
fn no_answer(message: String) -> Fault {
    output::note(&format!("note: {message}"));
    Fault::new(FaultKind::Input, message)
}

/// Asks on the terminal, where there is one.
struct Terminal;

impl People for Terminal {
    fn answer(&self, question: &Question, _: u64) -> Option<Result<Value, Fault>> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        let options: Vec<String> = question.options.iter().map(shown).collect();
        loop {
            output::note(&format!("? {}", question.prompt));
            if !options.is_empty() {
                output::note(&format!("  one of: {}", options.join(", ")));
            }
            let _ = write!(std::io::stderr(), "> ");
            let mut line = String::new();
            match std::io::stdin().read_line(&mut line) {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
            let value = written(line.trim());
            match question.refuses(&value) {
                None => return Some(Ok(value)),
                Some(why) => output::note(&why),
            }
        }
    }
}

/// JSON if it is that, else text.
pub(crate) fn written(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|_| Value::text(text))
}

fn shown(value: &Value) -> String {
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

/// The limits that were given, over those that there are.
pub(crate) fn limit(limits: &mut runtime::Limits, choice: &LimitChoice) -> Result<()> {
    let set = |own: &mut u64, given: Option<u64>| *own = given.unwrap_or(*own);
    set(&mut limits.visits, choice.max_visits);
    set(&mut limits.steps, choice.max_steps);
    set(&mut limits.depth, choice.max_depth);
    set(&mut limits.fibers, choice.max_fibers);
    set(&mut limits.in_flight, choice.max_in_flight);
    if limits.in_flight == 0 {
        bail!("`--max-in-flight 0` would let nothing leave");
    }
    limits.tokens = choice.max_tokens.or(limits.tokens);
    if let Some(cost) = &choice.max_cost {
        let parsed = runtime::Money::parse(cost);
        limits.cost = Some(parsed.with_context(|| format!("`{cost}` is no amount of money"))?);
    }
    if let Some(time) = &choice.max_time {
        limits.time_ms = Some(milliseconds(time)?);
    }
    for words in &choice.max_calls {
        let parsed = words.split_once('=').and_then(|(tool, n)| Some((tool, n.parse().ok()?)));
        let (tool, most) =
            parsed.with_context(|| format!("`{words}` is no limit; write `TOOL=N`"))?;
        limits.calls.insert(tool.into(), most);
    }
    Ok(())
}

/// Says which limits are for tools that an agent does not have.
pub(crate) fn remind_of_limits(plan: &Plan, choice: &LimitChoice) {
    let tools = plan.tools();
    for words in &choice.max_calls {
        let tool = words.split_once('=').map_or(words.as_str(), |(tool, _)| tool);
        if !tools.iter().any(|known| **known == *tool) {
            output::note(&format!("note: `--max-calls {words}`: the agent has no tool `{tool}`"));
        }
    }
}

fn milliseconds(words: &str) -> Result<u64> {
    let split = words.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (number, unit) = words.split_at(split.unwrap_or(words.len()));
    let factor = match unit {
        "ms" => 1.0,
        "" | "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => bail!("`{words}` is no time; write seconds, or `90s`, `5m`, `2h`"),
    };
    let number: f64 = number.parse().with_context(|| format!("`{words}` is no time"))?;
    Ok((number * factor) as u64)
}

/// What a run came to, as scripts get it.
pub(crate) fn document(plan: &Plan, run: &Run, stopped: Stopped) -> Map {
    let status = match (run.status(), stopped) {
        (Status::Done, _) => "done",
        (Status::Failed, _) => "failed",
        (Status::Cancelled, _) => "cancelled",
        (_, Stopped::Paused) => "paused",
        _ => "waiting",
    };
    let (path, omitted) = run.path(plan);
    let state = run.state(plan);
    let state = state.iter().filter(|(name, _)| !name.starts_with('_'));
    let error = run.failure().map(|failure| {
        let mut members = vec![
            ("code", Value::text(failure.fault.kind.word())),
            ("message", Value::Text(failure.fault.message.clone())),
            ("node", failure.at.clone().into()),
            ("event", failure.event.map(|event| event.to_string()).into()),
        ];
        members.extend(failure.fault.details.clone().map(|details| ("details", details)));
        Value::map(members)
    });
    let mut members: Map = [
        ("run", Value::Text(run.id().clone())),
        ("status", status.into()),
        ("result", run.result().clone()),
        ("state", Value::map(state.map(|(name, value)| (name.clone(), value.clone())))),
        ("path", Value::list(path.map(|label| Value::Text(label.clone())))),
        ("usage", usage(run)),
        ("error", error.into()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into_iter()
    .collect();
    if omitted > 0 {
        members.insert("path_omitted".into(), count(omitted));
    }
    let questions: Vec<Value> = run
        .pending()
        .filter_map(|pending| match &pending.request {
            runtime::Request::Question(question) => Some(Value::Text(question.id.clone())),
            _ => None,
        })
        .collect();
    if !questions.is_empty() {
        members.insert("questions".into(), Value::list(questions));
    }
    members
}

fn usage(run: &Run) -> Value {
    let usage = run.usage();
    Value::map([
        ("model_calls", count(u64::from(usage.model_calls))),
        ("tool_calls", count(usage.tool_calls)),
        ("prompt_tokens", count(usage.prompt_tokens)),
        ("completion_tokens", count(usage.completion_tokens)),
        ("total_tokens", count(usage.prompt_tokens + usage.completion_tokens)),
        ("cost", Value::text(usage.cost.to_string())),
        ("steps", count(usage.steps)),
        ("visits", count(usage.visits)),
    ])
}

/// Prints what a run came to, and says how it ended. `more` is added to the document.
pub(crate) fn report(
    store: &dyn Store,
    plan: &Plan,
    run: &Run,
    stopped: Stopped,
    is_json: bool,
    more: Map,
) -> Result<Outcome> {
    if is_json {
        let mut members = document(plan, run, stopped);
        members.extend(more);
        output::print_json(&members.into())?;
    } else {
        tell(run, stopped, failed_at(store, run)?)?;
    }
    Ok(match (run.status(), stopped) {
        (Status::Done, _) => Outcome::Fine,
        (Status::Failed | Status::Cancelled, _) => Outcome::Found,
        (_, Stopped::Paused) => Outcome::Interrupted,
        _ => Outcome::Waiting,
    })
}

/// Prints what a driven run came to. The store knows from where it can go on.
pub(crate) fn report_on(
    store: &dyn Store,
    (plan, run, stopped): (Arc<Plan>, Run, Stopped),
    is_json: bool,
) -> Result<Outcome> {
    let remedy = remedy(store, &run)?;
    let mut more = Map::default();
    more.extend(remedy.as_ref().map(|command| ("next".into(), Value::text(&**command))));
    let outcome = report(store, &plan, &run, stopped, is_json, more);
    if let (false, Some(command)) = (is_json, remedy) {
        output::note(&format!("if it happened:  {command}"));
        output::note("                 where VALUE is what it answered, as JSON or text");
        output::note(&format!("if it did not:   {}", without_output(&command)));
    }
    outcome
}

fn without_output(command: &str) -> &str {
    command.split_once(" --output").map_or(command, |(command, _)| command)
}

/// How to go on with a run that failed because calls were in doubt: from before that was noticed.
fn remedy(store: &dyn Store, run: &Run) -> Result<Option<String>> {
    if run.failure().is_none_or(|failure| failure.fault.kind != FaultKind::Interrupted) {
        return Ok(None);
    }
    let stream = Stream::Run(run.id().clone());
    let Some(info) = store.stream(&stream)? else { return Ok(None) };
    let found = store.read_kinds(&stream, &[Kind::Interruption], info.first, info.next, MOST)?;
    let Some(last) = found.last() else { return Ok(None) };
    let Some(What::Interruption(interruption)) = store.fact(&last.event)?.map(|it| it.what) else {
        return Ok(None);
    };
    let calls = store.read_kinds(&stream, &[Kind::ToolCall], info.first, info.next, MOST)?;
    let before = last.seq.saturating_sub(1);
    let mut command = format!("quipu fork {stream}@{before} --live{}", same_store());
    for call in calls {
        let id = call.event.id();
        let is_in_doubt = interruption.affects.iter().any(|affected| affected.event_id == id);
        let at =
            if is_in_doubt { store.fact(&call.event)?.and_then(|it| it.common.at) } else { None };
        if let Some(at) = at {
            command.push_str(&format!(" --output {at}=VALUE"));
        }
    }
    Ok(Some(command))
}

/// Enough to find what a run ended with.
const MOST: usize = 1_000_000;

/// A run that could not be driven any further, or not by us: nothing of it is lost.
pub(crate) fn not_driven(
    store: &dyn Store,
    run: &str,
    error: anyhow::Error,
    is_json: bool,
) -> Result<Outcome> {
    // What cannot be read either is said by the error.
    let is_begun = store.stream(&Stream::run(run)).ok().flatten().is_some();
    let (code, next) = match error.downcast_ref::<DriveError>() {
        Some(DriveError::Append(AppendError::Exists(_))) => {
            bail!("there is a run `{run}` already; `quipu resume {run}` goes on with it")
        }
        Some(DriveError::Held { .. } | DriveError::TakenOver) => {
            ("HELD", format!("quipu log {run}"))
        }
        Some(DriveError::Append(_)) if !is_begun => ("STOPPED", "quipu run".to_owned()),
        Some(DriveError::Append(_) | DriveError::Refused(_)) => {
            ("STOPPED", format!("quipu resume {run}"))
        }
        Some(DriveError::Load(_)) | None => return Err(error),
    };
    if is_json {
        let why = Value::map([
            ("code", code.into()),
            ("message", output::told(&error).into()),
            ("next", Value::text(&*next)),
        ]);
        let members = [("ok", false.into()), ("run", run.into()), ("error", why)];
        output::print_json(&Value::map(members))?;
    } else {
        output::complain(&error);
        let what = match code {
            "HELD" => "how far it is",
            _ if !is_begun => "the same command again: nothing was begun",
            _ => "go on, once that is put right: nothing of the run is lost",
        };
        self::next(&[(&next, what)]);
    }
    Ok(Outcome::Found)
}

/// The last answer before a run failed; where there was none, its end.
fn failed_at(store: &dyn Store, run: &Run) -> Result<Option<u64>> {
    const ANSWERS: [Kind; 4] =
        [Kind::ToolResult, Kind::ModelResponse, Kind::QuestionAnswered, Kind::TimerFired];
    let stream = Stream::Run(run.id().clone());
    let Some(info) = store.stream(&stream)? else { return Ok(None) };
    let end = store.last_of(&stream, &[Kind::RunFinished], info.next)?;
    let Some(end) = end.map(|end| end.seq) else { return Ok(None) };
    let answer = store.last_of(&stream, &ANSWERS, end)?;
    Ok(Some(answer.map_or(end, |answer| answer.seq)))
}

/// What a run came to, for people.
fn tell(run: &Run, stopped: Stopped, failed_at: Option<u64>) -> Result<()> {
    let id = run.id();
    let usage = run.usage();
    let mut took = vec![output::plural(usage.visits, "process").replace("processs", "processes")];
    if usage.model_calls > 0 {
        took.push(output::plural(u64::from(usage.model_calls), "model call"));
        took.push(output::plural(usage.prompt_tokens + usage.completion_tokens, "token"));
    }
    if usage.tool_calls > 0 {
        took.push(output::plural(usage.tool_calls, "tool call"));
    }
    let took = took.join(", ");
    match (run.status(), stopped) {
        (Status::Done, _) => {
            if *run.result() != Value::Null {
                output::print(&pretty(run.result()))?;
            }
            output::note(&format!("done: {took} (run {id})"));
            next(&[
                (&format!("quipu log {id}"), "what happened, event by event"),
                (&format!("quipu why {id}"), "why it went the way it went"),
                (&format!("quipu replay {id}"), "the same again, without calling anything"),
            ]);
        }
        (Status::Failed, _) => {
            let failure = run.failure();
            let at = failure.and_then(|failure| failure.at.as_deref()).unwrap_or("the run");
            let told = failure.map(|failure| failure.fault.to_string()).unwrap_or_default();
            output::note(&format!("failed at {at}: {told}"));
            failure.and_then(effect).inspect(|effect| output::note(&format!("  {effect}")));
            let code = failure.map_or("failed", |failure| failure.fault.kind.word());
            let help = runtime::FAULTS.iter().find(|(word, ..)| *word == code);
            let because = failed_at.unwrap_or(0);
            let before = because.saturating_sub(1);
            if let Some((_, _, help)) = help {
                let help = help.replace("fork RUN@SEQ", &format!("fork {id}@{before}"));
                let help = help.replace("RUN@SEQ", &format!("{id}@{because}"));
                output::note(&format!("  {}", help.replace("RUN", id).replace("NODE", at)));
            }
            output::note(&format!("  {took} (run {id})"));
            next(&[
                (&format!("quipu log {id}"), "what happened, event by event"),
                (&format!("quipu why {id}@{because}"), "what led there"),
                (&format!("quipu fork {id}@{before}"), "go on from before it, with other values"),
            ]);
        }
        (Status::Cancelled, _) => output::note(&format!("cancelled: {took} (run {id})")),
        (_, Stopped::Paused) => {
            output::note(&format!("paused: {took} (run {id})"));
            next(&[(&format!("quipu resume {id}"), "go on")]);
        }
        _ => {
            output::note(&format!("waiting for a person: {took} (run {id})"));
            for pending in run.pending() {
                if let runtime::Request::Question(question) = &pending.request {
                    let options = question.options.iter().map(|option| quoted(&shown(option)));
                    let options: Vec<String> = options.collect();
                    let choice =
                        if options.is_empty() { "VALUE".to_owned() } else { options.join("|") };
                    output::note(&format!("  {}", question.prompt));
                    output::note(&format!(
                        "  quipu answer {} {choice}{}",
                        question.id,
                        same_store()
                    ));
                }
            }
            output::note(&format!("then: quipu resume {id}{}", same_store()));
        }
    }
    Ok(())
}

/// Which attempt it was, and whether what a tool does may have been done although it failed.
fn effect(failure: &runtime::Failure) -> Option<String> {
    let details = failure.fault.details.as_ref()?;
    let attempt = match details.get("attempt") {
        Some(Value::Int(attempt)) => format!("attempt {attempt}"),
        _ => return None,
    };
    Some(match details.get("may_have_happened") {
        Some(Value::Bool(true)) => format!("{attempt}; what it does may have happened"),
        Some(Value::Bool(false)) => format!("{attempt}; nothing has happened"),
        _ => attempt,
    })
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_safe = |letter: char| letter.is_alphanumeric() || "-_./:@%+,".contains(letter);
    match !word.is_empty() && word.chars().all(is_safe) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// What commands need to find the store that this one was told.
fn same_store() -> String {
    opened::named().map_or_else(String::new, |store| format!(" --store {}", quoted(store)))
}

fn next(commands: &[(&str, &str)]) {
    let commands: Vec<(String, &str)> = commands
        .iter()
        .map(|(command, what)| (format!("{command}{}", same_store()), *what))
        .collect();
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    for (at, (command, what)) in commands.iter().enumerate() {
        let lead = if at == 0 { "next:" } else { "     " };
        output::note(&format!("{lead} {}  {what}", output::filled(command, width)));
    }
}

/// A value for people: texts as they are, the rest as JSON.
pub(crate) fn pretty(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => json::pretty(other),
    }
}

/// Shows how a run comes along, on a terminal only.
struct View {
    bar: Option<indicatif::ProgressBar>,
    began: Instant,
}

impl View {
    fn new(quiet: bool) -> View {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        let bar = is_shown.then(|| {
            let bar = indicatif::ProgressBar::new_spinner();
            let style = indicatif::ProgressStyle::with_template("{spinner} {wide_msg}");
            bar.set_style(style.expect("the template is right"));
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        });
        View { bar, began: Instant::now() }
    }

    fn show(&self, plan: &Plan, run: &Run) {
        let Some(bar) = &self.bar else { return };
        let usage = run.usage();
        let places = run.places(plan);
        let at = places.first().map_or("", |at| at);
        bar.set_message(format!(
            "{}  {:.1} s, {} calls, {} tokens",
            diagnostics::plain(at),
            self.began.elapsed().as_secs_f64(),
            u64::from(usage.model_calls) + usage.tool_calls,
            usage.prompt_tokens + usage.completion_tokens,
        ));
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The run that a stream is.
pub(crate) fn run_stream(stream: &Stream) -> Result<()> {
    if stream.run_id().is_none() {
        bail!("`{stream}` is no run");
    }
    Ok(())
}
