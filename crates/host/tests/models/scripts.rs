//! Answers from a file.

use std::path::Path;

use diagnostics::Source;
use host::models::{ModelError, Script};

use crate::question::{ask, question};

fn parse(text: &str) -> Result<Script, ModelError> {
    Script::parse(&Source::new("answers.json", text))
}

#[test]
fn a_question_takes_the_answer_of_its_number_however_often_it_is_asked() {
    let script = parse(r#"["{half", {"a": [1, "ü"]}, [], 7]"#).unwrap();
    let answer = |turn| ask(&script, question(turn, "Go on."));
    assert_eq!(answer(1), "{half (4 + 1)");
    assert_eq!(answer(2), r#"{"a":[1,"ü"]} (4 + 3)"#);
    assert_eq!(answer(3), "[] (4 + 0)");
    assert_eq!(answer(4), "7 (4 + 0)");
    assert_eq!(answer(2), r#"{"a":[1,"ü"]} (4 + 3)"#, "a run that is resumed asks again");
}

#[test]
fn running_out_says_how_many_there_were() {
    let script = parse("[1, 2]").unwrap();
    assert_eq!(
        ask(&script, question(3, "Go on.")),
        "model: the script `answers.json` has 2 answers, and this is question 3"
    );
}

#[test]
fn files_that_are_no_scripts_say_why() {
    let why = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(why("{}"), "answers.json:1:1: a script must be a JSON array");
    assert_eq!(
        why("[\n  1,\n]"),
        "answers.json:3:1: error[T002]: this is not JSON: nothing follows the comma before this"
    );
    let missing = Script::load(Path::new("no/such/file.json")).unwrap_err();
    assert_eq!(missing.to_string(), "cannot use `no/such/file.json`");
}
