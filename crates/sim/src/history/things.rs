//! Resources, policies, questions, clocks, and what else happens around a run.

use history::kinds::records::{ExtRef, Handle, OwnerScope, Ref, SnapshotRecord, SubagentRecord};
use history::kinds::records::{Resource as Record, TestsSummary};
use history::kinds::words::{
    Capability, Mode, PolicyDecision, ResourceKind, RestoreOutcome, SnapshotOutcome, SubagentPlan,
    TimeSource,
};
use history::kinds::{
    HandleClosed, HandleOpened, KeyDestroyed, McpNotification, McpResourceListChanged,
    McpResourceRead, McpResourceUpdated, PolicyActivated, PolicyDecided, PolicyProposed, Pruned,
    QuestionAnswered, QuestionAsked, Redacted, ResourceAttached, ResourceDetached,
    ResourceLivenessProbe, ResourceRegistered, ResourceTransferred, RestoreAttempted, RunPaused,
    SnapshotCreated, SnapshotMaterialized, SubagentSpawned, TimeObserved, TimerFired, TimerSet,
};
use value::{Text, Value};

use super::calls::Stage;
use super::desk::Desk;
use super::run::Run;

/// A resource that is known.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) id: Text,
    /// Whether it can be kept and had again; a process cannot.
    is_restorable: bool,
    /// Whether this run made it known: others may only look at it.
    pub(super) is_own: bool,
    pub(super) attached: Option<Mode>,
    /// What it belongs to, until it is attached by itself.
    pub(super) goes_with: Option<Text>,
    pub(super) snapshots: Vec<Text>,
}

/// A policy that was proposed.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    digest: Text,
    decision: Option<PolicyDecision>,
}

fn record(desk: &mut Desk, id: Text) -> (Record, bool) {
    let is_restorable = !desk.random.one_in(3);
    let (kind, capabilities) = match is_restorable {
        true => (ResourceKind::DockerVolume, vec![Capability::Snapshot, Capability::Restore]),
        false => (ResourceKind::DockerContainer, vec![Capability::Snapshot, Capability::Share]),
    };
    let record = Record {
        name: Some(format!("the {id}").into()),
        id,
        kind: Some(kind),
        capabilities: Some(capabilities),
        imperative: (!is_restorable).then_some(true),
        scope: None,
        liveness: None,
        metadata: desk.maybe(Desk::object),
    };
    (record, is_restorable)
}

pub(super) fn register(run: &mut Run, desk: &mut Desk) -> bool {
    if run.resources.len() > 3 {
        return false;
    }
    let id = desk.name("ws");
    add(run, desk, id);
    true
}

fn add(run: &mut Run, desk: &mut Desk, id: Text) {
    let (mut resource, is_restorable) = record(desk, id.clone());
    resource.scope = desk.maybe(|_| OwnerScope {
        agent_id: Some(run.agent.clone()),
        run_id: Some(run.id.clone()),
        session_id: None,
    });
    let part_of = run.resources.last().map(|whole| whole.id.clone());
    let part_of = part_of.filter(|_| desk.random.one_in(4));
    run.tell(desk, ResourceRegistered { resource, part_of: part_of.clone() });
    let (is_own, attached, snapshots, goes_with) = (true, None, Vec::new(), part_of);
    run.resources.push(Resource { id, is_restorable, is_own, attached, goes_with, snapshots });
}

/// A resource of a run for which this holds.
fn find(run: &Run, holds: impl Fn(&Resource) -> bool) -> Option<usize> {
    run.resources.iter().position(holds)
}

pub(super) fn attach(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(at) = find(run, |resource| resource.attached.is_none()) else { return false };
    let mode = match run.resources[at].is_own && !desk.random.one_in(3) {
        true => Mode::ReadWrite,
        false => Mode::ReadOnly,
    };
    let resource_ref = run.resources[at].id.clone();
    let mount = desk.maybe(|_| "/src".into());
    run.resources[at].attached = Some(mode.clone());
    run.resources[at].goes_with = None;
    run.tell(desk, ResourceAttached { resource_ref, mode: Some(mode), mount });
    true
}

