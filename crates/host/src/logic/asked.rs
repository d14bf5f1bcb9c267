//! What a block asks for on its way: its stores, the clock, and what it does not get.

use monty::{FunctionCall, OsCall, RunProgress};
use monty_types::{
    ExcType, ExtFunctionResult, MontyException, MontyObject, OsFunctionCall, PrintWriter,
};
use runtime::{Block, Fault, Given, StoreAct};
use value::{Text, Value};

use super::stores::{Store, Unread};
use super::{clock, values};

/// The module that blocks rely on and the interpreter does not have.
pub(super) const TIME: &str = "time";

/// What objects that stand for us are known by in the interpreter: the state, `time`, and from
/// here on the stores.
pub(super) const STATE_ID: u128 = 1;
pub(super) const TIME_ID: u128 = 2;
pub(super) const FIRST_STORE_ID: u128 = 3;

/// What a block asked for on its way.
#[derive(Default)]
pub(super) struct Asked {
    stores: Vec<Store>,
    pub(super) acted: Vec<StoreAct>,
    pub(super) looked_at_clock: bool,
    /// Why the block must end, where it wanted what it may not have.
    pub(super) refused: Option<Fault>,
}

impl Asked {
    /// Nothing so far.
    pub(super) fn new(block: &Block, given: &Given) -> Asked {
        let stores = block.stores.iter().zip(&given.stores);
        let stores = stores.map(|(store, held)| Store::new(store, held, given.now)).collect();
        Asked { stores, ..Asked::default() }
    }

    /// Answers a look at the clock, and refuses everything else that belongs to the system. The
    /// block cannot catch that.
    pub(super) fn system(
        &mut self,
        call: OsCall,
        given: &Given,
        writer: PrintWriter<'_>,
    ) -> Result<RunProgress, MontyException> {
        let answer = match &call.function_call {
            OsFunctionCall::DateTimeNow(zone) => clock::now(given.now, zone.clone()),
            OsFunctionCall::DateToday => clock::today(given.now),
            other => {
                let refusal = refusal(other.name());
                return call.abort(refusal, writer);
            }
        };
        self.looked_at_clock = true;
        call.resume(answer, writer)
    }

    /// Answers a call of something that the block does not define itself.
    pub(super) fn function(
        &mut self,
        mut call: FunctionCall,
        given: &Given,
        writer: PrintWriter<'_>,
    ) -> Result<RunProgress, MontyException> {
        let name = call.function_name.clone();
        let Some(receiver) = call.object_id else {
            return call.resume(ExtFunctionResult::NotFound(name), writer);
        };
        let id = u128::from_be_bytes(*receiver.as_bytes());
        if id == TIME_ID {
            return match clock::reading(&name, given.now) {
                Some(reading) => {
                    self.looked_at_clock = true;
                    call.resume(reading, writer)
                }
                None => call.abort(refusal(&format!("{TIME}.{name}")), writer),
            };
        }
        let place = id.checked_sub(FIRST_STORE_ID).and_then(|place| usize::try_from(place).ok());
        let store = place.and_then(|place| self.stores.get_mut(place));
        let args = std::mem::take(&mut call.args);
        let named = std::mem::take(&mut call.kwargs);
        let answer = match (store, name.as_str()) {
            (Some(store), "read") => {
                match read_key(args, named).map(|key| store.read(key.as_ref())) {
                    Ok(Ok((value, act))) => {
                        self.acted.extend(act);
                        Ok(values::to_python(&value))
                    }
                    Ok(Err(Unread::Wrong(fault))) => {
                        let message =
                            format!("what is read from `{}`: {}", store.id, fault.message);
                        Err(MontyException::new(ExcType::ValueError, Some(message)))
                    }
                    Ok(Err(Unread::Refused(fault))) => {
                        let error = MontyException::new(
                            ExcType::PermissionError,
                            Some(fault.message.to_string()),
                        );
                        self.refused = Some(fault);
                        return call.abort(error, writer);
                    }
                    Err(error) => Err(error),
                }
            }
            (Some(store), "write") => write(store, args, named, &mut self.acted),
            (store, _) => {
                let class = if store.is_some() { "Store" } else { "State" };
                let message = format!("'{class}' object has no attribute '{name}'");
                Err(MontyException::new(ExcType::AttributeError, Some(message)))
            }
        };
        match answer {
            Ok(answer) => call.resume(answer, writer),
            Err(error) => call.resume(error, writer),
        }
    }
}

