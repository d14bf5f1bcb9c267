//! The table: one row for each kind of event.
//!
//! A member that is `#[needed]` must be there, but an event without it can be read: nothing hangs
//! on it. Whatever says which thing an event is about has no other type than its own.
//!
//! The number is what stores keep beside an event; it is never used again for another kind.

use value::{Map, Text, Value};

use super::field::{Field, Member, Object, Write, must_be_there, read_member};
use super::records::{
    Error, EventRef, ExtRef, Handle, Message, Origin, OwnerScope, PlanItem, Ref, Resource,
    SnapshotRecord, SubagentRecord, TestsSummary, Usage,
};
use super::seal::{COMMON_NAMES, Sealed, Writer, order};
use super::words::{
    ApprovalOutcome, Exit, InterruptionReason, Liveness, MergeStrategy, Mode, PolicyDecision,
    RestoreOutcome, RewriteCause, RunReason, SnapshotOutcome, SubagentPlan, TimeSource, ToolStatus,
};
use super::{Body, Class, Common, Row};
use crate::Timestamp;

macro_rules! kinds {
    ($(
        #[doc = $doc:literal]
        $number:literal $name:literal $kind:ident: $class:ident ($($needs:ident)*) {
            $($(#[$must:ident])? $field:ident: $type:ty,)*
        }
    )*) => {
        /// A kind of event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            /// One that is not in the table. It is kept as it is.
            Unknown = 0,
            $(#[doc = $doc] $kind = $number,)*
        }

        impl Kind {
            /// The kind of this name.
            pub fn find(name: &str) -> Kind {
                match name {
                    $($name => Kind::$kind,)*
                    _ => Kind::Unknown,
                }
            }

            /// The kind of this number.
            pub fn from_number(number: i64) -> Option<Kind> {
                match number {
                    0 => Some(Kind::Unknown),
                    $($number => Some(Kind::$kind),)*
                    _ => None,
                }
            }

            /// What stores keep.
            pub fn number(self) -> i64 {
                self as i64
            }

            /// Its name in events.
            pub fn name(self) -> &'static str {
                match self {
                    Kind::Unknown => "unknown",
                    $(Kind::$kind => $name,)*
                }
            }

            /// Its row; nothing for unknown kinds.
            pub fn row(self) -> Option<&'static Row> {
                ROWS.iter().find(|row| row.kind == self)
            }
        }

        /// All rows, in the order of the reference.
        pub static ROWS: &[Row] = &[$(Row {
            kind: Kind::$kind,
            name: $name,
            class: Class::$class,
            needs: &[$(concat!(stringify!($needs), "_id")),*],
            doc: $doc.trim_ascii(),
            members: &[$(Member {
                name: stringify!($field),
                shape: <$type as Field>::SHAPE,
                required: <$type as Field>::REQUIRED $(|| must_be_there!($must))?,
            }),*],
        }),*];

        /// What an event of a known kind says.
        #[derive(Clone, Debug, PartialEq)]
        pub enum What {
            $(#[doc = $doc] $kind($kind),)*
        }

        $(
            impl From<$kind> for What {
                fn from(body: $kind) -> What {
                    What::$kind(body)
                }
            }
        )*

        impl What {
            /// Reads the members of this kind.
            pub fn read(kind: Kind, members: &Map) -> Option<What> {
                match kind {
                    Kind::Unknown => None,
                    $(Kind::$kind => $kind::read(members).map(What::$kind),)*
                }
            }

            /// Writes an event that says this.
            pub fn seal(&self, common: &Common) -> Sealed {
                match self {
                    $(What::$kind(body) => common.seal(body),)*
                }
            }
        }

        $(
            #[doc = $doc]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $kind {
                $(#[doc = concat!("The member `", stringify!($field), "`.")] pub $field: $type,)*
            }

            impl Body for $kind {
                const KIND: Kind = Kind::$kind;

                fn read(members: &Map) -> Option<$kind> {
                    let _ = members;
                    Some($kind { $($field: read_member(members, stringify!($field))?,)* })
                }

                fn write(&self, common: &Common, writer: &mut Writer) {
                    const OWN: &[&str] = &["kind", $(stringify!($field)),*];
                    const COUNT: usize = COMMON_NAMES.len() + OWN.len();
                    const NAMES: [&str; COUNT] = joined(OWN);
                    const ORDER: [u8; COUNT] = order(&NAMES);
                    let own: [&dyn Write; OWN.len()] = [&Kind::$kind, $(&self.$field),*];
                    let mut fields: [&dyn Write; COUNT] = [&Kind::$kind; COUNT];
                    fields[..COMMON_NAMES.len()].copy_from_slice(&common.fields());
                    fields[COMMON_NAMES.len()..].copy_from_slice(&own);
                    writer.members(&NAMES, &ORDER, &fields);
                }
            }
        )*
    };
}

/// The common names and a kind's own.
const fn joined<const N: usize>(own: &[&'static str]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] =
            if at < COMMON_NAMES.len() { COMMON_NAMES[at] } else { own[at - COMMON_NAMES.len()] };
        at += 1;
    }
    names
}

kinds! {
    /// An agent came to be.
    1 "agent_created" AgentCreated: Provenance (agent) {
        name: Option<Text>,
    }
    /// A run began. A fork says where it comes from.
    2 "run_started" RunStarted: Transition (run agent) {
        reason: Option<RunReason>,
        from: Option<Origin>,
        graph: Option<Text>,
        document: Option<Value>,
        inputs: Option<Object>,
        seed: Option<i64>,
        versions: Option<Object>,
        options: Option<Object>,
    }
    /// A run ended.
    3 "run_finished" RunFinished: Observation (run agent) {
        exit: Option<Exit>,
        summary_ref: Option<ExtRef>,
        result: Option<Value>,
        error: Option<Error>,
        step: Option<i64>,
    }
    /// A run stopped for now.
    4 "run_paused" RunPaused: Transition (run agent) {
        reason: Option<Text>,
        step: Option<i64>,
    }
    /// Somebody ended a run.
    5 "run_cancelled" RunCancelled: Transition (run agent) {
        reason: Option<Text>,
        actor: Option<Text>,
        step: Option<i64>,
    }
    /// A message came to be.
    6 "message_created" MessageCreated: Observation (agent) {
        message: Message,
    }
    /// A message became part of a conversation.
    7 "history_append" HistoryAppend: Intent (run agent) {
        list: Text,
        message_ref: Text,
        pos: Option<i64>,
    }
    /// A part of a conversation was replaced. What was there stays in the history.
    8 "history_rewritten" HistoryRewritten: Intent (run agent) {
        list: Text,
        from_pos: i64,
        to_pos: i64,
        replacement: Vec<Text>,
        #[needed]
        cause: Option<RewriteCause>,
    }
    /// A model is asked.
    9 "model_request" ModelRequest: Intent (run agent correlation) {
        #[needed]
        model: Option<Text>,
        #[needed]
        params: Option<Object>,
        #[needed]
        input_refs: Option<Vec<Ref>>,
        tools_spec: Option<Value>,
        request_id: Option<Text>,
    }
    /// A model answered.
    10 "model_response" ModelResponse: Observation (run agent) {
        request_id: Text,
        #[needed]
        output_ref: Option<Text>,
        usage: Option<Usage>,
        finish_reason: Option<Text>,
        reasoning_ref: Option<Text>,
        stream_ref: Option<ExtRef>,
        attempt: Option<i64>,
        cost: Option<Text>,
        error: Option<Error>,
    }
    /// A tool is asked to do something.
    11 "tool_call" ToolCall: Intent (run agent) {
        #[needed]
        server: Option<Text>,
        #[needed]
        tool: Option<Text>,
        call_id: Text,
        #[needed]
        args: Option<Object>,
        #[needed]
        requested_by: Option<EventRef>,
        effect_class: Option<Text>,
    }
    /// An effect is about to leave; from here on it may have happened.
    12 "effect_started" EffectStarted: Intent (run agent) {
        call: EventRef,
        #[needed]
        attempt: Option<i64>,
        #[needed]
        idem_key: Option<Text>,
        lease_epoch: Option<i64>,
    }
    /// What a tool did.
    13 "tool_result" ToolResult: Observation (run agent) {
        call_id: Text,
        #[needed]
        status: Option<ToolStatus>,
        #[needed]
        result: Option<Object>,
        error: Option<Error>,
    }
    /// Somebody must decide whether a call may run.
    14 "approval_requested" ApprovalRequested: Intent (run agent) {
        call: EventRef,
        policy_digest: Option<Text>,
        args_digest: Option<Text>,
        expires_at: Option<Timestamp>,
    }
    /// It was decided whether a call may run.
    15 "approval_decided" ApprovalDecided: Observation (run agent) {
        request: Option<EventRef>,
        call: Option<EventRef>,
        outcome: ApprovalOutcome,
        actor: Option<Text>,
        reason: Option<Text>,
        policy_digest: Option<Text>,
        single_use: Option<bool>,
    }
    /// A policy was proposed.
    16 "policy_proposed" PolicyProposed: Intent (agent) {
        policy_ref: Text,
        path_or_uri: Option<Ref>,
        docstring: Option<Text>,
        tests_summary: Option<TestsSummary>,
        source_digest: Option<Text>,
        notes: Option<Text>,
    }
    /// It was decided what becomes of a proposed policy.
    17 "policy_decided" PolicyDecided: Observation (agent) {
        policy_ref: Text,
        decision: PolicyDecision,
        actor: Option<Text>,
        reason: Option<Text>,
    }
    /// A policy is in force from now on.
    18 "policy_activated" PolicyActivated: Transition (agent) {
        policy_ref: Text,
        notes: Option<Text>,
        actor: Option<Text>,
        tests_summary: Option<TestsSummary>,
        path_or_uri: Option<Ref>,
    }
    /// An MCP server says that a resource changed.
    19 "mcp.resource_updated" McpResourceUpdated: Observation (run agent) {
        server: Text,
        uri: Text,
        etag: Option<Text>,
        hash: Option<Text>,
        summary: Option<Text>,
    }
    /// An MCP server says that it has other resources.
    20 "mcp.resource_list_changed" McpResourceListChanged: Observation (run agent) {
        server: Text,
    }
    /// An MCP server says anything else.
    21 "mcp.notification" McpNotification: Observation (run agent) {
        server: Text,
        #[needed]
        method: Option<Text>,
        params: Option<Value>,
        session: Option<Text>,
    }
    /// A resource of an MCP server was read.
    22 "mcp.resource_read" McpResourceRead: Observation (run agent) {
        server: Text,
        uri: Text,
        content: Option<Value>,
        hash: Option<Text>,
        session: Option<Text>,
    }
    /// A resource is known from now on.
    23 "resource_registered" ResourceRegistered: Observation (agent) {
        resource: Resource,
        part_of: Option<Text>,
    }
    /// A resource belongs to somebody else from now on.
    24 "resource_transferred" ResourceTransferred: Observation (agent) {
        resource_ref: Text,
        to: OwnerScope,
    }
    /// A resource can be used from now on.
    25 "resource_attached" ResourceAttached: Observation (agent) {
        resource_ref: Text,
        #[needed]
        mode: Option<Mode>,
        mount: Option<Text>,
    }
    /// A resource cannot be used any more.
    26 "resource_detached" ResourceDetached: Observation (agent) {
        resource_ref: Text,
    }
    /// Something live was opened, which no snapshot holds.
    27 "handle_opened" HandleOpened: Observation (agent) {
        handle: Handle,
    }
    /// Something live was closed.
    28 "handle_closed" HandleClosed: Observation (agent) {
        handle_ref: Text,
        reason: Option<Text>,
    }
    /// Somebody looked whether a resource is there.
    29 "resource_liveness_probe" ResourceLivenessProbe: Observation () {
        resource_ref: Text,
        status: Liveness,
    }
    /// A snapshot of a resource was made, or could not be.
    30 "snapshot_created" SnapshotCreated: Observation (agent) {
        resource_ref: Text,
        snapshot_ref: Text,
        outcome: SnapshotOutcome,
        error: Option<Error>,
        snapshot: Option<SnapshotRecord>,
    }
    /// A snapshot was restored, or could not be.
    31 "restore_attempted" RestoreAttempted: Observation (agent) {
        snapshot_ref: Text,
        outcome: RestoreOutcome,
        new_resource_ref: Option<Text>,
        error: Option<Error>,
    }
    /// Somebody may use a resource alone for a while.
    32 "lease_acquired" LeaseAcquired: Observation () {
        resource: Text,
        holder: Text,
        epoch: i64,
        ttl: Option<i64>,
    }
    /// Somebody gave a resource back.
    33 "lease_released" LeaseReleased: Observation () {
        resource: Text,
        holder: Text,
        epoch: i64,
    }
    /// A branch began, with a plan for every resource that was live.
    34 "agent_forked" AgentForked: Transition (agent) {
        from_branch: Text,
        to_branch: Text,
        #[needed]
        at_event: Option<EventRef>,
        volume_plan: Option<Vec<PlanItem>>,
    }
    /// It was decided how two branches become one.
    35 "branch_merged" BranchMerged: Transition (agent) {
        into: Text,
        from: Text,
        #[needed]
        merged: Option<Origin>,
        #[needed]
        strategy: Option<MergeStrategy>,
        picked: Option<Vec<EventRef>>,
        resource_plan: Option<Vec<PlanItem>>,
        reason: Option<Text>,
    }
    /// An agent started another one.
    36 "subagent_spawned" SubagentSpawned: Transition (agent) {
        subagent: SubagentRecord,
        child_run: Option<Text>,
        plan: Option<SubagentPlan>,
    }
    /// Something did not come to its end.
    37 "interruption" Interruption: Transition (run agent) {
        #[needed]
        reason: Option<InterruptionReason>,
        affects: Vec<EventRef>,
    }
    /// One event counts in the place of another.
    38 "substitution" Substitution: Transition (run agent) {
        original_event: EventRef,
        replacement_event: EventRef,
        reason: Option<Text>,
    }
    /// Something was summarised.
    39 "summary_created" SummaryCreated: Provenance (agent) {
        summary_ref: Text,
        #[needed]
        sources: Option<Vec<Ref>>,
        text: Option<Text>,
    }
    /// A view was kept for later. It can be had again from the events.
    40 "snapshot_materialized" SnapshotMaterialized: Cache (agent) {
        view_ref: Text,
        content_ref: Option<ExtRef>,
        through_seq: i64,
        projection: Text,
        projection_version: Option<i64>,
    }
    /// A value was made unreadable on purpose.
    41 "redacted" Redacted: Transition (agent) {
        target: Ref,
        #[needed]
        reason: Option<Text>,
        #[needed]
        actor: Option<Text>,
        authority: Option<Text>,
    }
    /// Bodies of old events were removed on purpose.
    42 "pruned" Pruned: Transition (agent) {
        target: Ref,
        #[needed]
        reason: Option<Text>,
        #[needed]
        actor: Option<Text>,
        authority: Option<Text>,
    }
    /// A key was destroyed, and what it sealed with it.
    43 "key_destroyed" KeyDestroyed: Transition (agent) {
        target: Ref,
        #[needed]
        reason: Option<Text>,
        #[needed]
        actor: Option<Text>,
        authority: Option<Text>,
    }
    /// A person is asked.
    44 "question_asked" QuestionAsked: Intent (run agent) {
        question_id: Text,
        #[needed]
        prompt: Option<Text>,
        schema: Option<Value>,
        options: Option<Vec<Value>>,
        default: Option<Value>,
        expires: Option<Timestamp>,
        capability: Option<Text>,
        call: Option<EventRef>,
    }
    /// A person answered.
    45 "question_answered" QuestionAnswered: Observation (run agent) {
        question_id: Text,
        #[needed]
        answer: Option<Value>,
        actor: Option<Text>,
    }
    /// A fork changed values before it went on.
    46 "state_set" StateSet: Transition (run agent) {
        values: Object,
    }
    /// A clock or a source of randomness was read.
    47 "time_observed" TimeObserved: Observation (run agent) {
        source: TimeSource,
        value: Value,
    }
    /// A run waits until a moment.
    48 "timer_set" TimerSet: Intent (run agent) {
        timer: Text,
        #[needed]
        due: Option<Timestamp>,
    }
    /// The moment has come.
    49 "timer_fired" TimerFired: Observation (run agent) {
        timer: Text,
    }
}
