//! What reading makes of a text: the program, all findings of one pass, and facts from outside.

use diagnostics::Source;
use diagnostics::render::line;
use rules::Rulebook;
use rules::program::{Condition, ExprKind, FieldPattern, Program, TermKind};
use rules::read::{read, read_fact};

fn lines(text: &str) -> Vec<String> {
    let source = Source::new("a.clp", text);
    read(&source.text).1.iter().map(|found| line(&source, found)).collect()
}

/// Terms as they are joined: `a&~b|c`, without the variable that leads.
fn terms(text: &str) -> (bool, String) {
    let (program, findings) = read(&format!("(defrule r (x ?y) (a {text}) =>)"));
    assert_eq!(findings, []);
    let Condition::Pattern(pattern) = &program.rules[0].when[1] else { panic!("{program:?}") };
    let [FieldPattern { variable, any, .. }] = pattern.slots[0].fields.as_slice() else {
        panic!("{program:?}")
    };
    let shown = any.iter().map(|group| {
        let terms = group.iter().map(|term| {
            let sign = if term.negated { "~" } else { "" };
            match &term.kind {
                TermKind::Constant(field) => format!("{sign}{field}"),
                TermKind::Variable(id) => {
                    format!("{sign}?{}", program.rules[0].variables[id.0 as usize])
                }
                TermKind::Holds(_) => format!("{sign}:()"),
                TermKind::Equals(_) => format!("{sign}=()"),
            }
        });
        terms.collect::<Vec<_>>().join("&")
    });
    (variable.is_some(), shown.collect::<Vec<_>>().join("|"))
}

#[test]
fn a_leading_variable_stands_before_all_alternatives() {
    assert_eq!(terms("?x&red|blue"), (true, "red|blue".into()));
    assert_eq!(terms("red&~blue|green&~?y"), (false, "red&~blue|green&~?y".into()));
    assert_eq!(terms("?y|red"), (false, "?y|red".into()));
    assert_eq!(terms("?x&:(> ?x 1)&~=(+ 1 2)|3"), (true, ":()&~=()|3".into()));
    assert_eq!(terms("~?y"), (false, "~?y".into()));
}

