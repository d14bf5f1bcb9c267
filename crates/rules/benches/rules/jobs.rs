//! What is measured: programs of rules with the facts they work on, the same for both engines.

/// One row of the table.
pub(crate) struct Job {
    /// The program.
    pub(crate) name: &'static str,
    /// How large it is.
    pub(crate) size: String,
    /// Its constructs.
    pub(crate) rules: String,
    /// What is asserted before it runs.
    pub(crate) facts: Vec<String>,
    /// How it runs.
    pub(crate) kind: Kind,
}

/// How a program runs.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// To its end, once.
    Once,
    /// So many cycles over so many nodes: three facts change in each.
    Cycle { count: usize, nodes: usize },
    /// The same, with a fork after each cycle, which alone is measured.
    Fork { count: usize, nodes: usize },
}

const ROUTING: &str = include_str!("../programs/routing.clp");
const MANNERS: &str = include_str!("../programs/manners.clp");
const WALTZ: &str = include_str!("../programs/waltz.clp");
const CLOSURE: &str = include_str!("../programs/closure.clp");
const SQUARES: &str = include_str!("../programs/squares.clp");

/// The nodes that `routing.clp` has rules for.
const ROUTING_NODES: usize = 5;

/// All rows; fewer cycles where it must be quick.
pub(crate) fn all(quick: bool) -> Vec<Job> {
    let count = if quick { 5_000 } else { 100_000 };
    let cycle = |name, size: String, rules, facts, nodes| Job {
        name,
        size,
        rules,
        facts,
        kind: Kind::Cycle { count, nodes },
    };
    let once = |name, size: String, rules: &str, facts| Job {
        name,
        size,
        rules: rules.to_owned(),
        facts,
        kind: Kind::Once,
    };
    let size = "20 rules, 50 facts".to_owned();
    let mut jobs = vec![cycle("routing", size, ROUTING.to_owned(), standing(), ROUTING_NODES)];
    for guests in [16, 32, 64] {
        jobs.push(once("manners", format!("{guests} guests"), MANNERS, manners(guests)));
    }
    for regions in [12, 25] {
        jobs.push(once("waltz", format!("{regions} regions"), WALTZ, waltz(regions)));
    }
    for places in [60, 120, 240] {
        jobs.push(once("closure", format!("{places} places"), CLOSURE, closure(places)));
    }
    for facts in [1_000, 5_000] {
        jobs.push(once("squares", format!("{facts} facts"), SQUARES, squares(facts)));
    }
    for facts in [1_000, 10_000, 100_000] {
        let rules = format!("{ROUTING}\n{OWNERS}");
        let given = owners(facts);
        jobs.push(cycle("growth", format!("21 rules, {facts} facts"), rules, given, facts / 2));
    }
    for rules in [10, 100, 1_000] {
        let size = format!("{rules} rules, 50 facts");
        jobs.push(cycle("growth", size, many_rules(rules), standing(), rules));
    }
    for facts in [1_000, 100_000] {
        let rules = format!("{ROUTING}\n{OWNERS}");
        jobs.push(Job {
            kind: Kind::Fork { count: count / 50, nodes: facts / 2 },
            ..once("fork", format!("21 rules, {facts} facts"), &rules, owners(facts))
        });
    }
    jobs
}

/// Fifty facts of a state that does not change.
fn standing() -> Vec<String> {
    let known = ["(tier (value gold))", "(region (value open))", "(note (key limit) (value 9))"];
    let notes = (0..47).map(|at| format!("(note (key k{at}) (value {at}))"));
    known.map(str::to_owned).into_iter().chain(notes).collect()
}

/// Guests with two or three hobbies of three, men and women in turn.
fn manners(guests: usize) -> Vec<String> {
    let mut random = Random::new(guests as u64);
    let mut facts = Vec::new();
    for at in 0..guests {
        let sex = if at % 2 == 0 { "m" } else { "f" };
        let left_out = random.below(6);
        let hobbies = (0..3).filter(|hobby| *hobby != left_out);
        facts.extend(
            hobbies.map(|hobby| format!("(guest (name g{at}) (sex {sex}) (hobby h{hobby}))")),
        );
    }
    facts.reverse();
    facts.push(format!("(seats (count {guests}))"));
    facts.push("(counter (next 1))".to_owned());
    facts.push("(phase (is start))".to_owned());
    facts
}