type Named = Vec<(MontyObject, MontyObject)>;

/// What is read: `None` stands for everything.
fn read_key(args: Vec<MontyObject>, named: Named) -> Result<Option<Value>, MontyException> {
    let (mut args, key, _) = arguments(args, named)?;
    let key = match (key, args.len()) {
        (Some(key), 0) => Some(key),
        (None, 0) => None,
        (None, 1) => args.pop(),
        _ => return Err(type_error("read() takes at most one key".into())),
    };
    match key {
        None | Some(MontyObject::None) => Ok(None),
        Some(key) => match values::from_python(key) {
            Ok(key) => Ok(Some(key)),
            Err(no_json) => Err(type_error(format!("the key{no_json}"))),
        },
    }
}

fn write(
    store: &mut Store,
    args: Vec<MontyObject>,
    named: Named,
    acted: &mut Vec<StoreAct>,
) -> Result<MontyObject, MontyException> {
    let (args, key, value) = arguments(args, named)?;
    let mut args = args.into_iter();
    let (key, value) = match (args.next(), args.next(), key, value) {
        (Some(value), None, key, None) => (key, value),
        (Some(key), Some(value), None, None) => (Some(key), value),
        (Some(key), None, None, Some(value)) => (Some(key), value),
        (None, None, key, Some(value)) => (key, value),
        _ => return Err(type_error("write() takes a value, or a key and a value".into())),
    };
    let key = key_text(key)?;
    let value = values::from_python(value).map_err(|no_json| {
        type_error(format!("what is written to `{}`: the value{no_json}", store.id))
    })?;
    let act = store.write(key, value).map_err(|fault| {
        let message = format!("what is written to `{}`: {}", store.id, fault.message);
        MontyException::new(ExcType::ValueError, Some(message))
    })?;
    acted.push(act);
    Ok(MontyObject::None)
}

/// The arguments of a call on a store: those without a name, `key` and `value`.
#[expect(clippy::type_complexity, reason = "three parts of one thing, used at once")]
fn arguments(
    args: Vec<MontyObject>,
    named: Named,
) -> Result<(Vec<MontyObject>, Option<MontyObject>, Option<MontyObject>), MontyException> {
    let (mut key, mut value) = (None, None);
    for (name, argument) in named {
        match &name {
            MontyObject::String(name) if name == "key" => key = Some(argument),
            MontyObject::String(name) if name == "value" => value = Some(argument),
            other => return Err(type_error(format!("there is no argument `{other}`"))),
        }
    }
    if args.len() > 2 {
        return Err(type_error("these are too many arguments".into()));
    }
    Ok((args, key, value))
}

/// A key of a store. `None` is none.
fn key_text(key: Option<MontyObject>) -> Result<Option<Text>, MontyException> {
    match key {
        None | Some(MontyObject::None) => Ok(None),
        Some(MontyObject::String(key)) => Ok(Some(key.into())),
        Some(other) => Err(type_error(format!("a key is text, not {other}"))),
    }
}

fn type_error(message: String) -> MontyException {
    MontyException::new(ExcType::TypeError, Some(message))
}

fn refusal(name: &str) -> MontyException {
    let message = format!("`{name}` reaches out: a block has no files, network or environment");
    MontyException::new(ExcType::PermissionError, Some(message))
}
