//! Fibers, their activations, and how control moves: along edges, into labels, back, and to
//! guards.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use graph::ops::{Does, Port};
use graph::{Again, Edge, Names, Node, ToKind};
use value::{Text, Value};

use super::{BUDGETS, Run, Status};
use crate::engine::world::{Doubt, Fault};

/// A node's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) label: Text,
    pub(super) node: Text,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.label, self.node)
    }
}

/// Named values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Frame(pub(super) BTreeMap<Text, Value>);

impl Frame {
    /// A name that was never written reads as null.
    pub(super) fn read(&self, name: &str) -> Value {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// Every name that does not begin with `_`.
    pub(super) fn public(&self) -> Value {
        let names = self.0.iter().filter(|(name, _)| !name.starts_with('_'));
        Value::map(names.map(|(name, value)| (name.clone(), value.clone())))
    }
}

impl Names for Frame {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

/// What a fiber does when it is its turn.
#[derive(Clone, Debug)]
pub(super) enum Doing {
    /// Begins a process; `met` where its label begins with a join that it waited at until now.
    Begin { label: Text, met: bool },
    /// Comes to a node.
    Arrive(Spot),
    /// Tries a node again.
    Again(Spot),
    /// Goes on from a node.
    GoOn(Spot, Port),
    /// Its node has failed.
    Failed(Spot, Fault),
    /// Its question was answered.
    Answered(Spot, Value),
    /// Its question was not answered in time.
    Expired(Spot),
    /// Its call was approved, and made.
    Called(Spot, Result<Value, Fault>),
    /// The same of a cache or a queue, whose answers are no output of the run.
    Kept(Spot, Result<Value, Fault>),
    /// Nothing, until a join, a timer or a person lets it go on.
    Waiting,
    /// Nothing any more.
    Over,
}

/// A timer or a question that is under way.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) due: i64,
    pub(super) order: usize,
    pub(super) fiber: usize,
    pub(super) then: Doing,
}

/// Who called, and what is to be done with what is returned.
#[derive(Clone, Debug)]
pub(super) enum Maker {
    Call,
    /// The items that are still to come, and what the name of the item held before.
    Loop(Vec<Value>, Option<Value>),
    /// How many turns were made.
    While(u64),
}

/// A label that runs and will return.
#[derive(Clone, Debug)]
pub(super) struct Activation {
    /// The node that made it, in the activation below; none for a fiber's first.
    pub(super) maker: Option<(Spot, Maker)>,
    /// Further attempts that were made at the node that control is at.
    pub(super) attempts: u64,
    /// Whether one of the attempts at it may have done what it failed to do.
    pub(super) in_doubt: bool,
}

impl Activation {
    fn of(maker: Option<(Spot, Maker)>) -> Activation {
        Activation { maker, attempts: 0, in_doubt: false }
    }
}

/// A fiber.
#[derive(Debug)]
pub(super) struct Fiber {
    pub(super) frame: Frame,
    /// The frame that it began with.
    pub(super) base: Frame,
    pub(super) stack: Vec<Activation>,
    pub(super) begun: usize,
    pub(super) doing: Doing,
    /// The fork that it is a branch of.
    pub(super) branch_of: Option<usize>,
    /// How it finished, as a branch.
    pub(super) finished: Option<Result<(), Fault>>,
}

impl Fiber {
    pub(super) fn new(
        frame: BTreeMap<Text, Value>,
        doing: Doing,
        branch_of: Option<usize>,
    ) -> Fiber {
        Fiber {
            base: Frame(frame.clone()),
            frame: Frame(frame),
            stack: vec![Activation::of(None)],
            begun: 0,
            doing,
            branch_of,
            finished: None,
        }
    }

    pub(super) fn can_go_on(&self) -> bool {
        !matches!(self.doing, Doing::Waiting | Doing::Over)
    }

    pub(super) fn top(&mut self) -> &mut Activation {
        self.stack.last_mut().expect("a fiber that goes on has an activation")
    }
}

impl Run<'_> {
    pub(super) fn node_at(&self, spot: &Spot) -> &Node {
        let label = &self.graph.labels[&*spot.label];
        label.node(&spot.node).expect("edges of a graph without errors lead to nodes")
    }