#[test]
fn one_pass_finds_everything_once() {
    let text = "\
(deftemplate room (slot name) (slot heat (type INTEGER)))
(defrule one (room (nam ?n)) => (assert (fan ?m)))
(defrule two (room (heat hot)) => (prinout t \"x\")
(defrule three (rom (heat 3)) => (retract ?f) (foo))
)
(deffacts four (room (heat 1) (heat 2)) (room (name a b)))
";
    assert_eq!(
        lines(text),
        [
            "a.clp:2:21: error[R204]: `room` has no slot `nam`",
            "a.clp:2:46: error[R206]: `?m` has no value: no condition and no `bind` gives it one",
            "a.clp:3:26: error[R209]: the slot `heat` holds an integer, and `hot` is a symbol",
            "a.clp:3:36: error[R201]: there is no function `prinout`",
            "a.clp:4:2: error[R102]: `(defrule` begins within another construct",
            "a.clp:6:32: error[R212]: the slot `heat` is given twice",
            "a.clp:6:47: error[R210]: the slot `name` holds one field, and is given 2 fields",
        ]
    );
}

#[test]
fn a_construct_that_does_not_end_costs_only_itself() {
    let text =
        "(deftemplate room (slot name)\n(defrule one (room (name ?n)) => (halt))\n(deffacts (b))\n";
    assert_eq!(
        lines(text),
        [
            "a.clp:1:1: error[R102]: `(deftemplate room` is not closed: a parenthesis is missing",
            "a.clp:3:11: error[R110]: `deffacts` needs a name",
        ]
    );
}

#[test]
fn the_variable_of_a_loop_is_its_own() {
    let (program, findings) =
        read("(defrule r (a ?i) => (loop-for-count (?i 1 2) do (printout t ?i)) (printout t ?i))");
    assert_eq!(findings, []);
    let rule = &program.rules[0];
    let ExprKind::Count { variable: Some(counter), .. } = rule.then[0].kind else {
        panic!("{rule:?}")
    };
    let ExprKind::Print(_, args) = &rule.then[1].kind else { panic!("{rule:?}") };
    let ExprKind::Variable(outer) = args[0].kind else { panic!("{rule:?}") };
    assert_ne!(counter, outer);
    assert_eq!(rule.variables[counter.0 as usize], rule.variables[outer.0 as usize]);
}

#[test]
fn a_rule_of_the_same_name_takes_the_last_place() {
    let (program, findings) = read("(defrule a =>) (defrule b =>) (defrule a (x) =>)");
    let names: Vec<&str> = program.rules.iter().map(|rule| &*rule.name).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(findings.iter().map(|found| found.code.id).collect::<Vec<_>>(), ["R214"]);
}

#[test]
fn facts_from_outside_are_constants_and_may_bring_their_template() {
    let mut program = read("(deftemplate room (slot name) (slot heat (type INTEGER)))").0;
    let refused = |program: &mut Program, text: &str| -> Vec<&str> {
        let findings = read_fact(program, text).expect_err(text);
        findings.iter().map(|found| found.code.id).collect()
    };
    let fact = read_fact(&mut program, "(room (name \"a b\") (heat 3))").expect("it is a fact");
    assert_eq!(fact.slots.len(), 2);
    let fact = read_fact(&mut program, "(light on 1 2.5)").expect("it is a fact");
    assert_eq!(&*program.templates[fact.template.0 as usize].name, "light");
    assert!(program.templates[fact.template.0 as usize].ordered);
    assert_eq!(refused(&mut program, "(room (heat hot))"), ["R209"]);
    assert_eq!(refused(&mut program, "(light (+ 1 2))"), ["R111"]);
    assert_eq!(refused(&mut program, "(light ?x)"), ["R206"]);
    assert_eq!(refused(&mut program, "light on"), ["R101"]);
    assert_eq!(refused(&mut program, "(a) (b)"), ["R111"]);
    assert_eq!(refused(&mut program, ""), ["R111"]);
    assert_eq!(refused(&mut program, "(light on"), ["R102"]);
}

#[test]
fn logical_conditions_are_the_first_in_every_alternative() {
    let codes = |text: &str| -> Vec<&str> {
        read(text)
            .1
            .iter()
            .filter(|one| one.severity == diagnostics::Severity::Error)
            .map(|one| one.code.id)
            .collect()
    };
    for right in ["(or (logical (a)) (b))", "(or (logical (a)) (logical (b))) (logical (c))"] {
        assert_eq!(codes(&format!("(defrule r {right} => )")), [""; 0], "{right}");
    }
    for wrong in [
        "(or (and (a ?x) (logical (b ?x))) (c ?x))",
        "(or (a) (logical (b))) (logical (c))",
        "(test (> 2 1)) (logical (a))",
    ] {
        assert_eq!(codes(&format!("(defrule r {wrong} => )")), ["R216"], "{wrong}");
    }
}

#[test]
fn a_pattern_that_is_none_is_found_where_it_stands() {
    let text = r#"(defrule r (a ?x&:(regex-match "a(b" ?x)) =>)"#;
    let findings = read(text).1;
    let found = findings.iter().find(|found| found.code.id == "R208").expect("it is found");
    assert_eq!(found.message, "the pattern cannot be read: unclosed group");
    assert_eq!(&text[found.at.span().range()], r#""a(b""#);
}

/// Each alternative is looked at once: this ends.
#[test]
fn many_alternatives_cost_no_more_than_each_of_them() {
    let values =
        |count: u32, sign: &str| (0..count).map(|i| format!("v{i}")).collect::<Vec<_>>().join(sign);
    let any = values(20_000, "|");
    assert_eq!(lines(&format!("(defrule a (x {any}) (y ?y&{any}) => (assert (x ?y)))")).len(), 0);
    let (some, any) = (values(3_000, " "), values(3_000, "|"));
    let template = format!("(deftemplate t (slot a (allowed-symbols {some})))");
    assert_eq!(lines(&format!("{template} (defrule a (t (a {any})) =>)")).len(), 0);
}

/// What is said of a text: each finding with its help.
fn said(text: &str) -> Vec<String> {
    let (program, mut findings) = read(text);
    if !diagnostics::any_error(&findings) {
        findings.extend(rules::check::check(&program));
    }
    let one = |found: &diagnostics::Diagnostic| {
        let help = found.help.as_deref().unwrap_or_default();
        format!("{}: {}: {help}", found.code.id, found.message)
    };
    findings.iter().map(one).collect()
}

#[test]
fn one_mistake_is_one_finding() {
    for (text, expected) in [
        (
            "(deftemplate person (slot name)) (defrule r (perso (name ?x)) => (printout t ?x))",
            "R203: there is no template `perso`: did you mean `person`?",
        ),
        (
            "(deffunction f (x) ?x) (defrule r => (printout t (f 1)))",
            "R111: a parameter is a variable, and begins with `?`: write `?x`",
        ),
        (
            "(defrule r => (loop-for-count ?i 1 3 (printout t ?i)))",
            "R111: the variable of a loop and its numbers stand in parentheses: \
             write `(loop-for-count (?i FIRST LAST) do ...)`",
        ),
        (
            "(deftemplate t slot a) (defrule r (t (a ?x)) => (assert (t (a ?x))))",
            "R111: a slot is expected here, in parentheses: write `(slot a)`",
        ),
        (
            "(deftemplate t (slott a) (slot b)) (defrule r (t (a ?x)) => (printout t ?x))",
            "R111: `slott` is no kind of slot: did you mean `slot`?",
        ),
        (
            "(deftemplate t (slot \"a\")) (defrule r ?t <- (t (a ?x&:(> ?x 1))) => (modify ?t (a 2)))",
            "R111: the name of a slot is a symbol: write `(slot name)` or `(multislot name)`",
        ),
        ("(defglobal x = 1)", "R111: the name of a global stands between asterisks: write `?*x*`"),
        (
            "(deffunction f ?x ?x) (defrule r => (printout t (f 1)))",
            "R111: the list of parameters is expected here: \
             write `(deffunction name (?x $?rest) ...)`",
        ),
        (
            "(defrule r => (asert (fan on)))",
            "R201: there is no function `asert`: did you mean `assert`?",
        ),
    ] {
        assert_eq!(said(text), [expected], "{text}");
    }
}

#[test]
fn an_action_that_is_a_fact_is_told_from_a_function() {
    for (text, help) in [
        (
            "(defrule r (x) => (fan on)) (defrule s (fan on) =>)",
            "to assert a fact write `(assert (fan on))`",
        ),
        (
            "(deftemplate lamp (slot a)) (defrule r (x ?y) => (lamp (a ?y)))",
            "to assert a fact write `(assert (lamp (a ?y)))`",
        ),
        (
            "(defrule r (x) => (alarm \"on\"))",
            "to assert a fact write `(assert (alarm \"on\"))`; a function needs a `deffunction` before",
        ),
        (
            "(defrule r (x ?y) => (printout t (lamp ?y)))",
            "define it before it is used: `(deffunction lamp (?x) ...)`",
        ),
    ] {
        let findings = read(text).1;
        let helps: Vec<&str> = findings.iter().filter_map(|found| found.help.as_deref()).collect();
        assert_eq!(helps, [help], "{text}");
    }
}

#[test]
fn what_is_defined_too_late_is_pointed_at() {
    for (text, help) in [
        (
            "(defrule r (x ?y) => (lamp ?y)) (deffunction lamp (?x) ?x)",
            "move the definition before its first use",
        ),
        (
            "(defrule r (lamp (a 1)) =>) (deftemplate lamp (slot a))",
            "move the declaration before its first use",
        ),
    ] {
        let findings = read(text).1;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].help.as_deref(), Some(help));
        assert_eq!(
            findings[0].labels[0].at.span().start as usize,
            text.rfind("lamp").expect("it is there")
        );
    }
}

