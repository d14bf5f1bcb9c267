//! Stores of agents that outlive their runs, kept beside the histories.

mod deeds;
mod folder;
mod spoken;

use std::collections::BTreeMap;
use std::sync::Arc;

use runtime::stores::{Contents, StoreKind, StoreUse, StoreVerb};
use runtime::{Fault, FaultKind, Request};
use store::{Change, Store};
use value::{Digest, Map, Text, Value};

use crate::adapter::{Adapter, Call, Calling};
pub use folder::{Folder, FolderLimits};
use spoken::Spoken;

/// Reads and writes the persistent stores of one agent.
pub struct Shelved {
    store: Arc<dyn Store>,
    agent: Text,
    spoken: Spoken,
    folders: BTreeMap<Text, Arc<Folder>>,
}

impl Shelved {
    /// Those of this agent.
    pub fn new(store: Arc<dyn Store>, agent: Text) -> Shelved {
        Shelved { store, agent, spoken: Spoken::default(), folders: BTreeMap::new() }
    }

    /// The same, with stores that show a folder, by their ids.
    #[must_use]
    pub fn with_folders(
        mut self,
        folders: impl IntoIterator<Item = (Text, Arc<Folder>)>,
    ) -> Shelved {
        self.folders.extend(folders);
        self
    }

    /// The folder that a call is about.
    fn folder(&self, call: &Call) -> Option<Arc<Folder>> {
        let Request::Tool(tool) = &call.request else { return None };
        self.folders.get(&tool.store.as_ref()?.id).cloned()
    }

    fn done(&self, call: &Call) -> Result<Value, Fault> {
        let Request::Tool(tool) = &call.request else {
            return Err(Fault::new(FaultKind::Store, "this is no store"));
        };
        let Some(StoreUse { id, kind, verb }) = &tool.store else {
            return Err(Fault::new(FaultKind::Store, "no store is named"));
        };
        let shelf = format!("{}/{id}", self.agent);
        if let StoreVerb::Does(deed) = verb {
            return self.does(&shelf, *kind, *deed, &tool.args, call);
        }
        if let StoreKind::Speaks(..) = kind {
            return self.spoken.done(&*self.store, &shelf, *kind, *verb, &tool.args, call);
        }
        match verb {
            StoreVerb::ReadAll => self.all(&shelf, *kind),
            StoreVerb::Read => self.read(&shelf, *kind, tool.args.get("key"), call),
            StoreVerb::Write => self.write(&shelf, *kind, &tool.args, call),
            // These were done above.
            StoreVerb::Does(_) => Ok(Value::Null),
        }
    }

    fn read(
        &self,
        shelf: &str,
        kind: StoreKind,
        key: Option<&Value>,
        call: &Call,
    ) -> Result<Value, Fault> {
        let failed = |error: &dyn std::fmt::Display| fault(shelf, error);
        if kind == StoreKind::Queue {
            let taken = self.store.shelf_write(shelf, &[Change::Take], &once(call));
            return Ok(taken.map_err(|error| failed(&error))?.unwrap_or_default());
        }
        let is_keyed = matches!(kind, StoreKind::Kv | StoreKind::Blackboard);
        if let (true, Some(Value::Text(key))) = (is_keyed, key) {
            let found = self.store.shelf_get(shelf, key).map_err(|error| failed(&error))?;
            return Ok(found.unwrap_or_default());
        }
        Contents::from_value(kind, &self.all(shelf, kind)?).read(key, call.now)
    }

    /// Everything, also of a queue: nothing is taken.
    fn all(&self, shelf: &str, kind: StoreKind) -> Result<Value, Fault> {
        let items = self.store.shelf_read(shelf).map_err(|error| fault(shelf, &error))?;
        Ok(match kind {
            StoreKind::Kv | StoreKind::Blackboard => {
                let items = items.into_iter().filter_map(|item| Some((item.key?, item.value)));
                Value::from(items.collect::<Map>())
            }
            _ => Value::list(items.into_iter().map(|item| item.value)),
        })
    }

    fn write(&self, shelf: &str, kind: StoreKind, args: &Map, call: &Call) -> Result<Value, Fault> {
        // What can be written is decided where the stores of a run are kept, too.
        let mut written = Contents::new(kind);
        let key = args.get("key").and_then(Value::as_text);
        let value = args.get("value").cloned().unwrap_or_default();
        written.write(key.map(|key| &**key), value, call.now)?;
        let changes: Vec<Change> = match written.to_value() {
            Value::Map(map) => map
                .iter()
                .map(|(key, value)| Change::Set { key: key.clone(), value: value.clone() })
                .collect(),
            Value::List(items) => items.iter().cloned().map(Change::Push).collect(),
            other => vec![Change::Push(other)],
        };
        self.store
            .shelf_write(shelf, &changes, &once(call))
            .map_err(|error| fault(shelf, &error))?;
        Ok(Value::Null)
    }
}

/// Every attempt at the same effect counts once.
fn once(call: &Call) -> Digest {
    Digest::of(call.key.as_bytes())
}

fn fault(shelf: &str, error: &dyn std::fmt::Display) -> Fault {
    Fault::new(FaultKind::Store, format!("store `{shelf}`: {error}"))
}

impl Adapter for Shelved {
    fn call(&self, call: Call) -> Calling {
        // Files take their time.
        if let Some(folder) = self.folder(&call) {
            return folder.call(call);
        }
        Calling::Now(self.done(&call).into())
    }
}