    pub(super) fn edges_from<'s>(
        &'s self,
        spot: &'s Spot,
        port: Port,
    ) -> impl Iterator<Item = &'s Edge> {
        let edges = self.graph.labels[&*spot.label].edges.iter();
        edges.filter(move |edge| {
            edge.from == spot.node && edge.port == Some(port) && !edge.analysis_only
        })
    }

    /// Goes on by a port; without an edge the label ends.
    pub(super) fn follow(&mut self, fiber: usize, spot: &Spot, port: Port) -> Doing {
        let Some(edge) = self.edges_from(spot, port).next() else {
            return self.run_out(fiber);
        };
        let to = edge.to.clone();
        match edge.to_kind {
            ToKind::Node => self.come_to(fiber, Spot { label: spot.label.clone(), node: to }),
            ToKind::Label => self.enter(fiber, to),
        }
    }

    /// A label ends without a value: where it is the last one, what was answered last counts.
    pub(super) fn run_out(&mut self, fiber: usize) -> Doing {
        let is_last = self.fibers[fiber].stack.len() == 1;
        let value = if is_last { self.last_output.clone() } else { Value::Null };
        self.give_back(fiber, value)
    }

    fn come_to(&mut self, fiber: usize, spot: Spot) -> Doing {
        match self.is_own_join(fiber, &spot) {
            true => self.finish(fiber, Ok(())),
            false => Doing::Arrive(spot),
        }
    }

    /// Comes to a label as to the next process.
    pub(super) fn enter(&mut self, fiber: usize, label: Text) -> Doing {
        let entry = self.entry_of(&label);
        match self.is_own_join(fiber, &entry) {
            true => self.finish(fiber, Ok(())),
            false => Doing::Begin { label, met: false },
        }
    }

    /// Calls a label: a new activation on the same frame.
    pub(super) fn call(&mut self, fiber: usize, spot: Spot, label: Text, maker: Maker) -> Doing {
        if self.fibers[fiber].stack.len() >= self.limits.depth {
            return Doing::Failed(spot, Fault::new("depth_exceeded"));
        }
        self.fibers[fiber].stack.push(Activation::of(Some((spot, maker))));
        self.enter(fiber, label)
    }

    /// The same for a further turn of a loop, which is no process of its own.
    pub(super) fn call_again(&mut self, fiber: usize, spot: Spot, maker: Maker) -> Doing {
        let entry = self.entry_of(&self.body_of(&spot));
        self.fibers[fiber].stack.push(Activation::of(Some((spot, maker))));
        self.come_to(fiber, entry)
    }

    pub(super) fn body_of(&self, spot: &Spot) -> Text {
        let body = self.edges_from(spot, Port::Body).next();
        body.expect("a loop without errors has a body").to.clone()
    }

    /// The label ends, and the activation returns a value.
    pub(super) fn give_back(&mut self, fiber: usize, value: Value) -> Doing {
        let activation = self.fibers[fiber].stack.pop().expect("what returns was called");
        let Some((spot, maker)) = activation.maker else { return self.end(fiber, Ok(value)) };
        match maker {
            Maker::Call => {
                self.write(fiber, "_call_result", value.clone());
                self.write_out(fiber, &spot, value);
                Doing::GoOn(spot, Port::Next)
            }
            Maker::Loop(items, before) => {
                self.keep(fiber, "_loop_last", value);
                self.loop_on(fiber, spot, items, Some(before))
            }
            Maker::While(turns) => {
                self.keep(fiber, "_while_last", value);
                self.while_on(fiber, spot, turns)
            }
        }
    }

    /// What a turn returned counts unless it is null.
    fn keep(&mut self, fiber: usize, name: &str, value: Value) {
        if value != Value::Null {
            self.write(fiber, name, value);
        }
    }

    /// The last activation has returned or failed.
    fn end(&mut self, fiber: usize, how: Result<Value, Fault>) -> Doing {
        if self.fibers[fiber].branch_of.is_some() {
            return self.finish(fiber, how.map(drop));
        }
        self.ended = Some(match how {
            Ok(value) => Status::Done(value),
            Err(fault) => Status::Failed(fault.code),
        });
        self.fibers[fiber].doing = Doing::Over;
        Doing::Over
    }

    /// A node fails: its guards are asked, then those of whoever called.
    pub(super) fn fail(&mut self, fiber: usize, spot: Spot, mut fault: Fault) -> Doing {
        if BUDGETS.contains(&&*fault.code) {
            self.ended = Some(Status::Failed(fault.code));
            return Doing::Over;
        }
        // An attempt without a doubt settles none of an earlier one.
        let own = self.fibers[fiber].top();
        own.in_doubt |= fault.doubt == Doubt::Here;
        if own.in_doubt {
            fault.doubt = fault.doubt.max(Doubt::Here);
        }
        let own_retry = self.led_to(&spot, Port::Retry);
        let own_err = self.led_to(&spot, Port::Err);
        let of_own = |own: &Option<Spot>, port| self.led_to(own.as_ref()?, port);
        let retry = own_retry.clone().or_else(|| of_own(&own_err, Port::Retry));
        let err = own_err.clone().or_else(|| of_own(&own_retry, Port::Err));
        let err = err.or_else(|| self.passed(&spot));
        let is_join = self.node_at(&spot).def().is_some_and(|op| op.does == Does::Join);
        if let Some(retry) = &retry
            && !is_join
            && let Some(delay_ms) = self.next_attempt(fiber, retry, &fault)
        {
            self.fibers[fiber].top().attempts += 1;
            return match delay_ms {
                0 => Doing::Again(spot),
                delay => self.wait(fiber, delay, Doing::Again(spot)),
            };
        }
        let handler = err.and_then(|err| Some(self.led_to(&err, Port::Handler)?.node));
        if let Some(handler) = handler {
            let members = [("code", fault.code), ("message", fault.message)];
            let error = Value::map(members.map(|(name, text)| (name, Value::Text(text))));
            self.write(fiber, "_error", error);
            // The graph has answered for what is in doubt.
            self.fibers[fiber].top().in_doubt = false;
            return self.enter(fiber, handler);
        }
        let activation = self.fibers[fiber].stack.pop().expect("what fails was called");
        match activation.maker {
            Some((caller, maker)) => {
                if let Maker::Loop(_, before) = maker {
                    self.give_item_back(fiber, &caller, before);
                }
                Doing::Failed(caller, fault.further_out())
            }
            None => self.end(fiber, Err(fault.further_out())),
        }
    }

    /// Where the first edge of a port leads.
    fn led_to(&self, from: &Spot, port: Port) -> Option<Spot> {
        let edge = self.edges_from(from, port).next()?;
        Some(Spot { label: from.label.clone(), node: edge.to.clone() })
    }

    /// The `Err` that control passed last, if all ways from the label's entry to a node passed the
    /// same one last. Goes all ways there are, with the one that was passed last on each.
    fn passed(&self, spot: &Spot) -> Option<Spot> {
        let label = &self.graph.labels[&*spot.label];
        let mut found: BTreeSet<Option<Text>> = BTreeSet::new();
        let mut seen: BTreeSet<(Text, Option<Text>)> = BTreeSet::new();
        let mut ways: Vec<(Text, Option<Text>)> = vec![(label.entry.clone()?, None)];
        while let Some((node, passed)) = ways.pop() {
            if !seen.insert((node.clone(), passed.clone())) {
                continue;
            }
            if node == spot.node {
                found.insert(passed.clone());
            }
            let is_err = label.node(&node)?.op.name() == "Err";
            let passed = if is_err { Some(node.clone()) } else { passed };
            for edge in label.edges.iter().filter(|edge| edge.from == node && edge.is_to_node()) {
                let is_way = !edge.analysis_only && !edge.port.is_some_and(Port::is_failure);
                ways.extend(is_way.then(|| (edge.to.clone(), passed.clone())));
            }
        }
        let only = found.pop_first().filter(|_| found.is_empty())??;
        Some(Spot { label: spot.label.clone(), node: only })
    }

    /// After how many milliseconds a node is tried again, if it is.
    fn next_attempt(&mut self, fiber: usize, retry: &Spot, fault: &Fault) -> Option<u64> {
        let attempt = self.fibers[fiber].top().attempts + 1;
        let node = self.node_at(retry);
        let number = |slot| match node.operands.one(slot) {
            Some(graph::Operand::Lit(Value::Int(number))) => u64::try_from(*number).ok(),
            _ => None,
        };
        let is_final = ["interrupted", "denied", "cancelled"].contains(&&*fault.code);
        let is_meant = match node.operands.one("errors") {
            Some(graph::Operand::Lit(Value::List(codes))) => {
                codes.contains(&Value::Text(fault.code.clone()))
            }
            _ => true,
        };
        let is_forbidden = match fault.doubt {
            Doubt::None => false,
            // Tried again here, it has the key that it had.
            Doubt::Here => self.world.again == Again::ByAsking,
            Doubt::FurtherOut => true,
        };
        if attempt > number("count").unwrap_or(3) || is_final || !is_meant || is_forbidden {
            return None;
        }
        let backoff = number("backoff_ms").unwrap_or(0);
        let strategy = node.operands.text("backoff_strategy").map_or("fixed", |word| word);
        let delay = match strategy {
            "linear" => backoff * attempt,
            "exponential" => backoff << (attempt - 1),
            "none" => 0,
            _ => backoff,
        };
        Some(delay.min(number("backoff_max_ms").unwrap_or(u64::MAX)))
    }
}