#[test]
fn a_finding_says_what_to_do_where_it_stands() {
    for (text, help) in [
        ("(defrule r (x ?y) (test (> ?yy ?y)) =>)", "did you mean `?y`?"),
        (
            "(defrule r (test (> ?limit 3)) =>)",
            "let a pattern before it bind it, as `(name ?limit)` does, or write a value",
        ),
        (
            "(defrule r (x) => (retract ?fact))",
            "let a condition bind it: `?fact <- (name)` a fact, `(name ?fact)` a value",
        ),
        ("(deffunction f () (+ ?n 1))", "bind it: `(bind ?n VALUE)`"),
        ("(deffunction f (?x) (* 2 x))", "did you mean `?x`?"),
        ("(deffunction f (?x) (* 2 y))", "write a number"),
        ("(defrule r (x) -> (assert (y)))", "did you mean `=>`?"),
        ("(defrule r (x) (assert (y)))", "write the conditions, `=>`, and the actions"),
        (
            "(deftemplate t (slot a (type FLOAT) (range 0 ?VARIABLE)))",
            "write `1` for an integer, `1.0` for a float",
        ),
        (
            "(deftemplate t (slot a (type SYMBOL) (range 0 1)))",
            "delete one of them, or make them agree",
        ),
        ("(reset)", "delete it: `quipu rules` resets and runs"),
        ("(assert (x 1))", "write `(deffacts name (x 1))`"),
        ("(printout t x)", "put it into the actions of a rule: `(defrule name => ...)`"),
        ("(defrule r => (assert-string \"(a)\"))", "write `(assert (name ?x))` with the values"),
        ("(defrule r => (type 1))", "ask with `numberp`, `symbolp` or `stringp`"),
    ] {
        let findings = read(text).1;
        let helps: Vec<&str> = findings.iter().filter_map(|found| found.help.as_deref()).collect();
        assert_eq!(helps, [help], "{text}");
    }
}

