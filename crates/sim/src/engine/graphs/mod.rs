//! Graphs that run, from a seed. Each one ends or meets a limit.
//!
//! They are made as text in the notation of [`super::Sketch`], so that a case can be read.
//! Names have one kind of value each, so that functions mean the same to everybody:
//! `a` to `d` and counters `k1`, `k2`, ... are whole numbers, `s` and `t` text, `items` a list of
//! numbers, `bag` any list, `rows` a list of objects, `o` an object, `r1` to `r3` anything.
//! What is only alike between interpreters has a name that begins with `_`: no prompt has it.

mod statements;

use std::fmt::Write;

use value::{Map, Value, json};

use super::{Sketch, read};
use crate::Random;

/// A graph of about so many nodes.
pub fn graph(seed: u64, size: usize) -> graph::Graph {
    read(&document(seed, size)).unwrap_or_else(|why| {
        panic!("seed {seed} with size {size} gives a bad graph: {why}\n{}", text(seed, size))
    })
}

/// The same, as a document.
pub fn document(seed: u64, size: usize) -> Value {
    let maker = Maker::made(seed, size);
    let text = maker.text();
    let sketch = Sketch::read(&text).unwrap_or_else(|why| {
        panic!("seed {seed} with size {size} gives a bad text: {why}\n{text}")
    });
    let mut document = sketch.document();
    if let Value::Map(members) = &mut document {
        // Counters are inputs too: what was never set cannot be counted up.
        let counters: String = (1..=maker.counters)
            .map(|counter| format!("\"k{counter}\": {{\"default\": 0}}, "))
            .collect();
        let declarations = DECLARATIONS.replace("COUNTERS ", &counters);
        let declarations = json::parse(&declarations).expect("the declarations are JSON");
        let capabilities = json::parse(CAPABILITIES).expect("the capabilities are JSON");
        let members = std::sync::Arc::make_mut(members);
        members.insert("declarations".into(), declarations);
        members.insert("capabilities".into(), capabilities);
    }
    document
}

/// The same, as a sketch without declarations.
pub fn text(seed: u64, size: usize) -> String {
    Maker::made(seed, size).text()
}

/// What a run of it is given.
pub fn inputs(seed: u64) -> Map {
    let mut random = Random::new(seed ^ 0x696e_7075_7473);
    let mut given = Map::default();
    for name in ["a", "b", "c"] {
        if random.one_in(2) {
            given.insert(name.into(), Value::Int(random.below(6) as i64));
        }
    }
    if random.one_in(2) {
        given.insert("s".into(), Value::text(*random.pick(&["yes", "no", "größe"])));
    }
    if random.one_in(2) {
        let count = random.below(5);
        let items = (0..count).map(|_| Value::Int(random.below(4) as i64));
        given.insert("items".into(), Value::list(items.collect::<Vec<_>>()));
    }
    if random.one_in(3) {
        given.insert("_auth_present".into(), Value::Bool(random.one_in(2)));
    }
    given
}

const DECLARATIONS: &str = r#"{
  "inputs": {
    COUNTERS "a": {"default": 1}, "b": {"default": 2}, "c": {"default": 3}, "d": {"default": 0},
    "s": {"default": "yes"}, "t": {"default": "calm"},
    "items": {"default": [1, 2]}, "bag": {"default": []},
    "rows": {"default": [{"n": 2, "s": "x"}, {"n": 1, "s": "y"}, {"n": 3, "s": "x"}]},
    "o": {"default": {"ox": 1}}
  },
  "agents": {"writer": {"model": "m"}, "judge": {"model": "m", "tools": ["search", "send"]}},
  "tools": {"search": {}, "send": {}},
  "stores": {
    "notes": {"store_type": "kv", "retention": "session"},
    "archive": {"store_type": "kv", "retention": "persistent"},
    "jobs": {"store_type": "queue", "retention": "ephemeral"}
  },
  "channels": {"news": {"channel_type": "topic"}},
  "schemas": {
    "Task": {"fields": [
      {"name": "a", "type": "integer"}, {"name": "s", "type": "string"},
      {"name": "ox", "type": "integer"}, {"name": "hint", "type": "string", "default": "none"}]},
    "Note": {"fields": [{"name": "a", "type": "integer"}, {"name": "t", "type": "string"}]},
    "ModelReply": {"fields": [
      {"name": "b", "type": "integer"}, {"name": "t", "type": "string", "default": "calm"},
      {"name": "mood", "type": "enum[low, high]"}]},
    "Plan": {"fields": [
      {"name": "plan", "type": "string"},
      {"name": "items", "type": "list<integer>", "default": [7]}]}
  },
  "reducers": {
    "items": {"reducer": "append"}, "o": {"reducer": "merge"},
    "c": {"reducer": "max"}, "d": {"reducer": "min"}
  }
}"#;

const CAPABILITIES: &str = r#"{"policy": {
  "open": {"constraints": {"auth": "no"}},
  "strict": {"constraints": {"require_auth": true, "auth": "yes"}}
}}"#;

/// How a region of labels ends.
#[derive(Clone, Debug)]
enum End {
    /// It returns.
    Return,
    /// It comes to the join that begins this label, or returns.
    Join(String),
}

struct Maker {
    random: Random,
    labels: Vec<(String, Vec<String>)>,
    counters: usize,
    names: usize,
    /// How many statements may still be made.
    left: usize,
}

/// Regions are not nested deeper.
const DEPTH_MAX: usize = 6;

