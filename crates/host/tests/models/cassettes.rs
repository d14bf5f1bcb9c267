//! Answers that were recorded before.

use std::fs;
use std::io::Write;
use std::sync::Arc;

use diagnostics::Source;
use expect_test::expect;
use host::models::{Recorder, Replayer, Script};
use host::{Adapter, Call, Calling};

use runtime::{Answer, ModelAnswer, ModelCall, Offered, Reply, Request, Said, ToolUse};
use value::{Map, json};

use crate::question::{Scratch, ask, call, question};

fn script(text: &str) -> Arc<dyn Adapter> {
    Arc::new(Script::parse(&Source::new("answers.json", text)).unwrap())
}

/// A model that takes its time.
struct Slow(Arc<dyn Adapter>);

impl Adapter for Slow {
    fn call(&self, call: Call) -> Calling {
        let Calling::Now(answer) = self.0.call(call) else { panic!("a script answers at once") };
        Calling::Later(Box::pin(async { answer }))
    }
}

#[test]
fn what_was_answered_is_answered_again_without_asking() {
    let tape = Scratch::new();
    let recorder = Recorder::open(&tape.0, Arc::new(Slow(script(r#"["one", "two"]"#)))).unwrap();
    let asked = [question(1, "First?"), question(2, "Second?"), question(3, "Third?")];
    let answers = asked.clone().map(|question| ask(&recorder, question));
    assert_eq!(answers[1], "two (4 + 0)");
    assert!(answers[2].starts_with("model: the script"), "failures are recorded too");
    let replayer = Replayer::load(&tape.0).unwrap();
    assert_eq!(asked.clone().map(|question| ask(&replayer, question)), answers);
    let replayer = Replayer::load(&tape.0).unwrap();
    assert_eq!(ask(&replayer, asked[1].clone()), answers[1], "the order does not matter");
}

/// A line for people.
fn shown(line: &str) -> String {
    json::pretty(&json::parse(line.strip_suffix('\n').unwrap()).unwrap()) + "\n"
}

#[test]
fn a_cassette_is_lines_that_people_can_read() {
    let tape = Scratch::new();
    let recorder = Recorder::open(&tape.0, script(r#"["one"]"#)).unwrap();
    ask(&recorder, question(1, "First?"));
    expect![[r#"
        {
          "key": "0d438bc434bf58dbc47fb60f323550cf10bda9c0efe2238f1cabaa4d312ca6d7",
          "turn": 1,
          "question": { "agent": "writer", "schema": null, "params": {}, "system": "You write.", "prompt": "First?" },
          "answer": {
            "text": "one",
            "prompt_tokens": 4,
            "completion_tokens": 0,
            "finish_reason": "stop",
            "cost": null
          }
        }
    "#]]
    .assert_eq(&shown(&fs::read_to_string(&tape.0).unwrap()));
}

#[test]
fn the_same_question_takes_the_answer_of_its_turn_else_the_next() {
    let tape = Scratch::new();
    let recorder = Recorder::open(&tape.0, script(r#"["a", "b", "c"]"#)).unwrap();
    for turn in 1..=3 {
        ask(&recorder, question(turn, "Again?"));
    }
    let replay = |turns: &[u32]| -> Vec<String> {
        let replayer = Replayer::load(&tape.0).unwrap();
        turns.iter().map(|turn| ask(&replayer, question(*turn, "Again?"))).collect()
    };
    assert_eq!(replay(&[1, 2, 3]), ["a (4 + 0)", "b (4 + 0)", "c (4 + 0)"]);
    assert_eq!(replay(&[3]), ["c (4 + 0)"], "as in a run that was resumed");
    assert_eq!(replay(&[7, 8]), ["a (4 + 0)", "b (4 + 0)"], "as in a run that asks more");
    let name = tape.0.display();
    assert_eq!(
        replay(&[1, 2, 3, 4])[3],
        format!("model: `{name}` has 3 answers to this question, and all are taken")
    );
}

#[test]
fn a_question_that_was_never_asked_shows_the_nearest() {
    let tape = Scratch::new();
    assert!(Recorder::open(&tape.0, script("[]")).is_ok());
    let why = |asked| {
        let said = ask(&Replayer::load(&tape.0).unwrap(), asked);
        said.replace(&tape.0.display().to_string(), "tape").replace(": ", ":\n  ") + "\n"
    };
    assert_eq!(why(question(1, "First?")), "model:\n  `tape` has no answers\n");
    let recorder = Recorder::open(&tape.0, script(r#"["a", "b"]"#)).unwrap();
    ask(&recorder, question(1, "Summarise the report about whales."));
    ask(&recorder, question(2, "Translate it."));
    let mut other_agent = question(2, "Translate it.");
    other_agent.agent = "editor".into();
    let mut other_params = question(2, "Translate it.");
    other_params.params.insert("temperature".into(), 1.into());
    expect![[r#"
        model:
          `tape` has no answer to this question; the nearest was asked at turn 1:
          its `prompt` differs from character 29 on:
          recorded `...rt about whales.`, asked `...rt about wolves, and about everything else in it.`
        model:
          `tape` has no answer to this question; the nearest was asked at turn 2:
          its `agent` differs from character 1 on:
          recorded `writer`, asked `editor`
        model:
          `tape` has no answer to this question; the nearest was asked at turn 2:
          its `params` differs from character 2 on:
          recorded `{}`, asked `{"temperature":1}`
    "#]].assert_eq(
        &[
            why(question(1, "Summarise the report about wolves, and about everything else in it.")),
            why(other_agent),
            why(other_params),
        ]
        .concat(),
    );
}

#[test]
fn a_line_that_a_crash_cut_off_does_not_count() {
    let tape = Scratch::new();
    let record = |answers: &str, turn| {
        ask(&Recorder::open(&tape.0, script(answers)).unwrap(), question(turn, "Go on."));
    };
    record(r#"["one"]"#, 1);
    let whole = fs::read_to_string(&tape.0).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&tape.0).unwrap();
    file.write_all(&whole.as_bytes()[..40]).unwrap();
    let replayer = Replayer::load(&tape.0).unwrap();
    assert_eq!(ask(&replayer, question(1, "Go on.")), "one (4 + 0)");
    record(r#"["", "two"]"#, 2);
    assert_eq!(fs::read_to_string(&tape.0).unwrap().lines().count(), 2);
    let replayer = Replayer::load(&tape.0).unwrap();
    assert_eq!(ask(&replayer, question(2, "Go on.")), "two (4 + 0)");
}

#[test]
fn damage_says_where() {
    let tape = Scratch::new();
    let why = |text: &str| {
        fs::write(&tape.0, text).unwrap();
        let said = Replayer::load(&tape.0).unwrap_err().to_string();
        said.replace(&tape.0.display().to_string(), "tape") + "\n"
    };
    let texts = ["\n{\"question\": 1}\n", "{oh}\n", "{\"question\": {}, \"answer\": {}}\n"];
    expect![[r#"
        tape:2:1: this line of the cassette has no `question`
        tape:1:2: error[T002]: this is not JSON: a name must begin here
        tape:1:1: this line of the cassette must have an `answer` or an `error` that can be read
    "#]]
    .assert_eq(&texts.map(why).concat());
}

/// A model that wants a tool, and thinks before it does.
struct Wishing;

impl Adapter for Wishing {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(asked) = call.request else { panic!("only models are asked") };
        let uses = match asked.talk.is_empty() {
            true => vec![wish()],
            false => Vec::new(),
        };
        Calling::Now(Answer::Model(Box::new(ModelAnswer {
            text: format!("after {}", asked.talk.len()).into(),
            reasoning: Some("Hm.".into()),
            uses,
            items: vec![Arc::new(map(r#"{"role": "assistant", "content": "x"}"#))],
            ..ModelAnswer::default()
        })))
    }
}

fn wish() -> ToolUse {
    ToolUse { id: "u1".into(), name: "search".into(), input: map(r#"{"q": 1}"#) }
}

fn map(text: &str) -> Map {
    json::parse(text).unwrap().as_map().unwrap().clone()
}

/// The question of a turn, with what was said until then.
fn talk(output: &str) -> [ModelCall; 2] {
    let mut first = question(1, "Which?");
    let input = json::parse(r#"{"type": "object"}"#).unwrap();
    let (tool, name) = ("search".into(), "search".into());
    let offered = Offered { tool, name, description: "looks".into(), input };
    first.tools = Arc::new(vec![offered]);
    let mut second = ModelCall { turn: 2, ..first.clone() };
    let said = ModelAnswer { text: "after 0".into(), uses: vec![wish()], ..ModelAnswer::default() };
    let reply =
        Reply { id: "u1".into(), name: "search".into(), output: output.into(), is_error: false };
    second.talk = vec![Said::Model(Arc::new(said)), Said::Tools(vec![reply])];
    [first, second]
}

#[test]
fn a_talk_with_tools_is_repeated_with_all_that_was_said() {
    let tape = Scratch::new();
    let recorder = Recorder::open(&tape.0, Arc::new(Wishing)).unwrap();
    let given = |model: &dyn Adapter, asked: ModelCall| match model.call(call(asked)) {
        Calling::Now(answer) => answer,
        Calling::Later(_) => panic!("it answers at once"),
    };
    let recorded = talk("three").map(|asked| given(&recorder, asked));
    let replayer = Replayer::load(&tape.0).unwrap();
    assert_eq!(talk("three").map(|asked| given(&replayer, asked)), recorded);
    let Answer::Model(first) = &recorded[0] else { panic!("it answers") };
    assert_eq!((first.uses.len(), first.items.len()), (1, 1));
    // Another answer of the tool is another question.
    let replayer = Replayer::load(&tape.0).unwrap();
    let [_, other] = talk("four");
    let Answer::Failed(fault) = given(&replayer, other) else { panic!("nobody asked that") };
    assert!(fault.message.contains("its `talk` differs"), "{}", fault.message);
    let mut other = talk("three")[0].clone();
    other.tools = Arc::default();
    let Answer::Failed(fault) = given(&replayer, other) else { panic!("nobody asked that") };
    assert!(fault.message.contains("its `tools` differs"), "{}", fault.message);
}