#[test]
fn a_fact_from_outside_is_not_helped_to_what_is_refused() {
    let mut program = read("(defglobal ?*x* = 1) (deftemplate room (slot name))").0;
    for (text, help) in [
        ("temperature 35", "write `(temperature 35)`"),
        ("a\nb", "write `(name value ...)`"),
        ("(light ?x)", "write a symbol, a string or a number"),
        ("(light ?*x*)", "write a symbol, a string or a number"),
        ("(light ?*y*)", "write a symbol, a string or a number"),
        ("(light (+ 1 2))", "write a symbol, a string or a number"),
        ("(room (name (nobody)))", "write a symbol, a string or a number"),
    ] {
        let findings = read_fact(&mut program, text).expect_err(text);
        let helps: Vec<&str> = findings.iter().filter_map(|found| found.help.as_deref()).collect();
        assert_eq!(helps, [help], "{text}");
    }
}

#[test]
fn a_control_text_says_what_format_takes() {
    for (call, expected) in [
        (
            r#"(format t "%d" a)"#,
            "R208: `format` takes a number here, and this is a symbol: write a number",
        ),
        (
            r#"(format t "%d %s" 1 2.5)"#,
            "R208: `format` takes a symbol or a string here, and this is a float: \
             write a symbol or a string",
        ),
        (
            r#"(format nil "%c" (create$ a))"#,
            "R208: `format` takes an integer, a symbol or a string here, and this is a list: \
             write an integer, a symbol or a string",
        ),
        (
            r#"(format t "%s is %d%n" a)"#,
            "R207: `format` takes 2 values with this text, and gets 1: \
             each `%s` or its kind writes one value, and `%%` a percent sign",
        ),
        (
            r#"(format t "done" a)"#,
            "R207: `format` takes 0 values with this text, and gets 1: \
             each `%s` or its kind writes one value, and `%%` a percent sign",
        ),
        (
            r#"(format t "100% sure")"#,
            "R207: `format` takes 1 value with this text, and gets 0: \
             each `%s` or its kind writes one value, and `%%` a percent sign",
        ),
        (
            r#"(format t "%5.2q" 1)"#,
            "R208: `%5.2q` is no conversion; `%%` writes a percent sign: \
             write it like `%d`, `%8.2f` or `%-10s`",
        ),
        (
            r#"(format t "%1001s" a)"#,
            "R208: `%1001s` has a width or precision above 1000: \
             write it like `%d`, `%8.2f` or `%-10s`",
        ),
        (
            r#"(format out "%s" a)"#,
            "R304: nothing is printed: there is no output `out`: \
             write `t`, which is the log of the run",
        ),
        (
            r#"(format t)"#,
            "R207: `format` takes at least 2 arguments, and gets 1: add what is missing",
        ),
        (
            r#"(format t crlf)"#,
            "R208: `format` takes a string here, and this is a symbol: write a string",
        ),
    ] {
        assert_eq!(said(&format!("(defrule r => {call})")), [expected], "{call}");
    }
    for fine in [
        r#"(format t "%d %s %c%%%n" 1.5 a 65)"#,
        r#"(format nil "%d" (nth$ 1 (create$ a)))"#,
        r#"(format nil (str-cat "%" q) 1)"#,
        r#"(bind ?x (format stderr "a"))"#,
    ] {
        assert_eq!(said(&format!("(defrule r => {fine})")), [""; 0], "{fine}");
    }
    let text = "(defrule r =>\n  (format t \"%q\" 1)\n  (format t \"%d\" \"a\"))";
    let found = [
        "a.clp:2:13: error[R208]: `%q` is no conversion; `%%` writes a percent sign",
        "a.clp:3:18: error[R208]: `format` takes a number here, and this is a string",
    ];
    assert_eq!(lines(text), found);
}

