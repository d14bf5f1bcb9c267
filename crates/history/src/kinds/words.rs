//! The enumerations of events. A word that is in none of them is kept: other systems have more.

use value::{Text, Value, json};

use super::field::{Enumeration, Field, Shape, Write};

macro_rules! words {
    ($(#[doc = $doc:literal] $name:ident { $($variant:ident = $word:literal,)* })*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
            pub enum $name {
                $(#[doc = concat!("`", $word, "`")] $variant,)*
                /// Another word.
                Other(Text),
            }

            impl $name {
                /// The words there are.
                pub const WORDS: &'static Enumeration = &Enumeration {
                    name: stringify!($name),
                    doc: $doc.trim_ascii(),
                    words: &[$($word),*],
                };

                /// As it is written.
                pub fn word(&self) -> &str {
                    match self {
                        $($name::$variant => $word,)*
                        $name::Other(word) => word,
                    }
                }
            }

            impl Field for $name {
                const SHAPE: Shape = Shape::Words($name::WORDS);

                fn read(value: &Value) -> Option<$name> {
                    let word = value.as_text()?;
                    Some(match &**word {
                        $($word => $name::$variant,)*
                        _ => $name::Other(word.clone()),
                    })
                }
            }

            impl Write for $name {
                fn write(&self, out: &mut String) {
                    json::write_text(out, self.word());
                }
            }
        )*

        /// All of them, in the order of the reference.
        pub static ENUMERATIONS: &[&Enumeration] = &[$($name::WORDS),*];
    };
}

words! {
    /// How a tool call ended.
    ToolStatus {
        Ok = "ok", Error = "error", Timeout = "timeout", Canceled = "canceled",
        Interrupted = "interrupted",
    }
    /// Why something was interrupted.
    InterruptionReason {
        Crash = "crash", Shutdown = "shutdown", ContextReset = "context_reset",
        ApprovalDenied = "approval_denied", Timeout = "timeout", Canceled = "canceled",
        SystemRestart = "system_restart",
    }
    /// What a resource is.
    ResourceKind {
        DockerVolume = "docker_volume", DockerContainer = "docker_container",
        DockerImage = "docker_image", File = "file", Uri = "uri",
    }
    /// What can be done with a resource.
    Capability {
        Snapshot = "snapshot", Restore = "restore", Fork = "fork", Share = "share",
        Migrate = "migrate", Checkpoint = "checkpoint",
    }
    /// Whether a resource is there.
    Liveness { Unknown = "unknown", Alive = "alive", Dead = "dead", }
    /// How a resource is attached.
    Mode { ReadOnly = "ro", ReadWrite = "rw", }
    /// Who speaks.
    Role { System = "system", User = "user", Assistant = "assistant", Tool = "tool", }
    /// Why a run began.
    RunReason { User = "user", Schedule = "schedule", Subagent = "subagent", Fork = "fork", }
    /// How a run ended.
    Exit {
        Success = "success", Error = "error", Aborted = "aborted", HandedOff = "handed_off",
    }
    /// Why a history was rewritten.
    RewriteCause { Compaction = "compaction", Trim = "trim", Reset = "reset", Edit = "edit", }
    /// What became of a request for approval.
    ApprovalOutcome {
        PolicyAllow = "policy_allow", PolicyDenyContinue = "policy_deny_continue",
        PolicyDenyAbort = "policy_deny_abort", UserApprove = "user_approve",
        UserDenyContinue = "user_deny_continue", UserDenyAbort = "user_deny_abort",
        Expired = "expired", EvaluatorError = "evaluator_error",
    }
    /// What became of a proposed policy.
    PolicyDecision { Approved = "approved", Rejected = "rejected", Withdrawn = "withdrawn", }
    /// Whether a snapshot could be made.
    SnapshotOutcome { Ok = "ok", Error = "error", }
    /// Whether a snapshot could be restored.
    RestoreOutcome { Ok = "ok", Unsupported = "unsupported", Error = "error", }
    /// What a snapshot is consistent with.
    Consistency { Crash = "crash_consistent", App = "app_consistent", }
    /// What a fork does with a resource.
    PlanMode { Keep = "keep", Snapshot = "snapshot", Discard = "discard", }
    /// Which side a merge takes.
    MergeStrategy { Ours = "ours", Theirs = "theirs", CherryPick = "cherry_pick", }
    /// What a fork does with a subagent.
    SubagentPlan { Keep = "keep", Respawn = "respawn", Detach = "detach", }
    /// What was observed that no computation gives.
    TimeSource { Clock = "clock", Random = "random", }
}
