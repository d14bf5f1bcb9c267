//! What a patch says, typed.

use std::sync::Arc;

use value::{Map, Ordered, Text, Value};

use super::{INVALID, Refusal};
use crate::model::ToKind;
use crate::ops::{self, OpDef, Port};

/// Changes, and what must hold before them.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// The graph must have this checksum.
    pub requires_checksum: Option<Text>,
    /// These labels must have these hashes.
    pub requires_label_hash: Ordered<Text>,
    /// In order.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Puts a node between another and what comes next.
    InsertNodeAfter {
        /// The label.
        label: Text,
        /// The node before.
        after: Text,
        /// The new node.
        node: NewNode,
    },
    /// Leads an edge somewhere else; makes it if there is none.
    RewireEdge {
        /// The label.
        label: Text,
        /// The node it leaves.
        from: Text,
        /// By which port.
        port: Port,
        /// Where to.
        to: Text,
        /// What that is; by default a node if there is one of that name.
        to_kind: Option<ToKind>,
    },
    /// Takes a node out; what led to it leads to what came next.
    RemoveNode {
        /// The label.
        label: Text,
        /// The node.
        node: Text,
    },
    /// Changes members of a node's data.
    SetNodeData {
        /// The label.
        label: Text,
        /// The node.
        node: Text,
        /// Merged into what is there.
        data: Arc<Map>,
        /// The same with types, where quotes matter.
        operands: Arc<Map>,
    },
    /// Has an adapter call tried again.
    WrapWithRetry {
        /// The label.
        label: Text,
        /// The node.
        node: Text,
        /// How often.
        count: i64,
        /// How long to wait between.
        backoff_ms: i64,
    },
    /// Has a node's failure handled by a label.
    AttachErrHandler {
        /// The label.
        label: Text,
        /// The node.
        node: Text,
        /// The label that handles it.
        handler: Text,
    },
}

/// A node to be inserted.
#[derive(Clone, Debug)]
pub struct NewNode {
    /// What it does.
    pub op: &'static OpDef,
    /// Its data.
    pub data: Arc<Map>,
    /// The same with types, where quotes matter.
    pub operands: Arc<Map>,
    /// What later changes of the patch call it.
    pub name: Option<Text>,
}

impl Patch {
    /// Reads a patch; the first thing that is wrong refuses it.
    pub fn from_value(value: &Value) -> Result<Patch, Refusal> {
        let at =
            Members::of(value, "the patch", &["requires_checksum", "requires_label_hash", "ops"])?;
        let mut patch =
            Patch { requires_checksum: at.text_or_none("requires_checksum")?, ..Patch::default() };
        for (label, hash) in at.map("requires_label_hash")?.iter() {
            let hash = hash
                .as_text()
                .ok_or_else(|| invalid("`requires_label_hash` maps labels to hashes"))?;
            patch.requires_label_hash.insert(label.clone(), hash.clone());
        }
        let changes = at.map.get("ops").and_then(Value::as_list);
        let changes = changes.ok_or_else(|| invalid("the patch needs `ops`, a list of changes"))?;
        for (position, change) in changes.iter().enumerate() {
            let change =
                change_from(change).map_err(|refusal| refusal.with("op", position as i64))?;
            patch.changes.push(change);
        }
        Ok(patch)
    }
}