#[test]
fn conditions_that_are_hardly_meant_are_told() {
    for (text, expected) in [
        (
            "(defrule r (x ?y) (> ?y 3) =>)",
            "R305: this asks for a fact `>`, and calls nothing: write `(test (> ...))`",
        ),
        (
            "(defrule r (salience 10) (x) =>)",
            "R305: this asks for a fact `salience`, and declares nothing: \
             write `(declare (salience ...))`",
        ),
        (
            "(defrule r (x ?y) (not (x ?y)) =>)",
            "R302: `r` can never fire: it asks for a fact and that there is none such: \
             use another variable in one of them, or delete one",
        ),
        (
            "(defrule r (x ?y&~?y) =>)",
            "R302: `r` can never fire: `?y` cannot differ from itself: use another variable",
        ),
        (
            "(defrule r ?f <- (x) =>)",
            "R301: `?f` is bound here and used nowhere in `r`: leave out `?f <-`",
        ),
    ] {
        assert_eq!(said(text), [expected], "{text}");
    }
    for fine in [
        "(defrule r (x ?y) (eq ?y) =>) (deffacts f (eq 3))",
        "(defrule r (max ?y) (x ?y) =>)",
        "(defrule r (x) (salience 10) =>)",
        "(defrule r (x ?y) (not (x ~?y)) =>)",
        "(defrule r (x ?y) (not (x ?y ?)) =>)",
        "(defrule r (x ?y) (y ?z) (not (x ?z)) (not (y ?y)) =>)",
    ] {
        assert_eq!(said(fine), [""; 0], "{fine}");
    }
}

#[test]
fn the_variable_of_a_fact_is_underlined_with_its_arrow() {
    let text = "(defrule r ?f <- (x) =>)";
    let findings = rules::check::check(&read(text).0);
    assert_eq!(&text[findings[0].at.span().range()], "?f <-");
}

/// All that is said of a text before it runs.
fn before_it_runs(text: &str) -> Vec<String> {
    let source = Source::new("a.clp", text);
    Rulebook::read(&source.text).1.iter().map(|found| line(&source, found)).collect()
}

#[test]
fn rules_are_joined_although_others_are_wrong() {
    let found = before_it_runs(
        "(defrule wrong (a ?x) => (prinout t ?x))
         (defrule late (b ?y&:(> ?z 1)) (c ?z) => (assert (d ?y)))",
    );
    assert_eq!(
        found,
        [
            "a.clp:1:27: error[R201]: there is no function `prinout`",
            "a.clp:2:34: error[R206]: `?z` has no value: no pattern before it binds it",
        ]
    );
}

#[test]
fn nothing_is_said_of_rules_whose_templates_may_be_wrong() {
    let found = before_it_runs(
        "(deftemplate b (slot v (type COLOUR)))
         (defrule late (b (v ?y&:(> ?z 1))) (c ?z) => (assert (d ?y)))",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a.clp:1:30"), "{found:?}");
}

#[test]
fn what_a_condition_would_print_is_told() {
    let found = before_it_runs(
        "(defrule r (test (printout t x)) (b ?x&:(format t \"%d\" ?x)) => (assert (c)))
         (defrule s (test (format nil \"%d\" 1)) => (format t \"%d\" 1) (assert (c)))",
    );
    let nothing = "warning[R304]: nothing is printed: conditions have no effects";
    assert_eq!(found, [format!("a.clp:1:28: {nothing}"), format!("a.clp:1:49: {nothing}")]);
}
