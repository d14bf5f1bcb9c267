//! The same blocks in CPython, where there is one on the path; without it the test says so and
//! passes. The result, what was printed, and the line of an exception must be the same.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use history::Timestamp;
use host::Python;
use runtime::{Block, Given, Logic as _};
use value::{Map, Value, json};

/// As real specs write them, with a line between them.
const BLOCKS: &str = include_str!("blocks.py");

/// Small numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn text(&mut self) -> Value {
        let words = ["a tale", "Ärger", "12", "the end  ", "", "e\"q'e", "ünï \u{1f600}", "x y z"];
        Value::text(words[usize::try_from(self.below(8)).unwrap()])
    }

    fn number(&mut self) -> Value {
        let tenths = i32::try_from(self.below(40)).unwrap() - 10;
        Value::Float(f64::from(tenths) / 10.0)
    }

    fn state(&mut self) -> Map {
        let mut data = Map::default();
        data.insert("query".into(), self.text());
        data.insert("count".into(), Value::Int(i64::try_from(self.below(9)).unwrap() - 1));
        data.insert("flag".into(), Value::Bool(self.below(2) == 0));
        data.insert("score".into(), self.number());
        let tags = self.below(4);
        data.insert("tags".into(), Value::list((0..tags).map(|_| self.text())));
        let items = self.below(4);
        let items =
            (0..items).map(|_| Value::map([("name", self.text()), ("score", self.number())]));
        data.insert("items".into(), Value::list(items));
        if self.below(2) == 0 {
            data.insert("notes".into(), Value::map([("seen", Value::Int(2)), ("by", Value::Null)]));
        }
        if self.below(8) == 0 {
            data.insert("count".into(), Value::Null);
        }
        data
    }
}

/// One block on one state, as both tell of it.
fn ours(code: &str, data: &Map) -> Value {
    let block = Block { number: 0, code: code.into(), stores: Vec::new() };
    let now = Timestamp::from_micros(0);
    let given = Given { data: data.clone(), stores: Vec::new(), now, nth: 1 };
    match Python::default().run(&block, &given) {
        Ok(done) => {
            let kept = data.iter().filter(|(key, _)| !done.removed.contains(key));
            let mut after: Map = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
            for (key, value) in done.set {
                after.insert(key, value);
            }
            Value::map([
                ("returned", Value::Bool(done.returned)),
                ("data", after.into()),
                ("printed", Value::text(done.printed)),
            ])
        }
        Err(fault) => {
            let details = fault.details.expect("an exception has its line");
            Value::map([
                ("raised", details.get("exception").cloned().unwrap_or_default()),
                ("line", details.get("line").cloned().unwrap_or_default()),
            ])
        }
    }
}

#[test]
fn blocks_do_what_they_do_in_cpython() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/logic/python.py");
    let child = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .env("PYTHONIOENCODING", "utf-8")
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no python3 on the path");
        return;
    };
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut dice = Dice(7);
    for code in BLOCKS.split("\n# ----\n") {
        for _ in 0..12 {
            let data = dice.state();
            let case = Value::map([("code", Value::text(code)), ("data", data.clone().into())]);
            writeln!(input, "{}", json::compact(&case)).unwrap();
            let answer = json::parse(&output.next().unwrap().unwrap()).unwrap();
            let mut theirs = answer.as_map().unwrap().clone();
            if theirs.contains_key("raised") {
                theirs.remove("message");
                theirs.remove("printed");
            }
            let (ours, theirs) = (json::compact(&ours(code, &data)), json::compact(&theirs.into()));
            assert_eq!(ours, theirs, "\n{code}\non {}", json::compact(&data.into()));
        }
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}
