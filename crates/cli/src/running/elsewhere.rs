//! Runs that were not begun in this store: an import brought them. What their histories say is data.
//! They name files, models, answers, permissions and limits as whoever wrote them liked, so that
//! none of it is followed: who goes on with such a run says what to use.

use anyhow::{Result, bail};
use diagnostics::plain;
use history::Stream;
use host::begun_here;
use runtime::{Limits, Options, Plan, Request, Run, ToolContract};
use store::Store;
use value::Text;

use super::Around;
use super::report::{quoted, same_store};
use crate::args::running::WorldChoice;

/// What a run was begun with, as far as it is followed.
pub(crate) struct Begun {
    /// Whether that was here.
    pub(crate) here: bool,
    /// What counts of it.
    pub(crate) options: Options,
}

impl Begun {
    /// Looks where a run was begun, up to an event where that is given. Nothing that it names is
    /// opened.
    pub(crate) fn of(
        store: &dyn Store,
        stream: &Stream,
        until: Option<u64>,
        recorded: &Options,
    ) -> Result<Begun> {
        let mut options = recorded.clone();
        let here = begun_here(store, stream, until)?;
        if !here {
            (options.model, options.config, options.answers) = (None, None, None);
            options.llm = None;
        }
        Ok(Begun { here, options })
    }

    /// A run that was begun elsewhere goes on only with what its operator says.
    pub(crate) fn refuse_without_words(
        &self,
        recorded: &Options,
        choice: &WorldChoice,
        command: &str,
        at: &str,
    ) -> Result<()> {
        let lacks_config = choice.config.is_none() && !choice.no_config;
        let lacks_model = recorded.model.is_some() && choice.model.is_none();
        if self.here || !(lacks_config || lacks_model) {
            return Ok(());
        }
        let names = [
            ("the configuration", &recorded.config),
            ("the model", &recorded.model),
            ("the answers", &recorded.answers),
        ];
        let names = names.into_iter().filter_map(|(what, name)| Some((what, name.as_deref()?)));
        let names: Vec<String> =
            names.map(|(what, name)| format!("{what} `{}`", plain(name))).collect();
        let named = match names.is_empty() {
            true => String::new(),
            false => format!(" (it names {})", names.join(", ")),
        };
        let model = match (&choice.model, &recorded.model) {
            (Some(model), _) => format!(" --model {}", quoted(model)),
            (None, Some(_)) => " --model MODEL".to_owned(),
            // Every agent asks its own.
            (None, None) => String::new(),
        };
        let config = match &choice.config {
            Some(file) => format!("--config {}", quoted(file)),
            None if choice.no_config => "--no-config".to_owned(),
            None => "--config FILE".to_owned(),
        };
        let (run, store) = (quoted(at), same_store());
        bail!(
            "`{}` was not begun in this store: an import brought it, or it is older than what the \
             store knows of that. Nothing that its history names is opened{named}. Say what to use:\
             \n\n  \
             quipu {command} {run} {config}{model}{store}\n  \
             quipu fork {run} --no-config --model stub:high{store}\n\n\
             The first goes on with your tools (`--no-config` binds none), the second tries it with \
             answers that are made up. `log`, `why`, `state`, `replay` and `answer` need neither.",
            plain(at)
        )
    }
}