impl Maker {
    fn made(seed: u64, size: usize) -> Maker {
        let mut maker = Maker {
            random: Random::new(seed),
            labels: Vec::new(),
            counters: 0,
            names: 0,
            left: size.max(1),
        };
        maker.region("p", 0, &End::Return);
        // Made inside out; a document begins with its entry.
        maker.labels.reverse();
        maker
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, lines) in &self.labels {
            let _ = writeln!(text, "{name}");
            for line in lines {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }

    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    fn counter(&mut self) -> String {
        self.counters += 1;
        format!("k{}", self.counters)
    }

    /// One to three labels, one after the other by transfer. Gives the name of the first.
    fn region(&mut self, kind: &str, depth: usize, end: &End) -> String {
        let count = self.random.between(1, 3);
        let names: Vec<String> = (0..count).map(|_| self.name(kind)).collect();
        let mut made = Vec::new();
        let mut begins_with_join = false;
        for (at, name) in names.iter().enumerate() {
            let mut lines = Vec::new();
            if std::mem::take(&mut begins_with_join) {
                lines.push(self.join());
            }
            let last = at + 1 == count;
            for _ in 0..self.random.between(1, 4) {
                if self.left > 0 {
                    self.left -= 1;
                    self.statement(&mut lines, name, depth);
                }
            }
            if last {
                self.bounded_back_edge(&mut lines, &names, depth);
                self.end(&mut lines, end, depth);
            } else {
                begins_with_join = self.on_to(&mut lines, &names[at + 1], depth);
            }
            made.push((name.clone(), lines));
        }
        // Labels stand in reverse until all are made.
        self.labels.extend(made.into_iter().rev());
        names[0].clone()
    }

    /// Goes on to the next label of a region; says whether that must begin with a join.
    fn on_to(&mut self, lines: &mut Vec<String>, next: &str, depth: usize) -> bool {
        if depth < DEPTH_MAX && self.left > 1 && self.random.one_in(3) {
            let end = End::Join(next.to_string());
            let fork = self.fork_line(depth, &end);
            lines.push(format!("{fork} next>@{next}"));
            return true;
        }
        match self.random.below(3) {
            0 => {
                let cond = self.condition();
                lines.push(format!("If cond=\"{cond}\" then>@{next} else>@{next}"));
            }
            _ => lines.push(format!("R adapter=core.NOOP next>@{next}")),
        }
        false
    }

    /// Sometimes a cycle that a counter ends, seldom one that only a limit ends.
    fn bounded_back_edge(&mut self, lines: &mut Vec<String>, names: &[String], depth: usize) {
        let to = self.random.pick(names).clone();
        if self.random.one_in(4) {
            let (counter, limit) = (self.counter(), self.random.between(1, 3));
            lines.push(format!("X dst={counter} fn=add args=[${counter}, 1]"));
            let next = lines.len() + 2;
            lines.push(format!("If cond=\"{counter} <= {limit}\" then>@{to} else>n{next}"));
        } else if depth == 0 && self.random.one_in(15) {
            let next = lines.len() + 2;
            lines.push(format!("If cond=\"always\" then>@{to} else>n{next}"));
        }
    }

    fn end(&mut self, lines: &mut Vec<String>, end: &End, depth: usize) {
        if let End::Join(join) = end {
            match self.random.below(5) {
                // A fork inside a branch that waits at the same join.
                0 if depth < DEPTH_MAX && self.left > 1 => {
                    let fork = self.fork_line(depth, end);
                    lines.push(format!("{fork} next>@{join}"));
                    return;
                }
                0..=2 => return lines.push(format!("R adapter=core.NOOP next>@{join}")),
                _ => {}
            }
        }
        let line = match self.random.below(5) {
            0 => "R adapter=core.NOOP end".to_string(),
            1 => "J".to_string(),
            2 => "J var=\"done\"".to_string(),
            _ => format!("J var=${}", self.random.pick(&["a", "b", "s", "items", "r1", "o"])),
        };
        lines.push(line);
    }

    /// A fork without its `next`, with its branches made.
    fn fork_line(&mut self, depth: usize, end: &End) -> String {
        let mut line = "Fork".to_string();
        if self.random.one_in(3) {
            let over = match self.random.below(10) {
                0 => "$a",
                1 => "$o",
                _ => "$items",
            };
            let _ = write!(line, " over={over} item=it");
        }
        for _ in 0..self.random.between(1, 3) {
            let _ = match self.random.one_in(8) {
                // A way without a process of its own.
                true if let End::Join(join) = end => write!(line, " branch>@{join}"),
                _ => write!(line, " branch>@{}", self.region("b", depth + 1, end)),
            };
        }
        line
    }

    fn join(&mut self) -> String {
        let strategies = ["all", "all", "any", "race", "quorum", "quorum:1", "quorum:2"];
        let mut line = match self.random.one_in(5) {
            true => "Join".to_string(),
            false => format!("Join strategy={}", self.random.pick(&strategies)),
        };
        if self.random.one_in(2) {
            line.push_str(" reducers={\"a\":\"max\",\"bag\":\"append\",\"s\":\"replace\"}");
        }
        line
    }

    fn condition(&mut self) -> String {
        let number = self.random.below(5);
        match self.random.below(10) {
            0 => format!("a < {number}"),
            1 => format!("b >= {number} and c != {number}"),
            2 => "s = yes".to_string(),
            3 => "not r1".to_string(),
            4 => "r2?".to_string(),
            5 => format!("len(items) > {number}"),
            6 => format!("o.ox = {number} or d < 1"),
            7 => format!("{number} in items"),
            8 => "mood is null".to_string(),
            _ => "t contains al".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_that_runs_is_in_some_graph() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..300 {
            let graph = graph(seed, 30);
            for node in graph.labels.values().flat_map(|label| &label.nodes) {
                seen.insert(node.op.name().to_string());
            }
        }
        let missing: Vec<&str> = graph::ops::OPS
            .iter()
            .map(|op| op.name)
            .filter(|name| !["Route", "Tx"].contains(name) && !seen.contains(*name))
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}
