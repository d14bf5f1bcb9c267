//! Transactions: a fiber is in one from where it was begun to where it ends. What belongs to it goes
//! out under its id, so that nothing happens outside of it unseen.

use graph::{Again, Touches};
use value::{Digest, Map, Text, Value};

use crate::call::{Request, ToolCall};
use crate::open::Waiting;
use crate::plan::{Slot, TxAction, TxStep};
use crate::request::bind;
use crate::run::{Fiber, Run};
use crate::{Fault, FaultKind};

/// The namespace of what begins and ends them.
const SERVER: &str = "txn";

/// What a node asks of the adapter that a transaction is about.
pub(crate) fn call(run: &Run, own: &Fiber, at: &str, step: &TxStep) -> Result<ToolCall, Fault> {
    let (server, tool): (Text, Text) = (SERVER.into(), step.action.verb().into());
    let nth = run.counts.nth_of(&server, &tool);
    let open = own.frame.get(step.open).and_then(Value::as_text);
    let name = &step.name;
    let id = match (step.action, open) {
        (TxAction::Begin, None) => id(&run.id, at, nth),
        (TxAction::Begin, Some(_)) => {
            let message = format!(
                "`{name}` cannot begin in a transaction that is open: commit it or roll it back"
            );
            return Err(Fault::new(FaultKind::Failed, message));
        }
        (_, Some(open)) => open.clone(),
        (_, None) => {
            let message = format!("no transaction is open that `{name}` could end");
            return Err(Fault::new(FaultKind::Failed, message));
        }
    };
    let args = [
        ("target", Value::Text(name.clone())),
        ("adapter", Value::Text(step.adapter.clone())),
        ("mode", Value::Text(step.mode.clone())),
        ("txid", Value::Text(id)),
    ];
    let args: Map = args.into_iter().map(|(name, value)| (name.into(), value)).collect();
    let (touches, again) = (Touches::Write, Again::ByAsking);
    let (store, timeout_ms) = (None, None);
    let mut call = ToolCall { server, tool, args, touches, again, nth, store, timeout_ms };
    bind(run, &mut call);
    Ok(call)
}

/// It follows from where the run is, so that whoever replays it finds the same.
fn id(run: &str, at: &str, nth: u64) -> Text {
    let digest = format!("{:x}", Digest::of(format!("{run}\n{at}\n{nth}").as_bytes()));
    format!("tx-{}", &digest[..16]).into()
}

/// What is written when it has begun or ended.
pub(crate) fn writes(step: &TxStep, waiting: &Waiting) -> Vec<(Slot, Value)> {
    let id = match &waiting.pending.request {
        Request::Tool(call) => call.args.get("txid").cloned().unwrap_or(Value::Null),
        _ => Value::Null,
    };
    match step.action {
        TxAction::Begin => vec![(step.id, id.clone()), (step.open, id)],
        TxAction::Commit | TxAction::Rollback => vec![(step.open, Value::Null)],
    }
}