pub(super) fn detach(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(at) = find(run, |resource| resource.attached.is_some()) else { return false };
    run.resources[at].attached = None;
    let resource_ref = run.resources[at].id.clone();
    run.tell(desk, ResourceDetached { resource_ref });
    true
}

pub(super) fn snapshot(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(resource) = run.resources.last().cloned() else { return false };
    let snapshot_ref = desk.name("snap");
    let is_ok = !desk.random.one_in(6);
    let snapshot = SnapshotRecord {
        method: Some("docker_volume_tar".into()),
        external_ref: Some(ExtRef { kind: "tar".into(), id: desk.digest() }),
        consistency: None,
        size_bytes: Some(desk.random.below(1 << 40) as i64),
        created_at: desk.maybe(Desk::now),
        restorable: Some(resource.is_restorable),
    };
    let created = SnapshotCreated {
        resource_ref: resource.id,
        snapshot_ref: snapshot_ref.clone(),
        outcome: if is_ok { SnapshotOutcome::Ok } else { SnapshotOutcome::Error },
        error: (!is_ok).then(|| desk.error()),
        snapshot: is_ok.then_some(snapshot),
    };
    run.tell(desk, created);
    if is_ok {
        let last = run.resources.last_mut().expect("found above");
        last.snapshots.push(snapshot_ref);
    }
    true
}

pub(super) fn restore(run: &mut Run, desk: &mut Desk) -> bool {
    let is_kept = |resource: &Resource| !resource.snapshots.is_empty();
    let Some(at) = find(run, is_kept) else { return false };
    let resource = run.resources[at].clone();
    let outcome = match (resource.is_restorable, run.resources.len() < 4) {
        (true, true) => RestoreOutcome::Ok,
        (true, false) => RestoreOutcome::Error,
        (false, _) => RestoreOutcome::Unsupported,
    };
    let new = (outcome == RestoreOutcome::Ok).then(|| desk.name("ws"));
    if let Some(new) = new.clone() {
        add(run, desk, new);
    }
    let attempted = RestoreAttempted {
        snapshot_ref: resource.snapshots[0].clone(),
        error: (outcome == RestoreOutcome::Error).then(|| desk.error()),
        outcome,
        new_resource_ref: new,
    };
    run.tell(desk, attempted);
    true
}

pub(super) fn transfer(run: &mut Run, desk: &mut Desk) -> bool {
    let is_free = |resource: &Resource| resource.is_own && resource.attached.is_none();
    let Some(at) = find(run, is_free) else { return false };
    let to = OwnerScope { agent_id: Some(run.agent.clone()), run_id: None, session_id: None };
    let resource_ref = run.resources.remove(at).id;
    run.tell(desk, ResourceTransferred { resource_ref, to });
    true
}

pub(super) fn probe(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(resource) = run.resources.first() else { return false };
    let resource_ref = resource.id.clone();
    let status = desk.liveness();
    run.tell(desk, ResourceLivenessProbe { resource_ref, status });
    true
}

pub(super) fn open(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(resource) = run.resources.first() else { return false };
    let resource_ref = resource.id.clone();
    let handle = Handle {
        id: desk.name("handle"),
        resource_ref,
        provider: Some("docker".into()),
        provider_id: Some(desk.digest()),
        restorable: Some(false),
        capabilities: desk.maybe(|_| vec!["exec".into(), "logs".into()]),
    };
    run.handles.push(handle.id.clone());
    run.tell(desk, HandleOpened { handle });
    true
}

pub(super) fn close(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(handle_ref) = run.handles.pop() else { return false };
    let reason = desk.maybe(Desk::words);
    run.tell(desk, HandleClosed { handle_ref, reason });
    true
}