fn change_from(value: &Value) -> Result<Change, Refusal> {
    let op = value.get("op").and_then(Value::as_text);
    let op = op.ok_or_else(|| invalid("a change needs `op`, for example `\"rewire_edge\"`"))?;
    let members = |known: &[&str]| Members::of(value, op, known);
    Ok(match &**op {
        "insert_node_after" => {
            let at = members(&["op", "label", "after", "node"])?;
            Change::InsertNodeAfter {
                label: at.text("label")?,
                after: at.text("after")?,
                node: new_node(&at)?,
            }
        }
        "rewire_edge" => {
            let at = members(&["op", "label", "from", "port", "to", "to_kind"])?;
            let port = at.text("port")?;
            let to_kind = match at.text_or_none("to_kind")?.as_deref() {
                None => None,
                Some("node") => Some(ToKind::Node),
                Some("label") => Some(ToKind::Label),
                Some(other) => {
                    return Err(invalid(&format!("`to_kind` is `node` or `label`, not `{other}`")));
                }
            };
            let port = Port::find(&port).ok_or_else(|| invalid(&format!("`{port}` is no port")))?;
            Change::RewireEdge {
                label: at.text("label")?,
                from: at.text("from")?,
                port,
                to: at.text("to")?,
                to_kind,
            }
        }
        "remove_node" => {
            let at = members(&["op", "label", "node"])?;
            Change::RemoveNode { label: at.text("label")?, node: at.text("node")? }
        }
        "set_node_data" => {
            let at = members(&["op", "label", "node", "data", "operands"])?;
            let (data, operands) = (at.map("data")?, at.map("operands")?);
            if data.is_empty() && operands.is_empty() {
                return Err(invalid("`set_node_data` needs `data`"));
            }
            Change::SetNodeData { label: at.text("label")?, node: at.text("node")?, data, operands }
        }
        "wrap_r_with_retry" => {
            let at = members(&["op", "label", "node", "count", "backoff_ms"])?;
            let (count, backoff_ms) = (at.number("count", 3)?, at.number("backoff_ms", 0)?);
            Change::WrapWithRetry {
                label: at.text("label")?,
                node: at.text("node")?,
                count,
                backoff_ms,
            }
        }
        "attach_err_handler" => {
            let at = members(&["op", "label", "node", "handler"])?;
            Change::AttachErrHandler {
                label: at.text("label")?,
                node: at.text("node")?,
                handler: at.text("handler")?,
            }
        }
        other => {
            const KNOWN: [&str; 6] = [
                "insert_node_after",
                "rewire_edge",
                "remove_node",
                "set_node_data",
                "wrap_r_with_retry",
                "attach_err_handler",
            ];
            let help = match diagnostics::nearest(other, KNOWN) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it is one of {}", KNOWN.join(", ")),
            };
            return Err(invalid(&format!("`{other}` is no change: {help}")));
        }
    })
}

fn new_node(at: &Members<'_>) -> Result<NewNode, Refusal> {
    let node = at.map.get("node").ok_or_else(|| invalid("`insert_node_after` needs `node`"))?;
    let at = Members::of(node, "the new node", &["op", "data", "operands", "as"])?;
    let name = at.text("op")?;
    let op = ops::find(&name).ok_or_else(|| {
        let near = diagnostics::nearest(&name, ops::OPS.iter().map(|op| op.name));
        let help = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        invalid(&format!("unknown op `{name}`{help}"))
    })?;
    let (data, operands) = (at.map("data")?, at.map("operands")?);
    Ok(NewNode { op, data, operands, name: at.text_or_none("as")? })
}

/// The members of one object of a patch.
struct Members<'a> {
    what: &'a str,
    map: &'a Map,
}

impl<'a> Members<'a> {
    fn of(value: &'a Value, what: &'a str, known: &[&str]) -> Result<Members<'a>, Refusal> {
        let map = value.as_map();
        let map =
            map.ok_or_else(|| invalid(&format!("{what} must be an object, not {}", value.kind())))?;
        match map.keys().find(|name| !known.contains(&&***name)) {
            None => Ok(Members { what, map }),
            Some(unknown) => {
                let near = diagnostics::nearest(unknown, known.iter().copied());
                let help =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                Err(invalid(&format!("`{unknown}` is no member of {what}{help}")))
            }
        }
    }

    fn text_or_none(&self, name: &str) -> Result<Option<Text>, Refusal> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(other) => Err(invalid(&format!("`{name}` must be text, not {}", other.kind()))),
        }
    }

    fn text(&self, name: &str) -> Result<Text, Refusal> {
        let missing = || invalid(&format!("`{}` needs `{name}`", self.what));
        self.text_or_none(name)?.ok_or_else(missing)
    }

    fn map(&self, name: &str) -> Result<Arc<Map>, Refusal> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(Arc::default()),
            Some(Value::Map(map)) => Ok(map.clone()),
            Some(other) => {
                Err(invalid(&format!("`{name}` must be an object, not {}", other.kind())))
            }
        }
    }

    fn number(&self, name: &str, default: i64) -> Result<i64, Refusal> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(Value::Int(number)) if *number >= 0 => Ok(*number),
            Some(_) => Err(invalid(&format!("`{name}` must be a whole number, 0 or more"))),
        }
    }
}

fn invalid(message: &str) -> Refusal {
    Refusal::new(INVALID, message.to_string())
}
