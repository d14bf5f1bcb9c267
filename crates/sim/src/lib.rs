//! Documents, specs, histories and worlds from a seed: the same seed gives the same, and what is
//! made is valid. [`engine`] also has a naive interpreter of graphs. For tests and benchmarks only.
//!
//! ```
//! assert_eq!(sim::document(7, 30), sim::document(7, 30));
//! ```

pub mod engine;
pub mod history;
mod program;
mod random;
pub mod rules;
mod spec;
mod watched;

pub use program::program;
pub use random::Random;
pub use spec::spec;
use value::{Map, Value};
pub use watched::WatchedStore;

/// A valid document with about so many nodes.
pub fn document(seed: u64, nodes: usize) -> Value {
    let mut random = Random::new(seed);
    let mut sizes = Vec::new();
    let mut left = nodes.max(1);
    while left > 0 {
        let size = random.between(1, 24.min(left));
        sizes.push(size);
        left -= size;
    }
    let count = sizes.len();
    let labels: Map = sizes
        .into_iter()
        .enumerate()
        .map(|(at, size)| (name(at).into(), label(&mut random, at, size, count)))
        .collect();
    let mut document = Map::default();
    document.insert("labels".into(), labels.into());
    if random.one_in(2) {
        let input = Value::map([("type", "text".into())]);
        let agent = Value::map([("model", "m".into()), ("prompt", word(&mut random).into())]);
        let declarations = Value::map([
            ("inputs", Value::map([("request", input)])),
            ("agents", Value::map([("writer", agent)])),
        ]);
        document.insert("declarations".into(), declarations);
        let endpoint = Value::map([("label_id", name(0).into()), ("return_var", Value::Null)]);
        let eps = Value::map([("/ask", Value::map([("G", endpoint)]))]);
        document.insert("services".into(), Value::map([("core", Value::map([("eps", eps)]))]));
    }
    document.into()
}

fn name(at: usize) -> String {
    if at.is_multiple_of(3) { format!("step_{at}") } else { (at + 1).to_string() }
}

/// A chain with guards beside it that ends in a return or in a branch to other labels.
fn label(random: &mut Random, at: usize, size: usize, labels: usize) -> Value {
    let mut chain = Chain::default();
    for line in 1..size {
        let protects = chain.can_protect && random.one_in(6);
        if protects && random.one_in(2) {
            chain.guard("Retry", "retry", vec![("count", Value::Int(random.between(1, 5) as i64))]);
        } else if protects {
            let handler = name(random.below(labels));
            chain.guard("Err", "err", vec![("handler", handler.as_str().into())]);
            chain.edge_to_label("handler", &handler);
        } else {
            step(random, &mut chain, at, labels);
        }
        chain.line = line as i64;
    }
    end(random, &mut chain, labels);
    Value::map([("nodes", Value::list(chain.nodes)), ("edges", Value::list(chain.edges))])
}

fn step(random: &mut Random, chain: &mut Chain, at: usize, labels: usize) {
    let out = variable(random);
    match random.below(8) {
        0..=2 => {
            let adapter =
                *random.pick(&["http.GET", "db.F", "core.ADD", "llm.COMPLETION", "http.POST"]);
            let args = Value::list([variable(random).into(), random.below(9).to_string().into()]);
            chain.step(
                "R",
                vec![
                    ("adapter", adapter.into()),
                    ("target", word(random).into()),
                    ("args", args),
                    ("out", out.into()),
                ],
            );
        }
        3 | 4 => chain.step("Set", vec![("name", out.into()), ("ref", word(random).into())]),
        5 => {
            let args = Value::list([variable(random).into(), Value::Int(random.below(100) as i64)]);
            chain.step("X", vec![("dst", out.into()), ("fn", "add".into()), ("args", args)]);
        }
        6 => {
            // Calls lead forward: a label that calls itself in any case would never end.
            match labels - at - 1 {
                0 => chain.step("Set", vec![("name", out.into()), ("ref", word(random).into())]),
                later => {
                    let callee = name(at + 1 + random.below(later));
                    chain.step("Call", vec![("label", callee.into()), ("out", out.into())]);
                }
            }
        }
        _ => chain
            .step("QueuePut", vec![("queue", "jobs".into()), ("value", variable(random).into())]),
    }
}

fn end(random: &mut Random, chain: &mut Chain, labels: usize) {
    let (first, second) = (name(random.below(labels)), name(random.below(labels)));
    match random.below(4) {
        0 => {
            let data = vec![
                ("cond", variable(random).into()),
                ("then", first.as_str().into()),
                ("else", second.as_str().into()),
            ];
            chain.step("If", data);
            chain.edge_to_label("then", &first);
            chain.edge_to_label("else", &second);
        }
        1 => {
            let data = vec![
                ("ref", variable(random).into()),
                ("item", "item".into()),
                ("body", first.as_str().into()),
                ("after", second.as_str().into()),
            ];
            chain.step("Loop", data);
            chain.edge_to_label("body", &first);
            chain.edge_to_label("after", &second);
        }
        _ => chain.step("J", vec![("var", variable(random).into())]),
    }
}

fn variable(random: &mut Random) -> &'static str {
    const NAMES: [&str; 8] =
        ["user", "order", "total", "answer", "items", "score", "draft", "reply"];
    NAMES[random.below(NAMES.len())]
}

fn word(random: &mut Random) -> String {
    let number = random.below(1000);
    format!(
        "{}-{number}",
        random.pick(&["invoice", "ticket", "hello world", "größe", "a\"b", "日本"])
    )
}

#[derive(Default)]
struct Chain {
    nodes: Vec<Value>,
    edges: Vec<Value>,
    /// The node that control comes from.
    last: Option<String>,
    can_protect: bool,
    line: i64,
}

impl Chain {
    fn step(&mut self, op: &str, data: Vec<(&str, Value)>) {
        let id = self.add(op, data);
        if let Some(last) = self.last.replace(id.clone()) {
            self.edge(&last, &id, "node", "next");
        }
        self.can_protect = true;
    }

    /// A guard stands behind the node it protects; control does not pass it.
    fn guard(&mut self, op: &str, port: &str, data: Vec<(&str, Value)>) {
        let id = self.add(op, data);
        let last = self.last.clone().expect("there is a node to protect");
        self.edge(&last, &id, "node", port);
        self.can_protect = false;
    }

    fn add(&mut self, op: &str, data: Vec<(&str, Value)>) -> String {
        let id = format!("n{}", self.nodes.len() + 1);
        let mut members: Map = Map::default();
        members.insert("op".into(), op.into());
        members.insert("lineno".into(), Value::Int(self.line));
        members.extend(data.into_iter().map(|(name, value)| (name.into(), value)));
        let node = [("id", id.as_str().into()), ("op", op.into()), ("data", members.into())];
        self.nodes.push(Value::map(node));
        id
    }

    fn edge_to_label(&mut self, port: &str, label: &str) {
        let from = format!("n{}", self.nodes.len());
        self.edge(&from, label, "label", port);
    }

    fn edge(&mut self, from: &str, to: &str, to_kind: &str, port: &str) {
        let edge = [("from", from), ("to", to), ("to_kind", to_kind), ("port", port)];
        self.edges.push(Value::map(edge.map(|(name, value)| (name, value.into()))));
    }
}
