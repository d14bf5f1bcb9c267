//! The same blocks in CPython, where there is one on the path; without it the test says so and
//! passes. The result, what was printed, and the line of an exception must be the same.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use history::Timestamp;
use host::Python;
use runtime::{Block, Given, Logic as _};
use value::{Map, Value, json};

/// As real specs write them.
const BLOCKS: &[&str] = &[
    "state.data['count'] = state.data.get('count', 0) + 1",
    "print(f\"query: {state.data.get('query', '')[:10]}\")",
    "items = state.data.get('items', [])\nstate.data['best'] = [i for i in items if i.get('score', 0) > 0.5]",
    "if state.data['flag']:\n    return state\nstate.data['late'] = True",
    "state.data['tags'] = sorted(set(state.data.get('tags', [])))",
    "tags = state.data['tags']\ntags.append('new')\nprint(len(tags), tags)",
    "state.data['top'] = sorted(state.data['items'], key=lambda i: i['score'], reverse=True)[:2]",
    "best = max(state.data['items'], key=lambda i: i['score'])\nstate.data['best'] = best['name']",
    "for i, item in enumerate(state.data['items']):\n    item['rank'] = i + 1",
    "total = 0\nfor item in state.data['items']:\n    if item['score'] < 0:\n        continue\n    total += item['score']\nstate.data['total'] = round(total, 2)",
    "state.data['text'] = '\\n'.join(f\"- {t.strip()}\" for t in state.data['tags'])",
    "try:\n    x = int(state.data['query'])\nexcept ValueError as error:\n    print('no number:', error)\n    x = -1\nfinally:\n    print('done')\nstate.data['x'] = x",
    "notes = state.data.setdefault('notes', {})\nnotes['seen'] = notes.get('seen', 0) + 1\nprint(notes)",
    "state.data['score'] = state.data['score'] * 2 if state.data.get('flag') else None",
    "print(state.data['score'], 1 / 3, 1e21, 1e-7, 10 / 2, 7 // 2, -7 // 2, -7 % 3, 2 ** 10)",
    "first, *rest = state.data['tags']\nstate.data['first'] = first\nstate.data['rest'] = rest",
    "a, b = state.data['count'], state.data['score']\nstate.data['pair'] = [b, a]",
    "history = state.data.get('history', [])\nhistory.append({'q': state.data.get('query'), 'n': len(history)})\nstate.data['history'] = history[-3:]",
    "words = state.data['query'].split()\nstate.data['words'] = {w: len(w) for w in words}",
    "state.data['upper'] = state.data['query'].upper().replace('A', '*').strip()",
    "print('%s' in state.data['query'], state.data['query'].find('a'), state.data['query'].count('e'))",
    "n = 0\nwhile n < state.data['count']:\n    n += 1\n    if n == 5:\n        break\nelse:\n    n = -n\nstate.data['n'] = n",
    "if isinstance(state.data.get('notes'), dict) and state.data['notes']:\n    print(list(state.data['notes'].items()))",
    "state.data['all'] = all(i['score'] > 0 for i in state.data['items'])\nstate.data['any'] = any(i['score'] > 0 for i in state.data['items'])",
    "print(json.dumps(state.data, sort_keys=True))",
    "print(json.dumps(state.data['items'], indent=2))\nstate.data['copy'] = json.loads(json.dumps(state.data['notes']))",
    "x = state.data['missing']",
    "x = 1\ny = state.data['tags'][99]",
    "def f(n):\n    return n / 0\n\nif state.data['flag']:\n    f(1)",
    "print(state.data['query'] + 1)",
    "raise ValueError(f\"bad count {state.data['count']}\")",
    "import re\nfound = re.findall(r'[a-z]+', state.data['query'])\nstate.data['found'] = found",
    "from collections import Counter\nstate.data['counts'] = dict(Counter(state.data['tags']))",
    "state.data.pop('tags')\nstate.data.update({'count': 0, 'z': [1, (2, 3)]})\nprint(list(state.data))",
    "a = state.data['items']\nb = a\nb.append({'name': 'x', 'score': 0.5})\nprint(len(a), a is b)",
    "state.data['slice'] = [state.data['query'][1:4], state.data['query'][-3:], state.data['tags'][:1]]",
    "print(f\"{state.data['score']:.2f}|{state.data['count']:>5}|{state.data['query']!r}|{state.data['count']:04d}\")",
    "print(str(state.data['flag']), repr(state.data['query']), None, [True, 1.0, 'x'], {'a': None})",
    "result = {}\nfor item in state.data['items']:\n    key = 'high' if item['score'] >= 0.5 else 'low'\n    result.setdefault(key, []).append(item['name'])\nstate.data['groups'] = result",
    "state.data['bounds'] = [min(state.data['count'], 3), max(-1, state.data['count']), abs(-2), sum([1, 2.5])]",
    "state.data['zipped'] = list(zip(state.data['tags'], range(3)))\nprint(state.data['zipped'])",
    "assert state.data['count'] > 3, 'too few'\nprint('enough')",
    "text = '''one\n  two'''\nprint(text)\nstate.data['lines'] = text.splitlines()",
];

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
    let given = Given { data: data.clone(), stores: Vec::new(), now };
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
    for code in BLOCKS {
        for _ in 0..12 {
            let data = dice.state();
            let case = Value::map([("code", Value::text(*code)), ("data", data.clone().into())]);
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
