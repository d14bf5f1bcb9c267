//! `quipu rules`, and what other commands make of a file of rules.

use expect_test::expect;
use value::Value;

use crate::run::Folder;
use crate::running::{list, text};

const DOOR: &str = "; When to open the door.
(deftemplate visitor (slot name) (slot age (type INTEGER) (default 0)))
(deffacts house (owner mia))

(defrule greet
  (visitor (name ?name))
  =>
  (printout t \"hello \" ?name crlf \"come in\" crlf)
  (assert (greeted ?name)))

(defrule open
  (declare (salience -1))
  (greeted ?name)
  (visitor (name ?name) (age ?age&:(>= ?age 18)))
  (not (closed))
  =>
  (assert (open)))
";

fn names(document: &Value, member: &str) -> Vec<String> {
    list(document, member).iter().map(|one| one.as_text().unwrap().to_string()).collect()
}

#[test]
fn what_fired_what_it_printed_and_the_facts_are_told() {
    let folder = Folder::new();
    folder.write("door.clp", DOOR);
    let visitor = "(visitor (name \"Ada\") (age 36))";
    let done = folder.run(&["rules", "door.clp", "--assert", visitor]);
    expect![[r#"
        fired
          1   greet
              | hello Ada
              | come in
          2   open
        facts
          f-1    (owner mia)
          f-2    (visitor (name "Ada") (age 36))
          f-3    (greeted "Ada")
          f-4    (open)
    "#]]
    .assert_eq(&done.stdout);
    assert_eq!((done.code, done.stderr.as_str()), (0, "2 firings, 4 facts\n"));
    let empty = folder.run(&["rules", "door.clp"]);
    assert_eq!(empty.stdout, "fired\n  nothing\nfacts\n  f-1    (owner mia)\n");
}

#[test]
fn scripts_get_the_agenda_the_firings_and_the_facts() {
    let folder = Folder::new();
    let visitor = "(visitor (name ada) (age 36))";
    let asserts = ["--assert", visitor, "--assert", "(greeted bo)"];
    let done = folder.run_with(&[&["rules", "-", "--json"], &asserts[..]].concat(), DOOR);
    expect![[r#"
        {
          "agenda_initial": ["greet"],
          "fired": ["greet", "open"],
          "facts": ["(owner mia)", "(visitor (name ada) (age 36))", "(greeted bo)", "(greeted ada)", "(open)"],
          "printed": "hello ada\ncome in\n",
          "stopped": "quiet",
          "diagnostics": []
        }
    "#]]
    .assert_eq(&done.stdout);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
}

#[test]
fn each_firing_and_each_rule_that_did_not_fire_is_explained() {
    let folder = Folder::new();
    folder.write("door.clp", DOOR);
    let child = "(visitor (name kim) (age 9))";
    let asked = ["--explain", "--why-not", "open"];
    let command = [&["rules", "door.clp", "--assert", child], &asked[..]].concat();
    let done = folder.run(&command);
    expect![[r#"
        fired
          1   greet
              because  f-2 (visitor (name kim) (age 9))
              with     ?name = kim
              | hello kim
              | come in
        facts
          f-1    (owner mia)
          f-2    (visitor (name kim) (age 9))
          f-3    (greeted kim)
        why not open
          condition 2, line 14: (visitor (name ?name) (age ?age&:(>= ?age 18)))
          nearest  f-2 (visitor (name kim) (age 9))
          but      `age` is 9, needs >= 18
          with     f-3 (greeted kim)
    "#]]
    .assert_eq(&done.stdout);
    let told = folder.run(&[&command[..], &["--json"]].concat()).json();
    let firing = &list(&told, "explained")[0];
    assert_eq!(text(firing, "rule"), "greet");
    assert_eq!(text(firing.get("values").unwrap(), "name"), "kim");
    assert_eq!(text(&list(firing, "facts")[0], "fact"), "(visitor (name kim) (age 9))");
    let way = &list(&list(&told, "why_not")[0], "ways")[0];
    assert_eq!((text(way, "missed"), way.get("line")), ("none_fits", Some(&Value::Int(14))));
    let unknown = folder.run(&["rules", "door.clp", "--why-not", "opens"]);
    let said = "error: there is no rule `opens`; did you mean `open`?\n";
    assert_eq!((unknown.code, unknown.stderr.as_str()), (2, said));
}

#[test]
fn nothing_runs_where_something_is_wrong() {
    let folder = Folder::new();
    folder.write("bad.clp", DOOR.replace("(greeted ?name))", "(greeted ?nam))"));
    let done = folder.run(&["rules", "bad.clp", "--json"]);
    assert_eq!(done.code, 1);
    let document = done.json();
    assert_eq!(names(&document, "fired"), Vec::<String>::new());
    let finding = &list(&document, "diagnostics")[0];
    assert_eq!((text(finding, "file"), text(finding, "severity")), ("bad.clp", "error"));
    let checked = folder.run(&["check", "bad.clp", "--json"]);
    let files = checked.json();
    let file = &list(&files, "files")[0];
    assert_eq!((checked.code, text(file, "format")), (1, "rules"));
    assert_eq!(list(file, "diagnostics")[0], *finding);
    folder.write("door.clp", DOOR);
    let fine = folder.run(&["check", "door.clp"]);
    assert_eq!((fine.code, fine.stderr.as_str()), (0, "door.clp: ok (2 rules, 1 template)\n"));
    let fact = folder.run(&[
        "rules",
        "door.clp",
        "--assert",
        "(owner x)",
        "--assert",
        "(visitor (nam 1))",
    ]);
    expect![[r#"
        error[R204]: `visitor` has no slot `nam`
         --> --assert 2:1:11
          |
        1 | (visitor (nam 1))
          |           ^^^
         ::: door.clp:2:14
          |
        2 | (deftemplate visitor (slot name) (slot age (type INTEGER) (default 0)))
          |              ------- the template is declared here
          |
          = help: did you mean `name`?

        nothing ran
    "#]]
    .assert_eq(&fact.stderr);
    assert_eq!((fact.code, fact.stdout.as_str()), (1, ""));
}

#[test]
fn a_limit_names_the_rules_that_keep_each_other_going() {
    let folder = Folder::new();
    let clock = "(deffacts start (at 0))
(defrule tick ?f <- (at ?n) => (retract ?f) (assert (to (+ ?n 1))))
(defrule tock ?f <- (to ?n) => (retract ?f) (assert (at ?n)))
";
    folder.write("clock.clp", clock);
    let done = folder.run(&["rules", "clock.clp", "--limit", "7", "--json"]);
    let document = done.json();
    assert_eq!((done.code, text(&document, "stopped")), (1, "limit"));
    assert_eq!(names(&document, "fired").len(), 7);
    assert_eq!(names(&document, "facts"), ["(to 4)"]);
    assert_eq!(
        done.stderr,
        "error: stopped at the limit of 7 firings\n\
         of the last 7 firings: `tick` 4 times, `tock` 3 times; `--limit N` allows more, \
         `--explain` says why they fire\n"
    );
    let all = folder.run(&["rules", "clock.clp", "--json"]);
    assert_eq!((all.code, names(&all.json(), "fired").len()), (1, 10_000));
}

#[test]
fn a_fault_is_a_finding_with_its_place() {
    let folder = Folder::new();
    let cake = "(deffunction share (?all ?count) (/ ?all ?count))
(defrule cut (cake ?size) (guests ?count) => (assert (cut)) (assert (piece (share ?size ?count))))
";
    folder.write("cake.clp", cake);
    let asserts = ["--assert", "(cake 8)", "--assert", "(guests 0)"];
    let done = folder.run(&[&["rules", "cake.clp"], &asserts[..]].concat());
    expect![[r#"
        error[R401]: `/`: it divides by zero
         --> cake.clp:1:34
          |
        1 | (deffunction share (?all ?count) (/ ?all ?count))
          |                                  ^^^^^^^^^^^^^^^
         ::: cake.clp:2:10
          |
        2 | (defrule cut (cake ?size) (guests ?count) => (assert (cut)) (assert (piece (share ?size ?count))))
          |          --- while `cut` fired

        1 firing, 3 facts; stopped by an error
    "#]].assert_eq(&done.stderr);
    assert_eq!(done.code, 1);
    assert!(done.stdout.ends_with("(cut)\n"), "{}", done.stdout);
    let halted = "(defrule stop (declare (salience 1)) => (halt))(defrule rest =>)";
    let done = folder.run_with(&["rules", "-", "--json"], halted);
    let document = done.json();
    assert_eq!((done.code, text(&document, "stopped")), (0, "halted"));
    assert_eq!(names(&document, "fired"), ["stop"]);
}

/// A file of rules is no graph, and whoever wants one is told what takes it.
#[test]
fn other_commands_say_what_takes_rules() {
    let folder = Folder::new();
    folder.write("door.clp", DOOR);
    for command in [
        &["compile", "door.clp"][..],
        &["run", "door.clp"],
        &["query", "door.clp", "label_nodes"],
        &["diff", "door.clp", "door.clp"],
        &["convert", "door.clp", "--to", "ainl"],
    ] {
        let done = folder.run(command);
        let said = "this is a file of rules, which are no graph";
        assert!(done.stderr.contains(said), "{command:?}: {}", done.stderr);
        assert!(done.stderr.contains("`quipu rules` runs it"), "{}", done.stderr);
        assert_eq!((done.code, done.stderr.matches("error[").count()), (1, 1), "{command:?}");
    }
    let laid_out = folder.run(&["fmt", "door.clp"]);
    assert_eq!(laid_out.code, 2);
    assert!(laid_out.stderr.contains("nothing else is laid out"), "{}", laid_out.stderr);
    let wrong = folder.run(&["show", "door.clp", "--view", "flow"]);
    assert_eq!(wrong.code, 2);
}

#[test]
fn show_draws_which_rules_feed_which() {
    let folder = Folder::new();
    folder.write("door.clp", DOOR);
    let outline = folder.run(&["show", "door.clp"]);
    expect![[r#"
        outside  outside  asserts (visitor) -> greet
                          asserts (visitor) -> open
                          asserts (closed) -> open  (in a not)
        house    facts
        greet    rule     asserts (greeted ?) -> open
        open     rule
    "#]]
    .assert_eq(&outline.stdout);
    let mermaid = folder.run(&["show", "door.clp", "--as", "mermaid"]).stdout;
    assert!(mermaid.contains("n2 -->|\"(greeted ?#41;\"| n3\n"), "{mermaid}");
    let svg = folder.run(&["show", "door.clp", "--as", "svg"]).stdout;
    assert!(svg.starts_with("<svg") && svg.contains(">in a not<"), "{svg}");
}

/// All cases run in the library's own tests; these show that the command says the same.
#[test]
fn cases_of_the_corpus_through_the_command() {
    const EVERY: usize = 10;
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let file = std::path::Path::new(&corpus).join("stargraph/clips.json");
    let cases = value::json::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
    let folder = Folder::new();
    for case in cases.as_list().unwrap().iter().step_by(EVERY) {
        let (name, result) = (text(case, "name"), case.get("result").unwrap());
        folder.write("case.clp", names(case, "constructs").join("\n"));
        let mut command = vec!["rules".to_string(), "case.clp".to_string(), "--json".to_string()];
        for fact in names(case, "asserts") {
            command.extend(["--assert".to_string(), fact]);
        }
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let done = folder.run(&command);
        if result.get("build_error").is_some() {
            assert_eq!(done.code, 1, "{name}: {}", done.stdout);
            continue;
        }
        let document = done.json();
        for member in ["agenda_initial", "fired", "facts"] {
            assert_eq!(names(&document, member), names(result, member), "{name}: {member}");
        }
    }
}
