//! The engine's core, driven as a host would, with a [`Desk`] in the place of the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph::{Again, Graph, Touches};
use history::Timestamp;
use history::kinds::{Blob, Fact, Sealed};
use runtime::{
    Answer, Begin, CallId, Difference, Fold, Input, Options, Pending, Plan, Refusal, Request, Run,
    Stage, ToolContract, advance,
};
use value::{Map, Text, Value};

use super::Limits;
use super::blocks::Blocks;
use super::desk::Desk;
use super::naive::BEGIN_MICROS;
use super::outcome::{Outcome, Status, comparable};
use super::world::{Reply, World};

/// An event with what it says.
#[derive(Clone, Debug)]
pub struct Logged {
    /// The event as it is stored.
    pub sealed: Sealed,
    /// What it says.
    pub fact: Fact,
}

impl Logged {
    /// Reads what an event says.
    pub fn new(sealed: Sealed) -> Logged {
        let fact = sealed.event.fact_with(|id| {
            let blob = sealed.blobs.iter().find(|blob| blob.id() == id)?;
            Blob::read(blob.bytes())
        });
        let fact = fact.expect("the engine's own events say what they are");
        Logged { sealed, fact }
    }
}

/// How a run is begun.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What it may take.
    pub limits: Limits,
    /// Whether nobody else goes on while a fiber waits for an answer.
    pub in_turn: bool,
    /// How every tool may run again.
    pub again: Again,
    /// What else it may take: tokens, calls under way at the same time, and so on.
    pub budgets: Budgets,
    /// Who runs blocks of logic.
    pub blocks: Blocks,
    /// Whether a policy decides about calls of tools.
    pub has_policy: bool,
}

/// The digest of the policy that a run is begun with, or comes to have.
pub fn policy(number: usize) -> Text {
    format!("{:x}", value::Digest::of(format!("policy {number}").as_bytes())).into()
}

/// What a run may take beside what every interpreter counts.
#[derive(Clone, Debug, Default)]
pub struct Budgets {
    /// Calls under way at the same time.
    pub in_flight: Option<u64>,
    /// Tokens of all models.
    pub tokens: Option<u64>,
    /// Milliseconds since the run began.
    pub time_ms: Option<u64>,
    /// Calls of each tool.
    pub calls: Option<u64>,
    /// Calls of each tool that are under way at the same time, where they are recorded when they
    /// leave. It is no option of the run: whoever drives it has no more room.
    pub room: Option<usize>,
}

impl Setup {
    /// As the naive interpreter runs: in turn. Tools may run again with their key.
    pub fn in_turn(limits: &Limits) -> Setup {
        Setup {
            limits: limits.clone(),
            in_turn: true,
            again: Again::WithKey,
            budgets: Budgets::default(),
            blocks: Blocks::default(),
            has_policy: false,
        }
    }

    /// As a world is.
    pub fn of(world: &World, limits: &Limits) -> Setup {
        Setup { again: world.again, has_policy: world.has_policy, ..Setup::in_turn(limits) }
    }

    /// What the run is begun with.
    pub fn options(&self, plan: &Plan) -> Options {
        let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let contract =
            ToolContract { touches: Touches::Write, again: self.again, ..ToolContract::UNKNOWN };
        Options {
            limits: runtime::Limits {
                visits: number(self.limits.visits),
                // What counts as a step is the engine's business.
                steps: 10 * number(self.limits.steps),
                // The first activation of a fiber is no call.
                depth: number(self.limits.depth).saturating_sub(1),
                fibers: number(self.limits.fibers),
                in_flight: self.budgets.in_flight.unwrap_or(64),
                tokens: self.budgets.tokens,
                time_ms: self.budgets.time_ms,
                calls: match self.budgets.calls {
                    Some(most) => plan.tools().into_iter().map(|tool| (tool, most)).collect(),
                    None => Default::default(),
                },
                ..runtime::Limits::default()
            },
            in_turn: self.in_turn,
            policy: self.has_policy.then(|| policy(0)),
            tools: plan.tools().into_iter().map(|tool| (tool, contract.clone())).collect(),
            ..Options::default()
        }
    }
}

/// Something that is going to happen.
#[derive(Clone, Debug)]
pub struct Due {
    /// When, at the earliest.
    pub at: Timestamp,
    /// To which call.
    pub call: CallId,
    /// Whether it is carried out for it, or only comes to pass.
    pub is_carried_out: bool,
}

