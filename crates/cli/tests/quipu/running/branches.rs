//! Fan-outs whose branches are unequal: what comes after them runs once, for those that came.

use value::Value;

use super::{CALL, graph, list, text};
use crate::run::Folder;

/// Steps of these names, and the lines of other processes and of edges.
struct Spec<'a> {
    steps: &'a str,
    others: &'a [&'a str],
    /// `a > b c` leads from `a` to `b` and `c`.
    flows: &'a [&'a str],
    edges: &'a [&'a str],
}

/// A gate that goes to the first where this holds, and else to the second.
fn gate(id: &str, condition: &str, yes: &str, no: &str) -> String {
    format!(
        "{{id: {id}, type: gate, label: {id}, condition: {condition}, branches: \
         [{{condition: {condition}, target: {yes}}}, {{condition: else, target: {no}}}]}}"
    )
}

impl Spec<'_> {
    fn document(&self) -> String {
        let mut all =
            "name: fan\nversion: \"1.0\"\nentry_point: s\nstate: {initial: {k: 0, h: 0}}\n\
             entities:\n  - {id: writer, type: agent, label: W, model: m}\nprocesses:\n"
                .to_string();
        for id in self.steps.split(' ') {
            all.push_str(&format!("  - {{id: {id}, type: step, label: {id}}}\n"));
        }
        self.others.iter().for_each(|line| all.push_str(&format!("  - {line}\n")));
        all.push_str("edges:\n");
        for flow in self.flows {
            let (from, targets) = flow.split_once(" > ").unwrap();
            for to in targets.split(' ') {
                all.push_str(&format!("  - {{type: flow, from: {from}, to: {to}}}\n"));
            }
        }
        self.edges.iter().for_each(|line| all.push_str(&format!("  - {line}\n")));
        all
    }

    /// The processes that a run begins, in order.
    fn path(&self, inputs: &[&str]) -> String {
        let folder = Folder::new();
        folder.write("fan.yaml", self.document());
        let mut arguments = vec!["run", "fan.yaml", "--model", "stub:low", "--json"];
        inputs.iter().for_each(|input| arguments.extend(["--input", *input]));
        let done = folder.run(&arguments);
        assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
        let report = done.json();
        folder.is_sound(text(&report, "run"));
        let path = list(&report, "path").iter().filter_map(Value::as_text);
        let path: Vec<&str> = path.map(|id| &**id).collect();
        path.join(" ")
    }
}