fn proposal(desk: &mut Desk) -> PolicyProposed {
    let digest = desk.digest();
    PolicyProposed {
        policy_ref: digest.clone(),
        path_or_uri: desk.maybe(|_| Ref::Path("state/policy/current/policy.py".into())),
        docstring: desk.maybe(Desk::words),
        tests_summary: desk.maybe(|_| TestsSummary { total: Some(4), passed: Some(4), failed: 0 }),
        source_digest: Some(digest),
        notes: desk.maybe(Desk::words),
    }
}

pub(super) fn propose(run: &mut Run, desk: &mut Desk) -> bool {
    let proposed = proposal(desk);
    run.proposed.push(Policy { digest: proposed.policy_ref.clone(), decision: None });
    run.tell(desk, proposed);
    true
}

pub(super) fn decide(run: &mut Run, desk: &mut Desk) -> bool {
    let open = run.proposed.iter().position(|policy| policy.decision.is_none());
    let Some(at) = open else { return false };
    let decision = match desk.random.below(4) {
        0 => PolicyDecision::Rejected,
        1 => PolicyDecision::Withdrawn,
        _ => PolicyDecision::Approved,
    };
    let policy_ref = run.proposed[at].digest.clone();
    run.proposed[at].decision = Some(decision.clone());
    let reason = desk.maybe(Desk::words);
    run.tell(desk, PolicyDecided { policy_ref, decision, actor: Some("ada".into()), reason });
    true
}

/// Puts an approved policy in force, unless something was asked or allowed under another one.
pub(super) fn activate(run: &mut Run, desk: &mut Desk) -> bool {
    let is_used = |stage| matches!(stage, Stage::Asked(_) | Stage::Allowed);
    let is_approved = |policy: &Policy| policy.decision == Some(PolicyDecision::Approved);
    let Some(at) = run.proposed.iter().position(is_approved) else { return false };
    if run.calls.iter().any(|call| is_used(call.stage)) {
        return false;
    }
    let digest = run.proposed.remove(at).digest;
    run.policy = Some(digest.clone());
    let activated = PolicyActivated {
        policy_ref: digest,
        notes: desk.maybe(Desk::words),
        actor: Some("ada".into()),
        tests_summary: desk.maybe(|_| TestsSummary { total: Some(4), passed: Some(4), failed: 0 }),
        path_or_uri: desk.maybe(|_| Ref::Uri("resource://approval-policy/policy.py".into())),
    };
    run.tell(desk, activated);
    true
}

pub(super) fn listen(run: &mut Run, desk: &mut Desk) -> bool {
    let (server, uri) = (Text::from("files"), Text::from("file:///parcels.csv"));
    match desk.random.below(4) {
        0 => {
            let (etag, hash) = (desk.maybe(Desk::words), desk.maybe(Desk::digest));
            run.tell(desk, McpResourceUpdated { server, uri, etag, hash, summary: None })
        }
        1 => run.tell(desk, McpResourceListChanged { server }),
        2 => {
            let params = desk.maybe(Desk::value);
            let method = Some("notifications/progress".into());
            run.tell(desk, McpNotification { server, method, params, session: None })
        }
        _ => {
            let (content, hash) = (Some(desk.words().into()), desk.maybe(Desk::digest));
            run.tell(desk, McpResourceRead { server, uri, content, hash, session: None })
        }
    };
    true
}

pub(super) fn question(run: &mut Run, desk: &mut Desk) -> bool {
    if let Some(question_id) = run.questions.pop() {
        let answer = Some(desk.value());
        run.tell(desk, QuestionAnswered { question_id, answer, actor: Some("ada".into()) });
        return true;
    }
    let question = QuestionAsked {
        question_id: desk.name("question"),
        prompt: Some(desk.words()),
        schema: None,
        options: desk.maybe(|_| vec![Value::from("yes"), Value::from("no")]),
        default: desk.maybe(Desk::value),
        expires: desk.maybe(Desk::now),
        capability: None,
        call: None,
    };
    run.questions.push(question.question_id.clone());
    run.tell(desk, question);
    true
}