impl Around {
    /// What a history says of tools, grants and limits holds for a whole run. Where somebody else
    /// wrote it, it must be what holds here, or the run does not go on. A fork takes what holds
    /// here.
    pub(crate) fn refuse_other_terms(&self, run: &Run, plan: &Plan, name: &str) -> Result<()> {
        let recorded = run.options();
        let mut own = recorded.clone();
        self.pin(&mut own, plan);
        let mut found = Vec::new();
        let mut tools = plan.tools();
        tools.extend(plan.adapters());
        tools.extend(recorded.tools.keys().cloned());
        tools.sort();
        tools.dedup();
        for tool in &tools {
            if recorded.tools.get(tool) != self.known(tool).as_ref() {
                found.push(format!(
                    "what `{}` does and needs is not what is bound here",
                    plain(tool)
                ));
            } else if recorded.offers.get(tool) != own.offers.get(tool) {
                found.push(format!("models are told something else of `{}`", plain(tool)));
            }
        }
        let granted = recorded.grants.iter().filter(|grant| !self.grants.contains(grant));
        found.extend(granted.map(|grant| format!("it is granted `{}`", plain(grant))));
        if recorded.llm.is_some() && recorded.llm != own.llm {
            found.push("it asks another model where none is named".to_owned());
        }
        if recorded.live {
            found.push("it is a fork that writes (`--live`)".to_owned());
        }
        if recorded.rehearsal != own.rehearsal {
            let is = if recorded.rehearsal { "is" } else { "is no" };
            found.push(format!("it {is} rehearsal, which goes by the model"));
        }
        found.extend(more_than_usual(&recorded.limits).map(|limit| format!("it may use {limit}")));
        if found.is_empty() {
            return self.refuse_other_calls(run, name);
        }
        let found: Vec<String> = found.iter().map(|one| format!("\n  {one}")).collect();
        bail!(
            "`{name}` was not begun in this store, and its history allows what you do not:{}\n\
             It cannot go on like that. A fork goes by what you say (`--live` lets it write, \
             `--max-...` sets limits): `quipu fork {} --config FILE --model MODEL{}`",
            found.concat(),
            quoted(name),
            same_store()
        )
    }

    /// What holds here for a tool, or for what is called as `namespace.VERB`.
    fn known(&self, name: &str) -> Option<ToolContract> {
        self.registry.resolve(name).or_else(|| self.registry.resolve_adapter(name))
    }

    /// What waits to be called was written down elsewhere, with what it touches and how it may run
    /// again.
    pub(crate) fn refuse_other_calls(&self, run: &Run, name: &str) -> Result<()> {
        let is_other = |call: &&runtime::ToolCall| {
            let name = call.name();
            let here = self.known(&name).unwrap_or(ToolContract::UNKNOWN);
            let is_bound = self.registry.is_bound(&name) || self.registry.is_adapter_bound(&name);
            call.store.is_none()
                && is_bound
                && (call.touches, call.again) != (here.touches, here.again)
        };
        let calls = run.pending().filter_map(|pending| match &pending.request {
            Request::Tool(call) => Some(&**call),
            _ => None,
        });
        let other: Vec<String> =
            calls.filter(is_other).map(|call| format!("`{}`", plain(&call.name()))).collect();
        if other.is_empty() {
            return Ok(());
        }
        bail!(
            "`{name}` was not begun in this store, and waits for {}, of which its history says \
             something else than what is bound here: fork it at an event before that \
             (`quipu log {}`, then `quipu fork RUN@SEQ`)",
            other.join(", "),
            quoted(name)
        )
    }
}

/// The limits of a run that was begun elsewhere: at most what holds where nobody says anything.
pub(crate) fn usual_at_most(limits: &mut Limits) {
    let usual = Limits::default();
    for (own, usual) in [
        (&mut limits.visits, usual.visits),
        (&mut limits.steps, usual.steps),
        (&mut limits.depth, usual.depth),
        (&mut limits.fibers, usual.fibers),
        (&mut limits.in_flight, usual.in_flight),
        (&mut limits.talk, usual.talk),
    ] {
        *own = (*own).min(usual);
    }
}

fn more_than_usual(limits: &Limits) -> impl Iterator<Item = String> {
    let usual = Limits::default();
    let each = [
        (limits.visits, usual.visits, "processes"),
        (limits.steps, usual.steps, "steps"),
        (limits.depth, usual.depth, "calls within calls"),
        (limits.fibers, usual.fibers, "branches at the same time"),
        (limits.in_flight, usual.in_flight, "effects at the same time"),
        (limits.talk, usual.talk, "answers of a model at one node"),
    ];
    let more = each.into_iter().filter(|(own, usual, _)| own > usual);
    more.map(|(own, usual, what)| format!("{own} {what}, where {usual} are usual"))
}

/// The policy under which a run of somewhere else goes on: the one that is in force here, if there
/// is one.
pub(crate) fn policy_here(store: &dyn Store, run: &Run) -> Result<Option<Text>> {
    Ok(host::policy::in_force(store, run.agent())?.map(|active| active.digest))
}