#[test]
fn what_comes_after_a_fan_out_runs_once_although_a_branch_may_end_elsewhere() {
    let gate = gate("g", "k == 1", "j", "z");
    let spec = Spec {
        steps: "s a b b2 j z e",
        others: &[&gate],
        flows: &["s > a b", "a > g", "b > b2", "b2 > j", "j > e"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=1"]), "s a b g b2 j e");
    assert_eq!(spec.path(&["k=0"]), "s a b g b2 z j e");
}

#[test]
fn three_branches_of_unequal_length_meet() {
    let gate = gate("g", "k == 1", "j", "z");
    let spec = Spec {
        steps: "s a b b2 c c2 c3 j z e",
        others: &[&gate],
        flows: &["s > a b c", "a > j", "b > b2", "b2 > j", "c > c2", "c2 > c3", "c3 > g", "j > e"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=1"]), "s a b c b2 c2 c3 g j e");
    assert_eq!(spec.path(&["k=0"]), "s a b c b2 c2 c3 g z j e");
}

#[test]
fn a_gate_whose_ways_both_lead_on_is_waited_for() {
    let gate = gate("g", "k == 1", "x", "y");
    let spec = Spec {
        steps: "s a b x y j e",
        others: &[&gate],
        flows: &["s > a b", "a > g", "b > j", "x > j", "y > j", "j > e"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=1"]), "s a b g x j e");
    assert_eq!(spec.path(&["k=0"]), "s a b g y j e");
}

#[test]
fn branches_wait_where_none_of_those_that_go_on_can_pass_by() {
    // Each may mend first or give up; what both go on to is not the mending.
    let first = gate("g", "k == 1", "mend", "g2");
    let second = gate("g2", "k == 2", "x", "j");
    let third = gate("h1", "h == 1", "mend", "h2");
    let fourth = gate("h2", "h == 2", "y", "j");
    let spec = Spec {
        steps: "s a b mend x y j e",
        others: &[&first, &second, &third, &fourth],
        flows: &["s > a b", "a > g", "b > h1", "mend > j", "j > e"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=0", "h=0"]), "s a b g h1 g2 h2 j e");
    assert_eq!(spec.path(&["k=1", "h=0"]), "s a b g h1 mend h2 j e");
    assert_eq!(spec.path(&["k=2", "h=1"]), "s a b g h1 g2 mend x j e");
}

#[test]
fn a_branch_that_ends_the_run_ends_it_where_they_meet() {
    let gate = gate("g", "k == 1", "j", "z");
    let spec = Spec {
        steps: "s b b2 z e",
        others: &[
            "{id: a, type: step, label: a, logic: 'state.data[\"_done\"] = state.data[\"h\"] == 1'}",
            &gate,
            "{id: j, type: step, label: j}",
        ],
        flows: &["s > a b", "a > g", "b > b2", "b2 > j", "j > e"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=1", "h=0"]), "s a b g b2 j e");
    assert_eq!(spec.path(&["k=1", "h=1"]), "s a b b2 j", "they meet, and the run is over");
}

#[test]
fn where_no_branch_comes_nothing_happens() {
    let (first, second) = (gate("g", "k == 1", "j", "x"), gate("g2", "h == 1", "j", "y"));
    let spec = Spec {
        steps: "s a b x y e",
        others: &[
            &first,
            &second,
            "{id: j, type: step, label: j, logic: 'state.data[\"ran\"] = True'}",
        ],
        flows: &["s > a b", "a > g", "b > g2", "j > e"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=1", "h=1"]), "s a b g g2 j e");
    assert_eq!(spec.path(&["k=0", "h=1"]), "s a b g g2 x j e");
    assert_eq!(spec.path(&["k=1", "h=0"]), "s a b g g2 y j e");
    // The join is met, and ends: what the process does and what is behind it do not happen.
    assert_eq!(spec.path(&["k=0", "h=0"]), "s a b g g2 x y j");
    let folder = Folder::new();
    folder.write("fan.yaml", spec.document());
    for (k, has_run) in [("k=0", false), ("k=1", true)] {
        let done = folder.run(&["run", "fan.yaml", "--model", "stub:low", "--json", "--input", k]);
        let report = done.json();
        let names: Vec<&str> = match report.get("state") {
            Some(Value::Map(state)) => state.keys().map(|name| &**name).collect(),
            other => panic!("no state but {other:?}"),
        };
        assert_eq!(names, if has_run { &["h", "k", "ran"][..] } else { &["h", "k"] });
    }
}

#[test]
fn a_fan_out_within_another_comes_to_the_same_place() {
    let gates = [gate("g", "k == 1", "j", "x"), gate("g2", "h == 1", "j", "y")];
    let spec = Spec {
        steps: "s a b c d x y j e",
        others: &[&gates[0], &gates[1]],
        flows: &["s > a b", "a > c d", "c > g", "d > g2", "b > j", "j > e"],
        edges: &[],
    };
    for (inputs, path) in [
        (["k=1", "h=1"], "s a b c d g g2 j e"),
        (["k=1", "h=0"], "s a b c d g g2 y j e"),
        (["k=0", "h=0"], "s a b c d g g2 x y j e"),
    ] {
        assert_eq!(spec.path(&inputs), path, "{inputs:?}");
    }
    // Without the branch that is sure to come, nobody may.
    let spec =
        Spec { flows: &["s > a b", "a > c d", "c > g", "d > g2", "b > g2", "j > e"], ..spec };
    assert_eq!(spec.path(&["k=1", "h=0"]), "s a b g2 c d y g g2 y j e");
    assert_eq!(spec.path(&["k=0", "h=0"]), "s a b g2 c d y g g2 x y j");
}

#[test]
fn a_fan_out_in_a_loop_meets_in_every_round() {
    let gate = gate("g", "k == 1", "j", "z");
    let counting = "{id: j, type: step, label: j, logic: 'state.data[\"h\"] += 1'}";
    let looping = "{type: loop, from: j, to: s, condition: h < 3}";
    let spec = Spec {
        steps: "s a b b2 z e",
        others: &[&gate, counting],
        flows: &["s > a b", "a > g", "b > b2", "b2 > j", "j > e"],
        edges: &[looping],
    };
    assert_eq!(spec.path(&["k=1"]), "s a b g b2 j s a b g b2 j s a b g b2 j e");
    assert_eq!(spec.path(&["k=0"]), "s a b g b2 z j s a b g b2 z j s a b g b2 z j e");
}

#[test]
fn ways_back_to_before_the_fan_out_are_no_meeting() {
    // Each branch tries again by itself, from the beginning, and then ends apart.
    let gates = [gate("g", "k < 1", "s", "x"), gate("g2", "h < 9", "y", "s")];
    let spec = Spec {
        steps: "s b x y",
        others: &[
            "{id: a, type: step, label: a, logic: 'state.data[\"k\"] = state.data[\"k\"] + 1'}",
            &gates[0],
            &gates[1],
        ],
        flows: &["s > a b", "a > g", "b > g2"],
        edges: &[],
    };
    assert_eq!(spec.path(&["k=0"]), "s a b g g2 x y");
    assert_eq!(spec.path(&["k=-1"]), "s a b g g2 s y a b g g2 x y");
}

/// Its answer is kept, although nobody waits for it: as deep as a history can be read again.
#[test]
fn a_branch_that_lost_may_answer_as_deep_as_it_likes() {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {}},
        {"id": "n2", "op": "Join", "data": {"strategy": "any"}}"#;
    let sleep = r#"{"id": "n1", "op": "R", "data": {"adapter": "core.SLEEP", "target": 5}}"#;
    let deep = format!("{}1{}", "[".repeat(119), "]".repeat(119));
    folder
        .program(
            "work",
            &format!(
                "echo begun >> works\nuntil test -e enough; do sleep 0.01; done\necho '{deep}'"
            ),
        )
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n1-branch->works n1-branch->sleeps n1-next-n2"),
                ("works", CALL, ""),
                ("sleeps", sleep, ""),
            ]),
        );
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    folder.until("the tool works", |folder| !folder.text("works").is_empty());
    folder.until("the other has won", |folder| {
        folder.kinds("r").contains(&"run_finished".to_string())
    });
    folder.write("enough", "");
    let done = process.end();
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    let events = folder.events("r");
    let late = events.last().unwrap();
    assert_eq!(text(late, "kind"), "tool_result");
    let why = "the answer is nested more than 100 levels deep";
    assert_eq!(text(late.get("error").unwrap(), "message"), why);
    folder.is_sound("r");
}
