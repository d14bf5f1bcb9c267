//! Whatever was done to a memory before: forks of it are what the same acts make of a memory that
//! was never forked, and what matches follows from the facts that are there, not from how they
//! came and which others went.

use std::sync::Arc;

use proptest::prelude::*;
use rules::program::TemplateId;
use rules::read::read;
use rules::{FactId, Field, Limits, Memory, Rulebook, Stop};

const LIMITS: Limits = Limits { firings: 6, facts: 1_000, matches: 100_000, steps: 1_000_000 };

/// Templates for facts that come from outside; rules make more of them.
const TEMPLATES: &str = "(deftemplate t (slot a) (multislot m))
    (deffacts shapes (n 0) (p 0 0) (l) (t) (phase 0))\n";

/// What can stand before the condition that binds `?f` and `?x`.
const LEADS: &[&str] = &[
    "",
    "",
    "",
    "(not (n 3))",
    "(not (and (n ?v) (p ?v ?)))",
    "(exists (p ?k ?) (n ?k))",
    "(exists (l $? 2 $?))",
    "(forall (n ?v) (p ?v ?))",
    "(p ?x ?)",
    "(l $? ?x $?)",
    "(test (> 2 1))",
];

const CONDITIONS: &[&str] = &[
    "(n ?y)",
    "(n ?y&~?x)",
    "(p ?x ?y)",
    "(p ?x ?z) (p ?z ?)",
    "(p ?y&:(> ?y ?x) ?x)",
    "(p ? =(+ ?x 1))",
    "(l $? ?x $?)",
    "(l $?before ?x $?after)",
    "(l $?same) (l $? ?x $?same)",
    "(t (a ?x) (m $?rest))",
    "(t (m $? ?x $?)) (n ?x)",
    "(not (p ?x ?))",
    "(not (p ?x ?w&:(> ?w 2)))",
    "(not (and (p ?x ?v) (n ?v)))",
    "(not (and (p ?x ?v) (not (n ?v))))",
    "(not (and (l $? ?x $?) (not (and (n ?v) (p ?v ?x)))))",
    "(exists (p ?x ?))",
    "(exists (p ?x ?v) (n ?v))",
    "(exists (p ?x ?v) (not (n ?v)))",
    "(forall (p ?x ?v) (n ?v))",
    "(forall (n ?v) (p ?v ?x) (t (a ?v)))",
    "(or (n 1) (l $? ?x))",
    "(test (< ?x 5))",
    "(not (n 4)) (test (> ?x 1))",
];

const ACTIONS: &[&str] = &[
    "(assert (n (+ ?x 1)))",
    "(assert (p ?x (+ ?x 1)))",
    "(assert (p (- ?x 1) ?x) (n ?x))",
    "(assert (l ?x 2 ?x))",
    "(assert (t (a ?x) (m ?x 2)))",
    "(retract ?f)",
    "(retract ?f) (assert (n (mod (+ ?x 1) 5)))",
    "(assert (l ?x)) (retract ?f) (assert (p ?x ?x))",
];

/// What only a rule that has a fact with slots can do.
const MODIFYING: &[&str] = &[
    "(modify ?f (a (mod (+ ?x 1) 4)))",
    "(modify ?f (m ?x)) (assert (n ?x))",
    "(duplicate ?f (m ?x ?x))",
    "(modify ?f (a 2)) (retract ?f)",
];

fn rule() -> impl Strategy<Value = String> {
    (
        -1..2,
        prop::sample::select(LEADS),
        (any::<bool>(), any::<bool>()),
        prop::collection::vec(prop::sample::select(CONDITIONS), 0..4),
        prop::collection::vec((0..12_usize, any::<prop::sample::Index>()), 0..3),
    )
        .prop_map(|(salience, lead, (logical, slots), conditions, actions)| {
            let bound = if slots { "?f <- (t (a ?x&:(numberp ?x)))" } else { "?f <- (n ?x)" };
            let first = format!("{lead} {bound}");
            let first = if logical { format!("(logical {first})") } else { first };
            let actions = actions.into_iter().map(|(kind, at)| {
                let all = if slots && kind > 4 { MODIFYING } else { ACTIONS };
                all[at.index(all.len())]
            });
            let (when, then) = (conditions.join(" "), actions.collect::<Vec<_>>().join(" "));
            format!("(declare (salience {salience})) {first} {when} (phase ?) => {then}")
        })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(rule(), 1..6).prop_map(|rules| {
        let rules = (1..).zip(rules).map(|(at, rule)| format!("(defrule r{at} {rule})\n"));
        TEMPLATES.to_owned() + &rules.collect::<String>()
    })
}

