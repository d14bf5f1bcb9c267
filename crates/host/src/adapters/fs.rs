//! `fs.READ`, `fs.LIST`, `fs.WRITE` and `fs.DELETE` in one folder, as far as the operator lets them.

use runtime::Request;
use value::{Map, Text, Value, json};

use super::{denied, others, refused, taken, text};
use crate::adapter::{Adapter, Bound, Call, Calling};
use crate::tools::{Files, Operation};

/// The verbs, and what each does.
const VERBS: [(&str, Operation); 4] = [
    ("READ", Operation::Read),
    ("LIST", Operation::List),
    ("WRITE", Operation::Write),
    ("DELETE", Operation::Delete),
];

/// A folder that agents may use.
#[derive(Clone, Debug)]
pub(crate) struct Fs {
    pub(crate) files: Files,
}

impl Fs {
    pub(super) fn look(&self) -> Result<String, String> {
        self.files.look()
    }
}

impl Adapter for Fs {
    fn call(&self, call: Call) -> Calling {
        let Some(tool) = taken(&call) else { return Calling::misrouted(&call) };
        let Some((_, operation)) = VERBS.iter().find(|(verb, _)| *verb == &*tool.tool) else {
            let verbs = VERBS.map(|(verb, _)| format!("`fs.{verb}`")).join(", ");
            return super::missing(format!("there is no `fs.{}`, but {verbs}", tool.tool));
        };
        if !self.files.allow.contains(operation) {
            let mut rights: Vec<&str> = self.files.allow.iter().map(|one| one.word()).collect();
            rights.push(operation.word());
            let rights = json::compact(&Value::list(rights.into_iter().map(Value::from)));
            return denied(format!(
                "`fs.{}` is not allowed; if it is meant, write in quipu.toml:\n\n\
                 [adapters.fs]\nallow = {rights}\n",
                tool.tool
            ));
        }
        let path = match (tool.args.get("target"), text(&tool.args)) {
            (_, Some(path)) if !path.is_empty() => path.clone(),
            (None | Some(Value::Null | Value::Text(_)), _) if *operation == Operation::List => {
                ".".into()
            }
            _ => return refused(format!("`fs.{}` needs a path, as text", tool.tool)),
        };
        let mut args = Map::default();
        args.insert("operation".into(), operation.word().into());
        args.insert("path".into(), Value::Text(path));
        if *operation == Operation::Write {
            let Some(content) = others(&tool.args).first() else {
                return refused("`fs.WRITE` needs a path and a text".to_owned());
            };
            args.insert("text".into(), Value::Text(written(content)));
        }
        // What it is, and so what is known of it when it does not end, hangs on this verb alone.
        let files = Files { id: tool.name(), allow: vec![*operation], ..self.files.clone() };
        let mut tool = tool.clone();
        tool.args = args;
        files.call(Call { request: Request::Tool(Box::new(tool)), ..call })
    }
}

/// A text as it is, anything else as JSON.
fn written(content: &Value) -> Text {
    match content {
        Value::Text(text) => text.clone(),
        other => json::compact(other).into(),
    }
}
