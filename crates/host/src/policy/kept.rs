//! Where policies are: proposed and put in force by events, found from events, kept in the store.

use std::collections::BTreeMap;

use history::kinds::records::{ExtRef, Ref, TestsSummary};
use history::kinds::{Blob, Common, Kind, PolicyActivated, PolicyProposed, Sealed, What};
use history::{BlobId, Ledger, Lineage, Stream, Timestamp, Visit};
use store::{Append, AppendError, Durability, Expected, Store, StoreError, append_checked};
use value::{Text, Value, json};

use super::tested::{summary, tests_of};
use super::{Policy, Test, Tested};

/// The agent under whose name a policy stands that is for all of them.
pub const ALL_AGENTS: &str = "*";

/// A policy that was proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Names it: the digest of the program with its tests.
    pub policy_ref: Text,
    /// For which agent.
    pub agent: Text,
    /// The digest of the program, which decisions name.
    pub digest: Text,
    /// When.
    pub ts: Timestamp,
    /// How its tests came out then.
    pub tests: Option<TestsSummary>,
    /// What was noted.
    pub notes: Option<Text>,
}

/// That a policy came into force.
#[derive(Clone, Debug, PartialEq)]
pub struct Activation {
    /// Which proposal.
    pub policy_ref: Text,
    /// For which agent.
    pub agent: Text,
    /// The digest of the program.
    pub digest: Text,
    /// When.
    pub ts: Timestamp,
    /// Who did it.
    pub actor: Option<Text>,
    /// Whether that was here. What an import brings is told, and puts nothing in force.
    pub here: bool,
}

/// Something that happened to a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It was proposed.
    Proposed(Proposal),
    /// It came into force.
    Activated(Activation),
}