fn book(text: &str) -> Arc<Rulebook> {
    let (program, findings) = read(text);
    assert!(!diagnostics::any_error(&findings), "{text}\n{findings:?}");
    Arc::new(Rulebook::new(program).expect("the rules are right"))
}

/// Something that is done to a memory.
#[derive(Clone, Debug)]
enum Act {
    Assert(&'static str, Vec<i64>),
    Retract(prop::sample::Index),
    Modify(prop::sample::Index, i64),
    Fire(u64),
}

fn act() -> impl Strategy<Value = Act> {
    // Few values, so that much is joined; now and then one of many, so that there are many lists.
    let value = || prop_oneof![4 => 0..5_i64, 1 => 0..200_i64];
    let fact = prop_oneof![
        value().prop_map(|a| ("n", vec![a])),
        (value(), value()).prop_map(|(a, b)| ("p", vec![a, b])),
        prop::collection::vec(0..4_i64, 0..5).prop_map(|list| ("l", list)),
        (value(), prop::collection::vec(0..4_i64, 0..3)).prop_map(|(a, mut list)| {
            list.insert(0, a);
            ("t", list)
        }),
    ];
    prop_oneof![
        8 => fact.prop_map(|(template, values)| Act::Assert(template, values)),
        3 => any::<prop::sample::Index>().prop_map(Act::Retract),
        2 => (any::<prop::sample::Index>(), value()).prop_map(|(at, a)| Act::Modify(at, a)),
        2 => (1..4_u64).prop_map(Act::Fire),
    ]
}

fn template(memory: &Memory, name: &str) -> TemplateId {
    let templates = &memory.rulebook().program().templates;
    let at = templates.iter().position(|template| &*template.name == name);
    TemplateId(at.expect("all templates are known") as u32)
}

fn fields(name: &str, values: &[i64]) -> Vec<Field> {
    let many = |values: &[i64]| Field::many(values.iter().copied().map(Field::Int));
    match name {
        "t" => vec![Field::Int(values[0]), many(&values[1..])],
        _ => vec![many(values)],
    }
}

fn nth(memory: &Memory, at: &prop::sample::Index) -> Option<FactId> {
    (memory.fact_count() > 0)
        .then(|| memory.facts().nth(at.index(memory.fact_count())))?
        .map(|it| it.id)
}

/// Does it, and tells what is heard of it: who fired, what was said, and why no more.
fn perform(memory: &mut Memory, act: &Act) -> String {
    let mut fired = Vec::new();
    let mut stop: Option<Stop> = None;
    match act {
        Act::Assert(name, values) => {
            memory.assert(template(memory, name), fields(name, values), None);
        }
        Act::Retract(at) => {
            if let Some(fact) = nth(memory, at) {
                memory.retract(fact);
            }
        }
        Act::Modify(at, value) => {
            let slots = template(memory, "t");
            let facts: Vec<FactId> = memory.facts_of(slots).map(|fact| fact.id).collect();
            if !facts.is_empty() {
                memory.modify(*at.get(&facts), vec![(0, Field::Int(*value))]);
            }
        }
        Act::Fire(count) => {
            for _ in 0..*count {
                stop = memory.fire(&mut |rule| fired.push(rule));
                if stop.is_some() {
                    break;
                }
            }
        }
    }
    format!("{fired:?} {stop:?} {} {:?}", memory.take_printed(), memory.take_faults())
}

/// All that can be seen of a memory.
fn seen(memory: &Memory, text: &str) -> Vec<String> {
    let mut seen: Vec<String> = memory
        .facts()
        .map(|fact| format!("f-{} {:?} {:?}", fact.index, fact.fields, fact.origin))
        .collect();
    let agenda: Vec<_> = memory.agenda().collect();
    assert_eq!(agenda.len(), memory.agenda_length());
    seen.extend(agenda.iter().map(|one| format!("{one:?} {:?}", memory.values(one))));
    seen.extend(memory.explain_next(text).map(|firing| firing.to_string()));
    let rules = 0..memory.rulebook().program().rules.len();
    seen.extend(rules.map(|rule| memory.why_not(rule, text).to_string()));
    seen
}

/// What can fire, as far as the order in which it was completed has no say in it.
fn complete(memory: &Memory) -> Vec<String> {
    let mut complete: Vec<String> = memory
        .agenda()
        .map(|one| {
            let facts = one.facts.iter().map(|id| id.and_then(|id| memory.fact(id)));
            let facts: Vec<_> = facts.map(|fact| fact.map(|fact| fact.fields.to_vec())).collect();
            format!("{} {facts:?}", one.rule)
        })
        .collect();
    complete.sort();
    complete
}

fn set_phase(memory: &mut Memory, phase: i64) {
    let name = template(memory, "phase");
    let facts: Vec<FactId> = memory.facts_of(name).map(|fact| fact.id).collect();
    facts.into_iter().for_each(|fact| assert!(memory.retract(fact)));
    memory.assert(name, fields("phase", &[phase]), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn forks_are_what_their_acts_make_of_a_new_memory(
        text in program(),
        acts in prop::collection::vec((any::<prop::sample::Index>(), act(), prop::bool::weighted(0.2)), 1..60),
        (matches, steps) in prop_oneof![
            3 => Just((LIMITS.matches, LIMITS.steps)),
            1 => (10..200_usize, Just(LIMITS.steps)),
            1 => (Just(LIMITS.matches), 10..2_000_u64),
        ],
    ) {
        let book = book(&text);
        let limits = Limits { matches, steps, ..LIMITS };
        let mut forks = vec![(Memory::new(Arc::clone(&book), limits), Vec::new())];
        for (which, act, is_forked) in acts {
            let which = which.index(forks.len());
            if is_forked && forks.len() < 6 {
                let (memory, history) = &mut forks[which];
                let fork = (memory.fork(), history.clone());
                forks.push(fork);
            }
            let (memory, history) = &mut forks[which];
            let heard = perform(memory, &act);
            history.push((act, heard));
        }
        for (memory, history) in &forks {
            let mut anew = Memory::new(Arc::clone(&book), limits);
            anew.take_faults();
            for (act, heard) in history {
                prop_assert_eq!(&perform(&mut anew, act), heard, "{:?} in\n{}", act, text);
            }
            prop_assert_eq!(seen(&anew, &text), seen(memory, &text), "{}", text);
            prop_assert!(anew.diff(memory).is_empty());
        }
    }

    /// Each rule ends with a condition whose fact is asserted last, so that what fired before is
    /// complete once more, from matches that have seen everything.
    #[test]
    fn what_matches_follows_from_the_facts(
        text in program(),
        acts in prop::collection::vec((act(), prop::bool::weighted(0.1)), 1..80),
    ) {
        let book = book(&text);
        let mut memory = Memory::new(Arc::clone(&book), LIMITS);
        let mut others = Vec::new();
        for (act, is_forked) in acts {
            if is_forked {
                others.push(memory.fork());
            }
            perform(&mut memory, &act);
        }
        others.push(memory);
        for mut memory in others {
            set_phase(&mut memory, 1);
            let mut anew = Memory::new(Arc::clone(&book), LIMITS);
            let start: Vec<FactId> = anew.facts().map(|fact| fact.id).collect();
            start.into_iter().for_each(|fact| assert!(anew.retract(fact)));
            prop_assert_eq!(anew.fact_count(), 0);
            for fact in memory.facts() {
                anew.assert(fact.template, fact.fields.to_vec(), None);
            }
            prop_assert_eq!(anew.fact_count(), memory.fact_count());
            prop_assert_eq!(complete(&anew), complete(&memory), "{}", text);
        }
    }
}