pub(super) fn wait(run: &mut Run, desk: &mut Desk) -> bool {
    if let Some(timer) = run.timers.pop() {
        run.tell(desk, TimerFired { timer });
        return true;
    }
    let (timer, due) = (desk.name("timer"), Some(desk.now()));
    run.timers.push(timer.clone());
    run.tell(desk, TimerSet { timer, due });
    true
}

pub(super) fn observe(run: &mut Run, desk: &mut Desk) -> bool {
    let (source, value) = match desk.random.one_in(2) {
        true => (TimeSource::Clock, Value::from(desk.now().to_string())),
        false => (TimeSource::Random, Value::Int(desk.random.below(1 << 30) as i64)),
    };
    run.tell(desk, TimeObserved { source, value });
    true
}

pub(super) fn pause(run: &mut Run, desk: &mut Desk) -> bool {
    let reason = desk.maybe(Desk::words);
    run.tell(desk, RunPaused { reason, step: None });
    true
}

pub(super) fn spawn(run: &mut Run, desk: &mut Desk) -> bool {
    if std::mem::replace(&mut run.has_spawned, true) {
        return false;
    }
    let (agent, child) = (desk.name("sub"), desk.name("run"));
    let constraints = desk.maybe(Desk::object);
    let spawned = SubagentSpawned {
        subagent: SubagentRecord { id: agent.clone(), constraints },
        child_run: Some(child.clone()),
        plan: desk.maybe(|desk| desk.one_of(&[SubagentPlan::Keep, SubagentPlan::Detach])),
    };
    run.tell(desk, spawned);
    desk.spawned.push((agent, child));
    true
}

pub(super) fn keep_view(run: &mut Run, desk: &mut Desk) -> bool {
    let through_seq = desk.random.below(run.len() as usize) as i64;
    let view = view(desk, through_seq);
    run.tell(desk, view);
    true
}

fn view(desk: &mut Desk, through_seq: i64) -> SnapshotMaterialized {
    SnapshotMaterialized {
        view_ref: desk.name("view"),
        content_ref: desk.maybe(|desk| ExtRef { kind: "blob".into(), id: desk.digest() }),
        through_seq,
        projection: "transcript".into(),
        projection_version: desk.maybe(|_| 1),
    }
}

/// What happens to an agent outside of its runs.
pub(super) fn beside_runs(desk: &mut Desk, agent: &Text) {
    let target = Ref::Ext(ExtRef { kind: "customer".into(), id: desk.name("customer") });
    let (reason, actor) = (Some(desk.words()), Some(Text::from("ada")));
    let authority = desk.maybe(|_| "GDPR 17".into());
    match desk.random.below(6) {
        0 => desk.write_for(agent, Redacted { target, reason, actor, authority }),
        1 => desk.write_for(agent, Pruned { target, reason, actor, authority }),
        2 => desk.write_for(agent, KeyDestroyed { target, reason, actor, authority }),
        3 => {
            let view = view(desk, 0);
            desk.write_for(agent, view)
        }
        4 => {
            let id = desk.name("db");
            let (resource, _) = record(desk, id.clone());
            desk.write_for(agent, ResourceRegistered { resource, part_of: None });
            let status = desk.liveness();
            desk.write_for(agent, ResourceLivenessProbe { resource_ref: id, status })
        }
        _ => {
            let proposed = proposal(desk);
            let policy_ref = proposed.policy_ref.clone();
            desk.write_for(agent, proposed);
            let reason = None;
            let decision = PolicyDecision::Rejected;
            desk.write_for(agent, PolicyDecided { policy_ref, decision, actor, reason })
        }
    };
}
