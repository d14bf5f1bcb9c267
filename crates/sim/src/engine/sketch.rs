//! Graphs in a short notation, for cases that people read and write.
//!
//! ```text
//! main
//!   Set name=x ref=1
//!   R adapter=core.FAIL target="boom" err>n3
//!   Err handler>@rescue
//! rescue
//!   J var=$_error
//! ```
//!
//! A line without indentation begins a label, any other is a node: its op, its slots, its edges.
//! Nodes are `n1`, `n2` and so on. `$x` is a variable; what is JSON is that; anything else is
//! text. `port>n2` leads to a node, `port>@other` to a label. A node that says nothing of `next`
//! goes on to the following one that is no guard; `end` says that it does not.

use graph::ops::{self, SlotKind};
use value::{Map, Text, Value, json};

/// A document in the making.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    labels: Map,
    nodes: Vec<Value>,
    edges: Vec<Value>,
    label: Option<Text>,
    declarations: Map,
    entry: Option<Text>,
}

impl Sketch {
    /// Begins a label; what follows is in it.
    pub fn label(&mut self, name: &str) {
        self.close();
        self.label = Some(name.into());
    }

    /// Adds a node with these operands. Gives its id.
    pub fn node(&mut self, op: &str, slots: Vec<(&str, Value)>) -> String {
        let id = format!("n{}", self.nodes.len() + 1);
        let operands = Value::map(slots);
        let data = Value::map([("op", op.into())]);
        let members = [("id", id.as_str().into()), ("op", op.into()), ("data", data)];
        let mut node: Map = members.map(|(name, value)| (name.into(), value)).into_iter().collect();
        node.insert("operands".into(), operands);
        self.nodes.push(node.into());
        id
    }

    /// Leads from a node of this label to another one.
    pub fn to_node(&mut self, from: &str, port: &str, to: &str) {
        self.edge(from, port, to, "node");
    }

    /// Leads from a node of this label to a label.
    pub fn to_label(&mut self, from: &str, port: &str, to: &str) {
        self.edge(from, port, to, "label");
    }

    fn edge(&mut self, from: &str, port: &str, to: &str, kind: &str) {
        let edge = [("from", from), ("to", to), ("to_kind", kind), ("port", port)];
        self.edges.push(Value::map(edge.map(|(name, value)| (name, value.into()))));
    }

    /// Declares everything of a kind.
    pub fn declare(&mut self, kind: &str, named: Value) {
        self.declarations.insert(kind.into(), named);
    }

    /// Says where a run begins.
    pub fn begin_at(&mut self, label: &str) {
        self.entry = Some(label.into());
    }

    fn close(&mut self) {
        if let Some(label) = self.label.take() {
            let nodes = Value::list(std::mem::take(&mut self.nodes));
            let edges = Value::list(std::mem::take(&mut self.edges));
            let entry = Value::text("n1");
            let members = [("nodes", nodes), ("edges", edges), ("entry", entry)];
            self.labels.insert(label, Value::map(members));
        }
    }

    /// The document.
    pub fn document(mut self) -> Value {
        self.close();
        let mut document = Map::default();
        document.insert("labels".into(), self.labels.into());
        if !self.declarations.is_empty() {
            document.insert("declarations".into(), self.declarations.into());
        }
        if let Some(entry) = self.entry {
            let policy = Value::map([("entry", Value::Text(entry))]);
            document.insert("runtime_policy".into(), policy);
        }
        document.into()
    }

    /// Reads the notation.
    pub fn read(text: &str) -> Result<Sketch, String> {
        let mut sketch = Sketch::default();
        let mut open: Option<String> = None;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if !line.starts_with(' ') {
                sketch.label(line.trim());
                open = None;
                continue;
            }
            let words = words(line.trim())?;
            let (op, rest) = words.split_first().ok_or("a node without op")?;
            let def = ops::find(op).ok_or_else(|| format!("no op is called `{op}`"))?;
            let mut slots = Vec::new();
            let mut edges = Vec::new();
            let mut goes_on = def.goes_on();
            for word in rest {
                if word == "end" {
                    goes_on = false;
                } else if let Some((port, to)) = edge_of(word) {
                    goes_on &= port != "next";
                    edges.push((port, to));
                } else {
                    let (slot, value) =
                        word.split_once('=').ok_or_else(|| format!("what is `{word}`?"))?;
                    let def =
                        def.slot(slot).ok_or_else(|| format!("`{op}` has no slot `{slot}`"))?;
                    slots.push((slot, operand(def.kind, value)?));
                }
            }
            let id = sketch.node(op, slots);
            if def.guards().is_none()
                && let Some(from) = open.take()
            {
                sketch.to_node(&from, "next", &id);
            }
            for (port, to) in edges {
                match to.strip_prefix('@') {
                    Some(label) => sketch.to_label(&id, port, label),
                    None => sketch.to_node(&id, port, to),
                }
            }
            if def.guards().is_none() {
                open = goes_on.then_some(id);
            }
        }
        sketch.close();
        Ok(sketch)
    }
}

/// `port>target`, and not a slot whose value has a `>` in it.
fn edge_of(word: &str) -> Option<(&str, &str)> {
    let (port, to) = word.split_once('>')?;
    ops::Port::find(port).map(|_| (port, to))
}

/// Splits at blanks that are not inside quotes, brackets or braces.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let (mut depth, mut in_quotes) = (0, false);
    for letter in line.chars() {
        match letter {
            '"' => in_quotes = !in_quotes,
            '[' | '{' if !in_quotes => depth += 1,
            ']' | '}' if !in_quotes => depth -= 1,
            _ => {}
        }
        if letter == ' ' && depth == 0 && !in_quotes {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(letter);
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    match depth == 0 && !in_quotes {
        true => Ok(words),
        false => Err(format!("something is left open in `{line}`")),
    }
}

/// An operand as documents write it.
fn operand(kind: SlotKind, written: &str) -> Result<Value, String> {
    let one = |written: &str| match written.strip_prefix('$') {
        Some(name) => Value::map([("var", name.into())]),
        None => {
            let value = json::parse(written).unwrap_or_else(|_| written.into());
            Value::map([("lit", value)])
        }
    };
    let unquoted = |written: &str| match json::parse(written) {
        Ok(Value::Text(text)) => text,
        _ => written.into(),
    };
    Ok(match kind {
        SlotKind::Bind => Value::map([("var", written.trim_start_matches('$').into())]),
        SlotKind::Callee => Value::map([("label", written.trim_start_matches('@').into())]),
        SlotKind::Condition => Value::map([("expr", Value::Text(unquoted(written)))]),
        SlotKind::Values => {
            let inside = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let inside = inside.ok_or_else(|| format!("`{written}` is no list"))?;
            let items = inside.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::list(items.map(one))
        }
        _ => one(written),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_becomes_a_graph() {
        let text = "main\n  Set name=x ref=$y\n  X dst=z fn=add args=[$x, 1]\n  J var=$z\n";
        let graph = crate::engine::read(&Sketch::read(text).unwrap().document()).unwrap();
        let main = &graph.labels["main"];
        assert_eq!(main.nodes[1].reads, vec![Text::from("x")]);
        assert_eq!(main.edges.len(), 2);
    }

    #[test]
    fn mistakes_are_said() {
        for text in ["main\n  Sat name=x", "main\n  Set nam=x", "main\n  Set \"x"] {
            assert!(Sketch::read(text).is_err(), "{text}");
        }
    }
}