/// Drives one run.
pub struct Driver<'g> {
    /// What it runs by.
    pub plan: Arc<Plan>,
    /// The run.
    pub run: Run,
    /// Its events.
    pub log: Vec<Logged>,
    /// The run as its events leave it, one after the other; or where that was not possible.
    pub follows: Result<Fold, Box<Difference>>,
    /// How many events there were after each append.
    pub appends: Vec<usize>,
    /// Who answers.
    pub desk: Desk<'g>,
    /// What the clock says.
    pub now: Timestamp,
    /// Who runs blocks of logic.
    pub blocks: Blocks,
    /// How many calls of a tool may be under way.
    pub room: Option<usize>,
}

impl<'g> Driver<'g> {
    /// Begins a run.
    pub fn begin(
        plan: &Arc<Plan>,
        graph: &'g Graph,
        inputs: &Map,
        world: &World,
        setup: &Setup,
    ) -> Driver<'g> {
        let mut driver = Driver {
            run: Run::new(plan),
            plan: plan.clone(),
            log: Vec::new(),
            follows: Ok(Fold::new(plan.clone())),
            appends: Vec::new(),
            desk: Desk::new(graph, world.clone()),
            now: Timestamp::from_micros(BEGIN_MICROS),
            blocks: setup.blocks.clone(),
            room: setup.budgets.room,
        };
        let begin = Begin {
            run: "r1".into(),
            graph: "generated".into(),
            document: Value::text("generated"),
            inputs: inputs.clone(),
            options: setup.options(plan),
            seed: 7,
            versions: Map::default(),
        };
        driver.take(&Input::Begin(Box::new(begin))).expect("a new run can begin");
        driver
    }

    /// Takes an input in at the time that the clock says, and goes on as far as that leads.
    pub fn take(&mut self, input: &Input) -> Result<(), Refusal> {
        self.go_on(Some(input))
    }

    /// Goes on, with or without an input.
    pub fn go_on(&mut self, input: Option<&Input>) -> Result<(), Refusal> {
        let mut input = input;
        loop {
            let has_room = &mut self.has_room();
            let (run, now, blocks) = (&mut self.run, self.now, &mut self.blocks);
            let advanced = advance(&self.plan, run, input.take(), now, blocks, has_room)?;
            let more = advanced.more;
            self.append(advanced.events);
            if !more {
                return Ok(());
            }
        }
    }

    /// The calls of each tool that are under way, of those that are recorded when they leave.
    pub fn under_way(&self) -> BTreeMap<Text, usize> {
        let mut under_way = BTreeMap::new();
        for pending in self.run.pending().filter(|pending| pending.stage == Stage::Started) {
            if let Request::Tool(call) = &pending.request
                && call.again != Again::Freely
            {
                *under_way.entry(call.tool.clone()).or_default() += 1;
            }
        }
        under_way
    }

    /// Says whether there is room for a call, and keeps it.
    pub fn has_room(&self) -> impl FnMut(&Pending) -> bool + use<> {
        let (mut under_way, most) = (self.under_way(), self.room.unwrap_or(usize::MAX));
        move |pending| {
            let Request::Tool(call) = &pending.request else { return true };
            let count = under_way.entry(call.tool.clone()).or_default();
            *count += 1;
            *count <= most
        }
    }

    /// Keeps events, and hears what they ask for.
    pub fn append(&mut self, events: Vec<Sealed>) {
        if events.is_empty() {
            return;
        }
        for sealed in events {
            let logged = Logged::new(sealed);
            self.desk.hear(&logged.fact);
            if let Ok(fold) = &mut self.follows {
                let taken = follow(fold, self.log.len() as u64, &logged);
                if let Err(difference) = taken {
                    self.follows = Err(difference);
                }
            }
            self.log.push(logged);
        }
        self.appends.push(self.log.len());
    }

    /// Everything that is going to happen, in the order in which it was asked for.
    pub fn due(&self) -> Vec<Due> {
        let due = self.run.pending().filter_map(|pending| {
            let (at, is_carried_out) = match &pending.request {
                Request::Model(_) | Request::Tool(_)
                    if matches!(pending.stage, Stage::Started | Stage::Undecided) =>
                {
                    (pending.since, true)
                }
                Request::Model(_) | Request::Tool(_) => return None,
                Request::Timer(due) => (*due, false),
                Request::Question(_) => match self.desk.reply(pending) {
                    Reply::Silence => return None,
                    Reply::After(delay, _) => (later(pending.since, *delay), false),
                },
            };
            Some(Due { at, call: pending.id, is_carried_out })
        });
        due.collect()
    }

    /// Lets one thing happen.
    pub fn happen(&mut self, due: &Due) -> Result<(), Refusal> {
        let input = self.input_of(due);
        self.take(&input)
    }

    /// What comes back from a call, or what the policy says about it.
    pub fn input_of(&mut self, due: &Due) -> Input {
        self.now = self.now.max(due.at);
        let pending = self.run.pending_call(due.call).expect("it is waited for");
        if pending.stage == Stage::Undecided {
            let policy = self.run.policy().expect("without a policy nobody waits for one");
            return Input::Decided(due.call, Box::new(self.desk.ruling(&pending.name, policy)));
        }
        Input::Answer(due.call, self.answer_to(due))
    }

    fn answer_to(&mut self, due: &Due) -> Answer {
        let pending = self.run.pending_call(due.call).expect("it is waited for");
        match &pending.request {
            Request::Model(_) | Request::Tool(_) => self.desk.carry_out(pending),
            Request::Timer(_) => Answer::Due,
            Request::Question(_) => match self.desk.reply(pending) {
                Reply::After(_, value) => Answer::Person(value.clone(), None),
                Reply::Silence => unreachable!("nobody answers this"),
            },
        }
    }

    /// What happens next where calls are answered at once, in the order of asking, and time passes
    /// only while nothing else can happen.
    pub fn next(&self) -> Option<Due> {
        let due = self.due();
        let at_once = due.iter().find(|one| one.is_carried_out);
        at_once.or_else(|| due.iter().min_by_key(|one| (one.at, one.call))).cloned()
    }

    /// Drives the run to its end.
    pub fn to_end(&mut self) {
        while !self.run.is_over() {
            let next = self.next().expect("a run that has not ended waits for something");
            self.happen(&next).expect("what is waited for is taken");
        }
    }

    /// What it came to.
    pub fn outcome(&self) -> Outcome {
        let status = match (self.run.status(), self.run.failure()) {
            (runtime::Status::Done, _) => Status::Done(self.run.result().clone()),
            (_, Some(failure)) => Status::Failed(failure.fault.kind.word().into()),
            (status, None) => unreachable!("a run that has ended is not {status:?}"),
        };
        Outcome {
            status,
            state: comparable(&self.run.state(&self.plan)),
            path: self.run.path(&self.plan).0.cloned().collect(),
            effects: self.desk.asked.clone(),
        }
    }
}

