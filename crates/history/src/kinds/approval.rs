//! What a decision about a call means. Whoever reads histories asks here, so that all agree.

use super::ApprovalDecided;
use super::words::ApprovalOutcome;
use crate::{EventId, Timestamp};

impl ApprovalDecided {
    /// The call it is about: that of the request which it answers, or else the one it names.
    /// `asked` knows which call a request is about.
    pub fn about(&self, asked: impl FnOnce(EventId) -> Option<EventId>) -> Option<EventId> {
        let asked = self.request.as_ref().and_then(|request| asked(request.event_id));
        asked.or(self.call.as_ref().map(|call| call.event_id))
    }

    /// What was decided at a moment. What is allowed too late has expired.
    pub fn outcome_at(&self, ts: Timestamp, expires_at: Option<Timestamp>) -> ApprovalOutcome {
        match expires_at {
            Some(end) if ts > end && self.outcome.allows() => ApprovalOutcome::Expired,
            _ => self.outcome.clone(),
        }
    }
}

impl ApprovalOutcome {
    /// Whether a call may run. What others mean by words of their own never allows anything.
    pub fn allows(&self) -> bool {
        matches!(self, ApprovalOutcome::PolicyAllow | ApprovalOutcome::UserApprove)
    }

    /// Whether a call may not run, whatever is said later. Where nobody decided, or nobody could,
    /// it can be asked again.
    pub fn denies(&self) -> bool {
        matches!(
            self,
            ApprovalOutcome::PolicyDenyContinue
                | ApprovalOutcome::PolicyDenyAbort
                | ApprovalOutcome::UserDenyContinue
                | ApprovalOutcome::UserDenyAbort
        )
    }
}
