//! Attacks, by the classes of `docs/security.md`, as far as they meet the command. Each test fails
//! closed: what it finds is refused, or stays what it was.

mod adapters;
mod answers;
mod bombs;
mod budgets;
mod canaries;
mod code;
mod injection;
mod looking;
mod markers;
mod plain_data;
mod table;

use std::process::{Command, Stdio};

use crate::run::{Done, Folder};
use crate::running::done;

/// More cases where there is time.
fn cases(usual: u32) -> u32 {
    if std::env::var_os("QUIPU_SLOW").is_some() { 8 * usual } else { usual }
}

impl Folder {
    /// Runs the binary with more variables.
    fn run_knowing(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Done {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(arguments).current_dir(self.path()).env("NO_COLOR", "1");
        command.envs(variables.iter().copied()).stdin(Stdio::null());
        done(command.output().unwrap())
    }

    /// Whether any file of the folder has this text, but for those that a test wrote itself.
    fn holds(&self, text: &str, own: &[&str]) -> Option<String> {
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let bytes = std::fs::read(&path).unwrap();
                let has = bytes.windows(text.len()).any(|bytes| bytes == text.as_bytes());
                if has && !own.contains(&&*name) {
                    return Some(name);
                }
            }
        }
        None
    }
}

/// An agent that hands what it is given, `x`, to everything that takes it: a tool, a model, a name,
/// a block of logic, a condition, and a person who is asked.
const CARRIES: &str = r#"{
  "declarations": {
    "schemas": {"X": {"fields": [{"name": "x", "type": "any"}]}},
    "agents": {"clerk": {"model": "m", "system_prompt": "Say {x}, $x, {{x}} and {secret:CANARY}."}}
  },
  "labels": {"start": {
    "nodes": [
      {"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "work", "input": "X", "out": "done"}},
      {"id": "n2", "op": "R", "data": {"adapter": "agent.INVOKE", "target": "clerk", "input": "X", "out": "said"}},
      {"id": "n3", "op": "Set", "data": {"name": "y", "ref": "$x"}},
      {"id": "n4", "op": "R", "data": {"adapter": "logic.PYTHON", "target": "state.data['z'] = state.data['x']"}},
      {"id": "n5", "op": "If", "data": {"cond": "x == 'yes' or said == 'yes' or done == 'yes'"}},
      {"id": "n6", "op": "Set", "data": {"name": "way", "ref": "led"}},
      {"id": "n7", "op": "Ask", "data": {"prompt": "What now?", "out": "person"}},
      {"id": "n8", "op": "J", "data": {"var": "$done"}}
    ],
    "edges": [
      {"from": "n1", "port": "next", "to": "n2", "to_kind": "node"},
      {"from": "n2", "port": "next", "to": "n3", "to_kind": "node"},
      {"from": "n3", "port": "next", "to": "n4", "to_kind": "node"},
      {"from": "n4", "port": "next", "to": "n5", "to_kind": "node"},
      {"from": "n5", "port": "then", "to": "n6", "to_kind": "node"},
      {"from": "n5", "port": "else", "to": "n7", "to_kind": "node"},
      {"from": "n6", "port": "next", "to": "n7", "to_kind": "node"},
      {"from": "n7", "port": "next", "to": "n8", "to_kind": "node"}
    ]
  }}
}"#;
