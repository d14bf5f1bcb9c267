//! Views of agents: what they say, that nothing overlaps, that nothing breaks them.

mod hostile;
mod words;

use value::{Text, Value};

use super::super::tests::sketch;
use crate::{Graph, Kind};

/// An agent that writes, judges and writes again, with everything that a view can show.
pub(super) const WRITER: &str = r#"
= intake
n1 R {"adapter": "logic.PYTHON", "target": "..."}
n1 next>> write
= write
n1 R {"adapter": "store.READ", "target": "notes", "out": "found"}
+ n2 R {"adapter": "agent.INVOKE", "target": "author", "input": "Task", "output": "Draft"}
n2 retry> n3
n3 Retry {"count": 2}
n2 next> n4
n4 R {"adapter": "store.WRITE", "target": "notes", "input": "Draft"}
n4 next>> good
= good
n1 If {"cond": "fine"}
n1 then>> ask
n1 else> n2
n2 If {"cond": "stuck"}
n2 then>> gone
n2 else>> again
= again
n1 If {"cond": "_done"}
n1 then> n2
n2 J {}
n1 else> n3
n3 If {"cond": "patient"}
n3 then>> write
n3 else> n4
n4 J {}
= ask
n1 Ask {"prompt": "Ship it?", "options": ["yes", "no"], "out": "answer"}
+ n2 Fork {}
n2 branch>> mail
n2 branch>> log
n2 next>> close
= mail
n1 R {"adapter": "tool.CALL", "target": "mailer"}
n1 next>> close
= log
n1 R {"adapter": "channel.PUBLISH", "target": "news"}
n1 next>> close
= close
n1 Join {"strategy": "all"}
+ n2 R {"adapter": "core.NOOP"}
+ n3 J {}
"#;

pub(super) const WRITER_DECLARED: &str = r#"{
  "agents": {"author": {"label": "Author", "model": "m-1", "tools": ["mailer"]}},
  "tools": {"mailer": {"tool_type": "function"}},
  "stores": {"notes": {"store_type": "kv", "schema": "Draft"}},
  "people": {"reader": {"role": "user"}},
  "teams": {"desk": {"members": ["author"], "strategy": "sequential"}},
  "processes": {
    "intake": {"type": "step", "label": "Take it in"},
    "good": {"type": "gate", "label": "Good enough?"},
    "ask": {"type": "checkpoint"},
    "again": {"type": "step"},
    "mail": {"type": "spawn", "template": "author"}
  },
  "policies": {"thrift": {"targets": ["write"], "effect": "deny"}},
  "handlers": {
    "patience": {"scope": ["mail"], "retry": {"max_retries": 3}},
    "rescue": {"scope": ["write"], "fallback": "close"}
  },
  "links": {
    "1": {"type": "flow", "from": "reader", "to": "intake", "data": "Task"},
    "2": {"type": "observe", "from": "reader", "to": "author"}
  },
  "schemas": {
    "Task": {"fields": [{"name": "topic", "type": "string"}]},
    "Draft": {"fields": [
      {"name": "parts", "type": "list<Part>"},
      {"name": "mood", "type": "enum[Task, Part]"},
      {"name": "of", "type": "Task | Part", "optional": true}
    ]},
    "Part": {"fields": [{"name": "words", "type": "integer", "default": 3}]}
  }
}"#;

/// A graph of a sketch and declarations.
pub(super) fn declared(sketch: &str, declarations: &str) -> Graph {
    let mut graph = sketch::graph(sketch);
    let declarations = value::json::parse(declarations).expect("declarations are JSON");
    for (word, members) in declarations.as_map().expect("they are an object").iter() {
        let kind = Kind::find(word).expect("a kind is known");
        for (id, declared) in members.as_map().expect("members are named").iter() {
            graph.declarations.of_mut(kind).insert(id.clone(), declared.clone());
        }
    }
    graph
}

/// The agent above, with what sketches cannot say.
pub(super) fn writer() -> Graph {
    let mut graph = declared(WRITER, WRITER_DECLARED);
    graph.extra.insert("name".into(), Value::text("Writer"));
    let label = graph.labels.get_mut("intake").unwrap();
    label.nodes[0].writes = ["round", "topic"].map(Text::from).to_vec();
    let label = graph.labels.get_mut("good").unwrap();
    let gate = Value::map([("source", Value::text("polarity")), ("text", Value::text("fine"))]);
    label.nodes[0].extra.keep("gate".into(), gate);
    label.edges[0].extra.keep("label".into(), Value::text("ship it"));
    graph
}