/// Takes one more event in as a host does: one that the engine derives is not read.
pub fn follow(fold: &mut Fold, seq: u64, logged: &Logged) -> Result<(), Box<Difference>> {
    let Logged { sealed, fact } = logged;
    match fold.take_derived(&sealed.event, &mut Blocks::default()) {
        Some(derived) if *derived == *fact => Ok(()),
        Some(derived) => Err(Box::new(Difference {
            seq,
            recorded: sealed.event.clone(),
            derived: None,
            why: Some(format!("unread it says {derived:?}")),
        })),
        None => Ok(fold.take(seq, &sealed.event, fact, &mut Blocks::default())?),
    }
}

/// Folds a log, reads every event of it, and says where the engine would have done something else.
pub fn fold<'l>(
    plan: &Arc<Plan>,
    log: impl IntoIterator<Item = &'l Logged>,
) -> Result<Fold, Box<Difference>> {
    let mut fold = Fold::new(plan.clone());
    for (seq, logged) in (0..).zip(log) {
        fold.take(seq, &logged.sealed.event, &logged.fact, &mut Blocks::default())?;
    }
    Ok(fold)
}

/// So many milliseconds after a moment.
pub fn later(moment: Timestamp, delay_ms: u64) -> Timestamp {
    let micros = i64::try_from(delay_ms).unwrap_or(i64::MAX).saturating_mul(1_000);
    Timestamp::from_micros(moment.micros().saturating_add(micros))
}

/// Runs a graph to its end.
pub fn run(graph: &Graph, inputs: &Map, world: &World, limits: &Limits) -> Outcome {
    let plan = Arc::new(Plan::new(graph).expect("a graph without errors can run"));
    let setup = Setup::of(world, limits);
    let mut driver = Driver::begin(&plan, graph, inputs, world, &setup);
    driver.to_end();
    driver.outcome()
}
