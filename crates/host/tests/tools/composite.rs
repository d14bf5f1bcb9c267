//! Tools that are made of tools.

use std::sync::Arc;

use expect_test::expect;
use graph::{Again, Touches};
use host::models::Absent;
use host::{Adapter, Contract, Registry, Unbound};
use runtime::Money;
use value::json;

use crate::scratch::{Scratch, answer, call_of, folded, wrapped};

/// Tools that tell what they were given and under which key.
fn ground(tools: &str) -> (Scratch, Registry) {
    let folder = Scratch::new();
    folder.program(
        "step",
        r#"printf '{"%s": %s, "key": "%s"}' "$1" "$(cat)" "$QUIPU_IDEMPOTENCY_KEY""#,
    );
    folder.program("fails", "echo \"no luck with $(cat)\" >&2; exit 1");
    folder.program("hangs", "sleep 60");
    let config = folder.config(tools);
    let registry = Registry::new(&config, Arc::new(Absent), Unbound::Fail);
    (folder, registry)
}

fn ask(registry: &Registry, args: &str) -> String {
    match answer(registry.call(call_of("tool", "all", args))) {
        Ok(value) => json::compact(&value),
        Err(fault) => folded(&fault) + "\n" + &json::compact(&fault.details.unwrap()),
    }
}

const STEPS: &str = r#"
[tools.one]
command = ["./step", "one"]
touches = "read"
[tools.two]
command = ["./step", "two"]
again = "key"
cost = "0.25"
permissions = ["net.web"]
[tools.fails]
command = ["./fails"]
touches = "read"
"#;

#[test]
fn each_part_is_given_what_the_one_before_it_answered() {
    let (_folder, registry) = ground(&format!(
        "{STEPS}[tools.all]\ncomposite = [\"one\", {{ tool = \"two\", original = \"asked\" }}]\n"
    ));
    expect![[r#"{"two":{"one":{"q":1},"key":"key-1.1","asked":{"q":1}},"key":"key-1.2"}"#]]
        .assert_eq(&ask(&registry, r#"{"q": 1}"#));
    let (_folder, registry) = ground(
        "[tools.all]\ncomposite = [\"calculator\", { tool = \"json\", original = \"value\" }]\n",
    );
    let said = ask(&registry, r#"{"expression": "1 + 1", "operation": "x"}"#);
    assert!(said.contains("`operation` is missing"), "a number is given as `input`: {said}");
}

#[test]
fn it_is_as_bad_as_its_worst_part_and_needs_and_costs_what_they_do() {
    let (_folder, registry) = ground(&format!(
        "{STEPS}[tools.all]\ncomposite = [\"inner\", \"two\"]\npermissions = [\"own\"]\n\
         [tools.inner]\ncomposite = [\"one\", \"two\"]\n"
    ));
    let contract = registry.resolve("all").unwrap();
    assert_eq!((contract.touches, contract.again), (Touches::Write, Again::WithKey));
    assert_eq!(contract.permissions, ["net.web".into(), "own".into()]);
    assert_eq!(contract.cost, Money::parse("0.50").unwrap());
    let (_folder, registry) =
        ground(&format!("{STEPS}[tools.all]\ncomposite = [\"one\", \"text\"]\n"));
    let found = registry.bound("all").unwrap().contract();
    assert_eq!(found, Contract { touches: Touches::Read, again: Again::Freely });
}

#[test]
fn a_part_that_fails_says_which_it_was_and_what_was_done_before() {
    let mut said = String::new();
    for parts in ["\"one\", \"fails\", \"two\"", "\"two\", \"fails\"", "\"fails\""] {
        let (_folder, registry) = ground(&format!("{STEPS}[tools.all]\ncomposite = [{parts}]\n"));
        said += &(ask(&registry, "{}") + "\n");
    }
    let (_folder, registry) = ground(
        "[tools.all]\ncomposite = [\"hangs\"]\ntimeout = 1\n[tools.hangs]\ncommand = [\"./hangs\"]\n",
    );
    said += &(ask(&registry, "{}") + "\n");
    let (_folder, registry) = ground(&format!(
        "{STEPS}[tools.checked]\ncommand = [\"./step\", \"x\"]\ninput = {{ required = [\"z\"] }}\n\
         [tools.all]\ncomposite = [\"one\", \"checked\"]\n"
    ));
    said += &(ask(&registry, "{}") + "\n");
    expect![[r#"
        tool (has not happened):
          part 2 of 3 of `all`, `fails`: no luck with {"one":{},"key":"key-1.1"}
        {"tool":"all","exit_code":1,"reported":true,"may_have_happened":false,"part":"fails","place":2}
        tool (may have happened):
          part 2 of 2 of `all`, `fails`: no luck with {"two":{},"key":"key-1.1"};
          what the parts before it wrote stays
        {"tool":"all","part":"fails","place":2,"may_have_happened":true}
        tool (has not happened):
          part 1 of 1 of `all`, `fails`: no luck with {}
        {"tool":"all","exit_code":1,"reported":true,"may_have_happened":false,"part":"fails","place":1}
        timeout (may have happened):
          `all` took longer than 1s
        {"tool":"all","may_have_happened":true}
        schema (has not happened):
          part 2 of 2 of `all`, `checked`: `checked` was not called: its arguments do not fit its
            schema: the whole: "z" is a required property
        {"tool":"all","may_have_happened":false,"misfits":[{"at":"","message":"\"z\" is a required
            property"}],"part":"checked","place":2}
    "#]].assert_eq(&wrapped(&said));
}
