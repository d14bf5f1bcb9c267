//! What policies are told, what they may say, and what becomes of everything else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use diagnostics::Source;
use history::Timestamp;
use host::policy::{self, Policy, Step, read_tests, with_defaults};
use host::{Capabilities, Who};
use runtime::Ruled;
use store::MemoryStore;
use value::{Map, Text, json};

fn rules(text: &str) -> Policy {
    Policy::read(&Source::new("policy.yaml", text)).unwrap()
}

fn python(text: &str) -> Policy {
    Policy::read(&Source::new("policy.py", text)).unwrap()
}

fn call(text: &str) -> Map {
    with_defaults(json::parse(text).unwrap().as_map().unwrap()).unwrap()
}

/// What a policy says of a call, in a line.
fn said(policy: &mut Policy, text: &str) -> String {
    let ruling = policy.decide(&call(text));
    assert_eq!(ruling.policy, *policy.digest());
    let reason = ruling.reason.unwrap_or_default();
    match ruling.outcome {
        Ruled::Allow => format!("allow: {reason}"),
        Ruled::DenyContinue => format!("deny: {reason}"),
        Ruled::DenyAbort => format!("abort: {reason}"),
        Ruled::Broken => format!("broken: {reason}"),
        Ruled::Ask { capability, expires_ms } => {
            format!("ask {} {expires_ms}: {reason}", capability.as_deref().unwrap_or("anybody"))
        }
    }
}