/// Drawings of a cube each: a fork in the middle, around it arrows and corners in turn.
fn waltz(regions: usize) -> Vec<String> {
    let mut facts = Vec::new();
    for region in 0..regions {
        let spokes: Vec<String> = (0..3).map(|at| format!("s{region}-{at}")).collect();
        let ring = |at: usize| format!("e{region}-{}", at % 6);
        let outer = |at: usize| format!("o{region}-{}", at % 6);
        let middle = format!("c{region}");
        junction(&mut facts, &middle, "fork", &spokes);
        for at in 0..6 {
            let (before, after) = (ring(at + 5), ring(at));
            if at % 2 == 0 {
                let spoke = spokes[at / 2].clone();
                edge(&mut facts, &spoke, &middle, &outer(at));
                junction(&mut facts, &outer(at), "arrow", &[before, spoke, after]);
            } else {
                junction(&mut facts, &outer(at), "ell", &[before, after]);
            }
            edge(&mut facts, &ring(at), &outer(at), &outer(at + 1));
        }
    }
    facts.push("(stage label)".to_owned());
    facts
}

fn junction(facts: &mut Vec<String>, name: &str, kind: &str, edges: &[String]) {
    facts.push(format!("(junction (name {name}) (kind {kind}))"));
    for (at, edge) in edges.iter().enumerate() {
        facts.push(format!("(leg (junction {name}) (place {}) (edge {edge}))", at + 1));
    }
}

fn edge(facts: &mut Vec<String>, name: &str, one: &str, other: &str) {
    facts.push(format!("(edge (name {name}) (from {one}) (to {other}))"));
    facts.push(format!("(edge (name {name}) (from {other}) (to {one}))"));
}

/// Twice as many roads as places.
fn closure(places: usize) -> Vec<String> {
    let mut random = Random::new(places as u64);
    let mut road = |_| {
        let (from, to) = (random.below(places), random.below(places));
        format!("(road (from p{from}) (to p{to}))")
    };
    (0..places * 2).map(&mut road).collect()
}

fn squares(facts: usize) -> Vec<String> {
    let mut random = Random::new(facts as u64);
    let places = facts / 40;
    let mut fact = |_| {
        let name = ["north", "east", "south", "west"][random.below(4)];
        let (a, b, cost) = (random.below(places), random.below(places), random.below(100));
        format!("({name} (a p{a}) (b p{b}) (cost {cost}))")
    };
    (0..facts).map(&mut fact).collect()
}

/// One more rule: the fact of one node among very many, unless another such fact is there.
const OWNERS: &str = "
(deftemplate owner (slot node) (slot team))
(deftemplate mute (slot node))
(defrule assign
  (node-id (id ?node))
  (severity (value ?s&:(>= ?s 3)))
  (owner (node ?node) (team ?team))
  (not (mute (node ?node)))
  =>
  (assert (action (kind tell) (target ?team) (rule assign))))
";

fn owners(facts: usize) -> Vec<String> {
    let mut given = standing();
    for at in 0..facts / 2 {
        given.push(format!("(owner (node n{at}) (team t{}))", at % 10));
        given.push(format!("(mute (node other{at}))"));
    }
    given
}

/// A rule for each node.
fn many_rules(rules: usize) -> String {
    let end = ROUTING.find("(defrule").unwrap_or(ROUTING.len());
    let mut text = ROUTING[..end].to_owned();
    for at in 0..rules {
        text.push_str(&format!(
            "(defrule rule-{at} (node-id (id n{at})) (severity (value ?s&:(>= ?s {least}))) \
             (channel (value {channel})) => (assert (action (kind goto) (target n{at}) (rule \
             rule-{at}))))\n",
            least = at % 5,
            channel = ["mail", "~mail", "?"][at % 3],
        ));
    }
    text
}

/// Numbers from a seed. The generators of `sim` would bring half the workspace along.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}
