//! What becomes of calls that need to be allowed.

use history::Timestamp;
use value::Text;

use crate::Fault;
use crate::call::{CallId, Pending};
use crate::doubt::Doubt;
use crate::open::{Waiting, Why};
use crate::run::Run;

impl Run {
    /// A call is allowed under the policy that is in force: by it, or by a person whom it asks for.
    pub(super) fn cleared(&mut self, call: CallId) {
        let policy = self.options.policy.clone();
        if let Some(waiting) = self.open.clear(call, policy) {
            // Its answer is next, where answers are said to come at once.
            self.turn = Some(waiting.fiber);
        }
    }

    pub(super) fn denied(&mut self, call: CallId, fault: Fault) {
        if let Some(waiting) = self.open.close(call) {
            self.fail(&waiting, fault, Doubt::Nothing);
        }
    }

    /// A person is asked about a call: with a question, and a moment when it is too late.
    pub(super) fn asked_for(&mut self, call: CallId, calls: [(Pending, Why); 2]) {
        let Some(Waiting { fiber, node, .. }) = self.open.get(call) else { return };
        let (fiber, node) = (*fiber, *node);
        self.counts.questions += 1;
        for (pending, why) in calls {
            self.counts.calls += 1;
            self.open.insert(Waiting { pending, fiber, node, why });
        }
    }

    /// What was not used of what another policy allowed does not count any more.
    pub(super) fn policy_changed(&mut self, policy: Text, ts: Timestamp) {
        self.now = ts;
        self.options.policy = Some(policy);
        self.open.decide_anew();
    }
}