#[test]
fn the_first_rule_that_holds_decides() {
    let mut policy = rules(
        "
rules:
  - {when: touches == 'read', decision: allow}
  - when: tool in ['refund', 'pay'] and args.amount > 100
    decision: ask
    capability: approve.money
    expires_s: 90
    reason: much
  - {when: nth > 3 or tokens_so_far > 1000 or cost_so_far > 0.5, decision: deny_abort}
default: deny_continue
",
    );
    for (given, expected) in [
        (r#"{"tool": "x", "touches": "read"}"#, r#"allow: because touches = "read""#),
        (r#"{"tool": "pay", "args": {"amount": 101}}"#, "ask approve.money 90000: much"),
        (r#"{"tool": "pay", "args": {"amount": 100.5}}"#, "ask approve.money 90000: much"),
        (
            r#"{"tool": "pay", "args": {"amount": 100}}"#,
            "deny: no rule holds, and this is the default",
        ),
        (
            r#"{"tool": "pay", "args": {"amount": "101"}}"#,
            "broken: rule 2 cannot be decided: `args.amount` (text) and a number have no order",
        ),
        (
            r#"{"tool": "pay"}"#,
            "broken: rule 2 cannot be decided: `args.amount` (null) and a number have no order",
        ),
        (
            r#"{"tool": "x", "nth": 4}"#,
            "abort: because nth > 3 or tokens_so_far > 1000 or cost_so_far > 0.5",
        ),
    ] {
        assert_eq!(said(&mut policy, given), expected, "{given}");
    }
}

#[test]
fn a_program_sees_the_whole_call_and_nothing_else() {
    let mut policy = python(
        "def helper(call):\n    return ' '.join(sorted(call))\n\n\
         def decide(call):\n    return {'decision': 'ask', 'reason': helper(call)}\n",
    );
    let all = "again agent args began cost_so_far node nth run server tokens_so_far tool touches";
    assert_eq!(said(&mut policy, "{}"), format!("ask anybody 86400000: {all}"));
    // What it does to what it was given changes nothing.
    let mut policy = python(
        "def decide(call):\n    call['args']['amount'] = 1\n    call['decision'] = 'deny'\n    \
         return {'decision': 'allow', 'reason': str(call['args'])}\n",
    );
    let given = call(r#"{"args": {"amount": 500}}"#);
    policy.decide(&given);
    assert_eq!(given, call(r#"{"args": {"amount": 500}}"#));
    // A clock would give two answers to one call.
    let mut policy = python(
        "import datetime\ndef decide(call):\n    \
         return {'decision': 'allow', 'reason': str(datetime.datetime.now())}\n",
    );
    assert!(said(&mut policy, "{}").starts_with("broken: "), "{}", said(&mut policy, "{}"));
}

#[test]
fn only_a_well_formed_decision_is_one() {
    for (given, why) in [
        ("{'decision': 'allow', 'capability': 'x'}", "asks nobody"),
        ("{'decision': 'ask', 'capability': ' '}", "is no name"),
        ("{'decision': 'ask', 'expires_s': 0}", "expires_s"),
        ("{'decision': 'ask', 'expires_s': 1e9}", "expires_s"),
        ("{'decision': 'ask', 'expires_s': '60'}", "expires_s"),
        ("{'decision': 'allow', 'reason': 5}", "as its reason"),
        ("{'decision': True}", "no `decision`"),
        ("{'decision': 'Allow'}", "none of"),
        ("{}", "no `decision`"),
        ("[]", "in the place of a decision"),
        ("None", "in the place of a decision"),
        ("lambda: 1", ""),
    ] {
        let mut policy = python(&format!("def decide(call):\n    return {given}\n"));
        let said = said(&mut policy, "{}");
        assert!(said.starts_with("broken: ") && said.contains(why), "{given}: {said}");
    }
}

#[test]
fn tests_say_what_is_wrong_with_themselves() {
    let read = |text: &str| read_tests(&Source::new("tests.yaml", text));
    let tests = read("tests: [{call: {tool: x}, expect: ask}]").unwrap();
    assert_eq!((tests.len(), &*tests[0].expect), (1, "ask"));
    for (text, why) in [
        ("a: 1", "tests are a list"),
        ("[{expect: ask}]", "test 1: there is no `call`"),
        ("[{call: {tool: x}}]", "test 1: `expect` must be one of"),
        ("[{call: {tool: x}, expect: no}]", "test 1: `expect` must be one of"),
        ("[{call: {tol: x}, expect: ask}]", "test 1: a call has no `tol`"),
    ] {
        let found = read(text).unwrap_err();
        assert!(found.contains(why), "{text}: {found}");
    }
    // A policy that breaks meets no expectation, although it denies.
    let mut broken = python("def decide(call):\n    return 1 / 0\n");
    let tests = read("[{call: {}, expect: deny_continue}]").unwrap();
    assert!(!broken.test(&tests)[0].passes());
}

#[test]
fn the_policy_in_force_is_found_from_events() {
    let store = MemoryStore::default();
    let now = Timestamp::from_micros(1_790_000_000_000_000);
    let tests = read_tests(&Source::new("t", "[{call: {}, expect: allow}]")).unwrap();
    let propose = |text: &str, agent: &str| {
        let (agent, mut policy) = (Text::from(agent), rules(text));
        policy::propose(&store, &mut policy, &tests, &agent, None, now).unwrap().0
    };
    let for_all = propose("default: allow", policy::ALL_AGENTS);
    let own = propose("rules: []\ndefault: allow", "shop");
    assert_eq!(policy::in_force(&store, "shop").unwrap(), None);
    let activate = |proposal| policy::activate(&store, proposal, &"ada".into(), None, now);
    activate(&for_all).unwrap();
    let active = |agent: &str| policy::in_force(&store, agent).unwrap().unwrap().digest;
    assert_eq!((active("shop"), active("desk")), (for_all.digest.clone(), for_all.digest.clone()));
    activate(&own).unwrap();
    assert_eq!((active("shop"), active("desk")), (own.digest.clone(), for_all.digest.clone()));
    let told = policy::history(&store, "shop").unwrap();
    assert!(matches!(&told[..], [Step::Proposed(_), Step::Activated(_)]), "{told:?}");
    assert_eq!(policy::find(&store, &own.digest[..10]).unwrap().len(), 1);
    // What is in force is kept, however a store is cleaned up.
    store::gc(&store, store::Clean::Remove).unwrap();
    for digest in [&for_all.digest, &own.digest] {
        assert!(Policy::load(&store, digest).unwrap().unwrap().is_ok());
    }
    assert_eq!(own.read(&store).unwrap().1, tests);
}

#[test]
fn only_who_has_a_capability_may_answer() {
    let people = [("alice".into(), ["pay".into()].into()), ("bob".into(), [].into())];
    let capabilities = Capabilities::new(people.into_iter().collect());
    let who =
        |name: Option<&str>| Who { name: name.map(Text::from), capabilities: capabilities.clone() };
    let refused =
        |name, capability: Option<&str>| who(name).refused(capability.map(Text::from).as_ref());
    assert_eq!(refused(None, None), None);
    assert_eq!(refused(Some("alice"), Some("pay")), None);
    let told = "`bob` may not answer this: it needs `pay`; alice may (`--as NAME`)";
    assert_eq!(refused(Some("bob"), Some("pay")).as_deref(), Some(told));
    assert!(refused(None, Some("pay")).unwrap().contains("must say who they are"));
    assert!(refused(Some("alice"), Some("fly")).unwrap().contains("nobody may"));
}