/// Why a policy does not come into force.
#[derive(Debug, thiserror::Error)]
pub enum ActiveError {
    /// It is not there, or cannot be read.
    #[error("{0}")]
    Unusable(String),
    /// It has no tests.
    #[error("it has no tests: propose it with `--tests FILE`")]
    Untested,
    /// Its tests fail.
    #[error("{} of its tests fail", .0.iter().filter(|one| !one.passes()).count())]
    Failing(Vec<Tested>),
    /// The store.
    #[error("{0}")]
    Append(#[from] AppendError),
}

impl From<StoreError> for ActiveError {
    fn from(error: StoreError) -> ActiveError {
        ActiveError::Append(error.into())
    }
}

/// Keeps a program, so that a run can name it.
pub fn keep(store: &dyn Store, policy: &Policy) -> Result<(), AppendError> {
    store.put_blobs(&[policy.document()], Durability::Group)
}

/// Proposes a policy with its tests. They are run, and how they come out is recorded.
pub fn propose(
    store: &dyn Store,
    policy: &mut Policy,
    tests: &[Test],
    agent: &Text,
    notes: Option<Text>,
    now: Timestamp,
) -> Result<(Proposal, Vec<Tested>), AppendError> {
    let tested = policy.test(tests);
    let program = [("kind", "blob".into()), ("id", Value::Text(policy.digest().clone()))];
    let document = Value::map([
        ("policy", Value::map(program)),
        ("tests", Value::list(tests.iter().map(Test::to_value))),
    ]);
    let document = Blob::new(json::canonical(&document));
    let policy_ref: Text = document.id().to_string().into();
    let proposed = PolicyProposed {
        policy_ref: policy_ref.clone(),
        path_or_uri: Some(kept_as(&policy_ref)),
        docstring: None,
        tests_summary: Some(summary(&tested)),
        source_digest: Some(policy.digest().clone()),
        notes: notes.clone(),
    };
    let common = common(agent, now);
    let mut sealed = common.seal(&proposed);
    sealed.blobs.extend([policy.document(), document]);
    append(store, agent, sealed)?;
    let (digest, agent) = (policy.digest().clone(), agent.clone());
    let tests = Some(summary(&tested));
    Ok((Proposal { policy_ref, agent, digest, ts: now, tests, notes }, tested))
}

/// Puts a proposal in force, if its tests are there and pass: they are run now.
pub fn activate(
    store: &dyn Store,
    proposal: &Proposal,
    actor: &Text,
    notes: Option<Text>,
    now: Timestamp,
) -> Result<(Activation, Vec<Tested>), ActiveError> {
    let (mut policy, tests) = read(store, proposal)?;
    if tests.is_empty() {
        return Err(ActiveError::Untested);
    }
    let tested = policy.test(&tests);
    if !tested.iter().all(Tested::passes) {
        return Err(ActiveError::Failing(tested));
    }
    let activated = PolicyActivated {
        policy_ref: proposal.policy_ref.clone(),
        notes,
        actor: Some(actor.clone()),
        tests_summary: Some(summary(&tested)),
        path_or_uri: Some(kept_as(policy.digest())),
    };
    append(store, &proposal.agent, common(&proposal.agent, now).seal(&activated))?;
    let Proposal { policy_ref, agent, digest, .. } = proposal.clone();
    let actor = Some(actor.clone());
    Ok((Activation { policy_ref, agent, digest, ts: now, actor, here: true }, tested))
}

/// The program of a proposal, and its tests.
pub(super) fn read(
    store: &dyn Store,
    proposal: &Proposal,
) -> Result<(Policy, Vec<Test>), ActiveError> {
    let unusable = |why: String| ActiveError::Unusable(why);
    let policy_ref = &proposal.policy_ref;
    let document = match BlobId::parse(policy_ref) {
        Some(id) => history::Archive::value(store, id)?,
        None => None,
    };
    let gone = || unusable(format!("what was proposed as `{policy_ref}` is not in the store"));
    let document = document.ok_or_else(gone)?;
    // Who imports a proposal imports what it says of itself.
    let program = document.get("policy").and_then(|program| program.get("id"));
    if program.and_then(Value::as_text) != Some(&proposal.digest) {
        return Err(unusable(format!("`{policy_ref}` was proposed with another program")));
    }
    let policy = Policy::load(store, &proposal.digest)?.ok_or_else(gone)?.map_err(unusable)?;
    let tests = document.get("tests").cloned().unwrap_or_else(|| Value::list([]));
    Ok((policy, tests_of(&tests).map_err(unusable)?))
}

impl Proposal {
    /// Its program and its tests.
    pub fn read(&self, store: &dyn Store) -> Result<(Policy, Vec<Test>), ActiveError> {
        read(store, self)
    }
}

/// What happened to the policies of an agent, in order.
pub fn history(store: &dyn Store, agent: &str) -> Result<Vec<Step>, StoreError> {
    let stream = Stream::Agent(agent.into());
    let Some(info) = history::Archive::stream(store, &stream)? else { return Ok(Vec::new()) };
    const KINDS: &[Kind] = &[Kind::PolicyProposed, Kind::PolicyActivated];
    let mut proposed: BTreeMap<Text, Text> = BTreeMap::new();
    let mut steps = Vec::new();
    let mut failed = None;
    Lineage::own(&info).visit(store, Some(KINDS), 0, |place, entry| {
        let fact = match history::Archive::fact(store, &entry.event) {
            Ok(fact) => fact,
            Err(error) => {
                failed = Some(error);
                return Visit::Stop;
            }
        };
        let Some(fact) = fact else { return Visit::More };
        let (ts, agent) = (fact.common.ts, Text::from(agent));
        match fact.what {
            What::PolicyProposed(event) => {
                let digest = event.source_digest.unwrap_or_else(|| event.policy_ref.clone());
                proposed.insert(event.policy_ref.clone(), digest.clone());
                let (policy_ref, tests, notes) =
                    (event.policy_ref, event.tests_summary, event.notes);
                steps.push(Step::Proposed(Proposal {
                    policy_ref,
                    agent,
                    digest,
                    ts,
                    tests,
                    notes,
                }));
            }
            What::PolicyActivated(event) => {
                let here = match store.written_here(&stream, place.seq, place.seq + 1) {
                    Ok(here) => here,
                    Err(error) => {
                        failed = Some(error);
                        return Visit::Stop;
                    }
                };
                let (policy_ref, actor) = (event.policy_ref, event.actor);
                // It names its program itself, whatever was proposed under the same name.
                let digest = match event.path_or_uri {
                    Some(Ref::Ext(ExtRef { kind, id })) if &*kind == "blob" => id,
                    _ => proposed.get(&policy_ref).unwrap_or(&policy_ref).clone(),
                };
                let activation = Activation { policy_ref, agent, digest, ts, actor, here };
                steps.push(Step::Activated(activation));
            }
            _ => {}
        }
        Visit::More
    })?;
    failed.map_or(Ok(steps), Err)
}

/// The same of all agents, in the order of time.
pub fn all_history(store: &dyn Store) -> Result<Vec<Step>, StoreError> {
    let mut all = Vec::new();
    for agent in agents(store)? {
        all.extend(history(store, &agent)?);
    }
    all.sort_by_key(|step| match step {
        Step::Proposed(proposal) => proposal.ts,
        Step::Activated(activation) => activation.ts,
    });
    Ok(all)
}

/// The policy that is in force for an agent: its own, or else the one for all agents. Only what was
/// put in force here is.
pub fn in_force(store: &dyn Store, agent: &str) -> Result<Option<Activation>, StoreError> {
    for agent in [agent, ALL_AGENTS] {
        let activated = history(store, agent)?.into_iter().rev().find_map(|step| match step {
            Step::Activated(activation) => activation.here.then_some(activation),
            Step::Proposed(_) => None,
        });
        if activated.is_some() {
            return Ok(activated);
        }
    }
    Ok(None)
}

/// The proposals whose names, or the digests of whose programs, begin like this; each once.
pub fn find(store: &dyn Store, words: &str) -> Result<Vec<Proposal>, StoreError> {
    let mut found: BTreeMap<(Text, Text), Proposal> = BTreeMap::new();
    for agent in agents(store)? {
        for step in history(store, &agent)? {
            let Step::Proposed(proposal) = step else { continue };
            if proposal.policy_ref.starts_with(words) || proposal.digest.starts_with(words) {
                found.insert((proposal.agent.clone(), proposal.policy_ref.clone()), proposal);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// All agents that have a stream of their own.
fn agents(store: &dyn Store) -> Result<Vec<Text>, StoreError> {
    const PAGE: usize = 512;
    let mut all = Vec::new();
    let mut after: Option<Stream> = None;
    loop {
        let page = store.streams(after.as_ref(), PAGE)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = Some(last.stream.clone());
        all.extend(page.into_iter().filter_map(|info| match info.stream {
            Stream::Agent(agent) => Some(agent),
            _ => None,
        }));
    }
}

fn common(agent: &Text, now: Timestamp) -> Common {
    Common { agent_id: Some(agent.clone()), ..Common::at(now) }
}

fn kept_as(digest: &Text) -> Ref {
    Ref::Ext(ExtRef { kind: "blob".into(), id: digest.clone() })
}

/// Adds an event to the stream of an agent, whoever else does so.
fn append(store: &dyn Store, agent: &Text, sealed: Sealed) -> Result<(), AppendError> {
    let stream = Stream::Agent(agent.clone());
    loop {
        let mut ledger = Ledger::default();
        let info = history::Archive::stream(store, &stream)?;
        let mut failed = None;
        if let Some(info) = &info {
            Lineage::own(info).visit(store, None, 0, |_, entry| {
                match history::Archive::fact(store, &entry.event) {
                    Ok(fact) => ledger.apply(&entry.event, fact.as_ref()),
                    Err(error) => failed = Some(error),
                }
                if failed.is_none() { Visit::More } else { Visit::Stop }
            })?;
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        let append = Append {
            stream: &stream,
            expected: info.map_or(Expected::New, |info| Expected::Next(info.next)),
            events: std::slice::from_ref(&sealed.event),
            blobs: &sealed.blobs,
            key: None,
            durability: Durability::Fsync,
            unverified: false,
        };
        match append_checked(store, &mut ledger, &append) {
            Ok(_) => return Ok(()),
            // Somebody else was faster: look again.
            Err(AppendError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
}
