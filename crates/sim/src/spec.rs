//! Agent Ontology specs from a seed: a long chain of steps with logic and calls, gates with
//! conditions, bounded loops and forks that meet again. Every one is without errors.

use std::fmt::Write;

use crate::Random;

/// A spec of so many processes, as YAML.
pub fn spec(seed: u64, processes: usize) -> String {
    let mut random = Random::new(seed);
    let mut writer = Writer::default();
    let mut at = 0;
    writer.step(at, "state.data[\"score\"] = 0");
    while at + 1 < processes {
        let left = processes - at - 1;
        at = match random.below(6) {
            0 if left >= 4 => writer.fork(at),
            1 if left >= 3 => writer.gate(&mut random, at),
            2 if left >= 2 => writer.repeat(at),
            _ => writer.call(&mut random, at),
        };
    }
    writer.text()
}

#[derive(Default)]
struct Writer {
    processes: String,
    edges: String,
}

impl Writer {
    fn step(&mut self, at: usize, logic: &str) {
        let _ = write!(
            self.processes,
            "  - id: p{at}\n    type: step\n    label: \"Step {at}\"\n    logic: |\n"
        );
        for line in logic.lines() {
            let _ = writeln!(self.processes, "      {line}");
        }
    }

    fn edge(&mut self, kind: &str, from: usize, to: usize, more: &str) {
        let _ = writeln!(self.edges, "  - {{ type: {kind}, from: p{from}, to: p{to}{more} }}");
    }

    /// A step that calls an agent.
    fn call(&mut self, random: &mut Random, at: usize) -> usize {
        let next = at + 1;
        let agent = random.below(4);
        self.step(
            next,
            &format!("state.data[\"seen_{}\"] = state.data.get(\"text\", \"\")", random.below(50)),
        );
        self.edge("flow", at, next, ", label: \"on\"");
        let _ = writeln!(
            self.edges,
            "  - {{ type: invoke, from: p{next}, to: agent_{agent}, input: Task, output: Reply }}"
        );
        next
    }

    /// A gate between two steps that meet again.
    fn gate(&mut self, random: &mut Random, at: usize) -> usize {
        let (gate, yes, no) = (at + 1, at + 2, at + 3);
        let limit = random.between(1, 9);
        let _ = write!(
            self.processes,
            "  - id: p{gate}\n    type: gate\n    label: \"Good?\"\n    condition: \"score >= {limit}\"\n    \
             branches:\n      - {{ condition: \"score >= {limit}\", target: p{yes} }}\n      \
             - {{ condition: \"score < {limit}\", target: p{no} }}\n"
        );
        self.step(yes, "state.data[\"score\"] = 0");
        self.step(no, "state.data[\"score\"] = state.data.get(\"score\", 0) + 1");
        self.edge("flow", at, gate, "");
        self.edge("branch", gate, yes, &format!(", condition: \"score >= {limit}\""));
        self.edge("branch", gate, no, &format!(", condition: \"score < {limit}\""));
        self.edge("flow", yes, no, "");
        no
    }

    /// A loop of two steps that counts.
    fn repeat(&mut self, at: usize) -> usize {
        let (head, tail) = (at + 1, at + 2);
        self.step(
            head,
            &format!("state.data[\"round_{head}\"] = state.data.get(\"round_{head}\", 0) + 1"),
        );
        self.step(tail, "items = [item for item in state.data.get(\"items\", [])]\nstate.data[\"items\"] = items[:3]");
        self.edge("flow", at, head, "");
        self.edge("flow", head, tail, "");
        self.edge(
            "loop",
            tail,
            head,
            &format!(", condition: \"round_{head} < 3\", max_iterations: 5"),
        );
        tail
    }

    /// Two steps beside each other, and the one where they meet.
    fn fork(&mut self, at: usize) -> usize {
        let (left, right, join) = (at + 1, at + 2, at + 3);
        self.step(left, &format!("state.data[\"left_{left}\"] = 1"));
        self.step(right, &format!("state.data[\"right_{right}\"] = 2"));
        self.step(
            join,
            &format!(
                "state.data[\"sum\"] = state.data[\"left_{left}\"] + state.data[\"right_{right}\"]"
            ),
        );
        self.edge("flow", at, left, "");
        self.edge("flow", at, right, "");
        self.edge("flow", left, join, "");
        self.edge("flow", right, join, "");
        join
    }

    fn text(self) -> String {
        let mut text =
            "name: Generated\nversion: \"1.0\"\nentry_point: p0\nentities:\n".to_string();
        text.push_str("  - { id: user, type: human, label: User }\n");
        for agent in 0..4 {
            let _ = writeln!(
                text,
                "  - {{ id: agent_{agent}, type: agent, label: Agent, model: some-model }}"
            );
        }
        let _ = write!(text, "processes:\n{}edges:\n{}", self.processes, self.edges);
        text.push_str("  - { type: flow, from: user, to: p0, data: Task }\n");
        for agent in 0..4 {
            let _ = writeln!(text, "  - {{ type: observe, from: user, to: agent_{agent} }}");
        }
        text.push_str(
            "schemas:\n  - name: Task\n    fields:\n      - { name: text, type: string }\n  - name: Reply\n    \
             fields:\n      - { name: text, type: string }\n      - { name: score, type: integer }\n",
        );
        text
    }
}
