//! What each op does.

use graph::ops::Port;
use graph::{Again, Cmp, Filled, Kind, Node, Operand, Verb};
use history::Timestamp;
use value::{Text, Value};

use super::fiber::{Doing, Maker, Spot};
use super::{Run, Status, functions};
use crate::engine::blocks;
use crate::engine::desk::MAY_IT;
use crate::engine::world::{Doubt, Fault, Reply, Verdict};

/// How often a `While` goes round where it does not say.
const TURNS_MAX: u64 = 10_000;

impl Run<'_> {
    /// Runs a node.
    pub(super) fn node(&mut self, fiber: usize, spot: Spot) -> Doing {
        self.steps += 1;
        if self.steps > self.limits.steps {
            self.ended = Some(Status::Failed("steps_exceeded".into()));
            return Doing::Over;
        }
        let node = self.node_at(&spot).clone();
        let done = match node.op.name() {
            "Set" => self.computes(fiber, &node, "name", |given| Ok(given("ref"))),
            "X" => self.function(fiber, &node),
            "Filt" => self.computes(fiber, &node, "name", |given| {
                let cmp = node.operands.text("cmp").map_or("=", |word| word);
                let cmp = Cmp::from_word(cmp).expect("the slot holds one of these words");
                let field = node.operands.text("field").map_or("", |word| word);
                let value = given("value");
                let mut kept = items(given("ref"))?;
                kept.retain(|item| {
                    cmp.holds(&item.get(field).cloned().unwrap_or_default(), &value)
                });
                Ok(Value::list(kept))
            }),
            "Sort" => self.computes(fiber, &node, "name", |given| {
                let field = node.operands.text("field").map_or("", |word| word);
                let descends = node.operands.text("order").is_some_and(|word| &**word == "desc");
                let mut sorted = items(given("ref"))?;
                sorted.sort_by(|left, right| {
                    let of = |item: &Value| item.get(field).cloned().unwrap_or_default();
                    let order = functions::order(&of(left), &of(right));
                    if descends { order.reverse() } else { order }
                });
                Ok(Value::list(sorted))
            }),
            "If" => {
                let port = if self.holds(fiber, &node) { Port::Then } else { Port::Else };
                return Doing::GoOn(spot, port);
            }
            "Call" => {
                let label = node.operands.text("label").expect("a call names a label").clone();
                return self.call(fiber, spot, label, Maker::Call);
            }
            "Loop" => match items(self.read(fiber, node.operands.one("ref"))) {
                Ok(items) => return self.loop_on(fiber, spot, items, None),
                Err(fault) => Err(fault),
            },
            "While" => return self.while_on(fiber, spot, 0),
            "J" if matches!(node.operands.one("var"), None | Some(Operand::Lit(Value::Null))) => {
                return self.run_out(fiber);
            }
            "J" => {
                let value = self.read(fiber, node.operands.one("var"));
                return self.give_back(fiber, value);
            }
            "Enf" => self.enforces(fiber, &node),
            "Fork" => return self.fork(fiber, &spot),
            "Ask" => return self.question(fiber, spot, &node),
            "R" => return self.calls_out(fiber, spot, &node),
            "CacheGet" | "CacheSet" | "QueuePut" => {
                let asked = self.asked_of_kept(fiber, &node).expect("these ask for something");
                return self.keeps(fiber, spot, asked);
            }
            // A guard that is passed, or a join that is not the fiber's own.
            "Err" | "Retry" | "Join" => Ok(()),
            other => unreachable!("generated graphs have no `{other}`"),
        };
        match done {
            Ok(()) => Doing::GoOn(spot, Port::Next),
            Err(fault) => Doing::Failed(spot, fault),
        }
    }

    /// Writes what a function of the node's slots gives.
    fn computes(
        &mut self,
        fiber: usize,
        node: &Node,
        to: &str,
        function: impl Fn(&dyn Fn(&str) -> Value) -> Result<Value, Fault>,
    ) -> Result<(), Fault> {
        let value = function(&|slot| self.read(fiber, node.operands.one(slot)))?;
        let to = node.operands.text(to).expect("the slot is needed").clone();
        self.write(fiber, &to, value);
        Ok(())
    }

    fn function(&mut self, fiber: usize, node: &Node) -> Result<(), Fault> {
        let name = node.operands.text("fn").expect("the slot is needed").clone();
        let value = functions::apply(&name, &self.arguments(fiber, node))?;
        let to = node.operands.text("dst").expect("the slot is needed").clone();
        self.write(fiber, &to, value);
        Ok(())
    }

    /// `target`, where there is one, then `args`.
    pub(super) fn arguments(&self, fiber: usize, node: &Node) -> Vec<Value> {
        let target = node.operands.one("target").filter(|_| !node.is_split());
        let args = match node.operands.get("args") {
            Some(Filled::Many(args)) => args.as_slice(),
            Some(Filled::One(_)) | None => &[],
        };
        target.into_iter().chain(args).map(|operand| self.read(fiber, Some(operand))).collect()
    }

    fn holds(&self, fiber: usize, node: &Node) -> bool {
        match node.operands.one("cond") {
            Some(Operand::Expr(condition)) => condition.eval(&self.fibers[fiber].frame),
            Some(Operand::Lit(value)) => *value == Value::Bool(true),
            _ => false,
        }
    }

    /// The next turn of a `Loop`, or its end. Behind a turn, `before` is what the name of the item
    /// held before the first.
    pub(super) fn loop_on(
        &mut self,
        fiber: usize,
        spot: Spot,
        mut items: Vec<Value>,
        before: Option<Option<Value>>,
    ) -> Doing {
        if items.is_empty() {
            if let Some(before) = before {
                self.give_item_back(fiber, &spot, before);
            }
            return Doing::GoOn(spot, Port::After);
        }
        let item = items.remove(0);
        let name = self.node_at(&spot).operands.text("item").expect("the slot is needed").clone();
        let held = self.fibers[fiber].frame.0.get(&name).cloned();
        // A loop that cannot call its body writes nothing.
        if self.fibers[fiber].stack.len() < self.limits.depth {
            self.write(fiber, &name, item);
        }
        match before {
            None => self.call(fiber, spot.clone(), self.body_of(&spot), Maker::Loop(items, held)),
            Some(before) => self.call_again(fiber, spot, Maker::Loop(items, before)),
        }
    }

    /// A loop is over, or has failed: the name of its item holds what it held before.
    pub(super) fn give_item_back(&mut self, fiber: usize, spot: &Spot, before: Option<Value>) {
        let name = self.node_at(spot).operands.text("item").expect("the slot is needed").clone();
        match before {
            Some(before) => self.write(fiber, &name, before),
            None => drop(self.fibers[fiber].frame.0.remove(&name)),
        }
    }

    /// The next turn of a `While`, or its end. `turns` were made.
    pub(super) fn while_on(&mut self, fiber: usize, spot: Spot, turns: u64) -> Doing {
        let node = self.node_at(&spot);
        if !self.holds(fiber, node) {
            return Doing::GoOn(spot, Port::After);
        }
        let limit = match node.operands.one("limit") {
            Some(Operand::Lit(Value::Int(limit))) => u64::try_from(*limit).unwrap_or(0),
            _ => TURNS_MAX,
        };
        if turns >= limit {
            return Doing::Failed(spot, Fault::new("turns_exceeded"));
        }
        let maker = Maker::While(turns + 1);
        match turns {
            0 => self.call(fiber, spot.clone(), self.body_of(&spot), maker),
            _ => self.call_again(fiber, spot, maker),
        }
    }

    /// What a policy asks for must hold; what nobody can check does not.
    fn enforces(&self, fiber: usize, node: &Node) -> Result<(), Fault> {
        let policy = node.operands.text("policy").map_or("", |policy| policy);
        let frame = &self.fibers[fiber].frame;
        let is_called = || graph::truthy(&frame.read("_auth_present"));
        let is_role = |role: &str| frame.read("_role") == Value::text(role);
        let policies = self.graph.capabilities.get("policy");
        let declared = policies.and_then(|all| all.get(policy)?.get("constraints"));
        let holds = match declared {
            Some(Value::Map(constraints)) => constraints.iter().all(|(name, value)| {
                let value = match value {
                    Value::Text(text) => text.to_string(),
                    value => value::json::compact(value),
                };
                match (&**name, &*value.to_lowercase()) {
                    ("auth" | "require_auth", "true" | "1" | "yes") => is_called(),
                    ("auth" | "require_auth", "false" | "0" | "no") => true,
                    ("role", _) => is_role(&value),
                    _ => false,
                }
            }),
            Some(_) => false,
            None => match policy.strip_prefix("role:") {
                Some(role) => is_role(role),
                None => policy == "auth" && is_called(),
            },
        };
        if holds { Ok(()) } else { Err(Fault::new("denied")) }
    }

    fn question(&mut self, fiber: usize, spot: Spot, node: &Node) -> Doing {
        let prompt = match self.read(fiber, node.operands.one("prompt")) {
            Value::Text(text) => text,
            other => value::json::canonical(&other).into(),
        };
        let options = match node.operands.one("options") {
            Some(Operand::Lit(Value::List(options))) => options.to_vec(),
            _ => Vec::new(),
        };
        let expires = match node.operands.one("expires") {
            Some(Operand::Lit(Value::Int(expires))) => u64::try_from(*expires).ok(),
            _ => None,
        };
        let (at, request) = self.asks(&spot, format!("person {prompt}"));
        match (self.world.person(&at, &request, &options, expires), expires) {
            (Reply::After(after, answer), expires) if expires.is_none_or(|at| after < at) => {
                // One of the options is kept in small letters and without space around it, however it
                // was written.
                let answer = match answer {
                    Value::Text(chosen) if !options.is_empty() => {
                        Value::text(chosen.trim().to_lowercase())
                    }
                    answer => answer,
                };
                self.wait(fiber, after, Doing::Answered(spot, answer))
            }
            (_, Some(expires)) => self.wait(fiber, expires, Doing::Expired(spot)),
            (_, None) => unreachable!("a question that never expires is answered"),
        }
    }

    pub(super) fn answered(&mut self, fiber: usize, spot: Spot, answer: Value) -> Doing {
        self.write_out(fiber, &spot, answer);
        Doing::GoOn(spot, Port::Next)
    }

    /// Nobody answered: the default counts as the answer, else there is a way, else it fails.
    pub(super) fn expired(&mut self, fiber: usize, spot: Spot) -> Doing {
        let node = self.node_at(&spot);
        if let Some(default) = node.operands.one("default") {
            let answer = self.read(fiber, Some(default));
            return self.answered(fiber, spot, answer);
        }
        let has_way = self.edges_from(&spot, Port::Expired).next().is_some();
        match has_way {
            true => Doing::GoOn(spot, Port::Expired),
            false => Doing::Failed(spot, Fault::new("expired")),
        }
    }

    pub(super) fn write_out(&mut self, fiber: usize, spot: &Spot, value: Value) {
        if let Some(out) = self.node_at(spot).operands.text("out").cloned() {
            self.write(fiber, &out, value);
        }
    }

    fn calls_out(&mut self, fiber: usize, spot: Spot, node: &Node) -> Doing {
        let (namespace, verb) = node.adapter().expect("`R` names an adapter");
        let (namespace, verb) = (namespace.to_string(), verb.to_ascii_uppercase());
        let given = match (namespace.as_str(), verb.as_str()) {
            ("core", "NOOP") => return Doing::GoOn(spot, Port::Next),
            ("core", "FAIL") => {
                let code = self.read(fiber, node.operands.one("target"));
                let code: Text = code.as_text().cloned().unwrap_or_else(|| "failed".into());
                return Doing::Failed(spot, Fault { code, message: "".into(), doubt: Doubt::None });
            }
            ("core", "SLEEP") => {
                return match self.read(fiber, node.operands.one("target")) {
                    Value::Int(after) if after > 0 => {
                        self.wait(fiber, after.unsigned_abs(), Doing::GoOn(spot, Port::Next))
                    }
                    _ => Doing::GoOn(spot, Port::Next),
                };
            }
            ("core", "NOW") => Ok(Value::Float(self.now as f64 / 1e6)),
            ("core", "ISO" | "ISO_TS") => {
                Ok(Value::text(Timestamp::from_micros(self.now).to_string()))
            }
            ("core", "UUID") => Ok(Value::text("00000000-0000-0000-0000-000000000000")),
            ("core", verb) => {
                functions::apply(&verb.to_ascii_lowercase(), &self.arguments(fiber, node))
            }
            _ => match node.verb() {
                Some(Verb::InvokeAgent) => return self.asks_model(fiber, spot, node),
                Some(Verb::CallTool) => {
                    let tool = match self.chosen_tool(fiber, node) {
                        Ok(tool) => tool,
                        Err(unknown) => {
                            self.write_out(fiber, &spot, Value::text(unknown));
                            return Doing::GoOn(spot, Port::Next);
                        }
                    };
                    let args = value::json::canonical(&self.tool_input(fiber, node));
                    return self.calls(fiber, spot, format!("tool {tool} {args}"));
                }
                Some(
                    verb @ (Verb::ReadStore | Verb::WriteStore | Verb::Receive | Verb::Publish),
                ) if !self.is_declared(node, verb) => Err(Fault::new("missing")),
                Some(Verb::Logic) => self.runs_block(fiber, &spot, node),
                Some(Verb::ReadStore) if self.is_persistent(node) => {
                    self.reads_persistent(fiber, &spot, node)
                }
                Some(Verb::ReadStore) => Ok(self.reads_store(fiber, node)),
                Some(Verb::WriteStore) if self.is_persistent(node) => {
                    return match self.writes_persistent(fiber, &spot, node) {
                        Ok(_) => Doing::GoOn(spot, Port::Next),
                        Err(fault) => Doing::Failed(spot, fault),
                    };
                }
                Some(Verb::WriteStore | Verb::Publish) => {
                    self.writes_store(fiber, node);
                    return Doing::GoOn(spot, Port::Next);
                }
                Some(Verb::Receive) => Ok(self.receives(node)),
                _ => match self.asked_of_kept(fiber, node) {
                    Some(asked) => return self.keeps(fiber, spot, asked),
                    None => return self.calls(fiber, spot, format!("{namespace}.{verb}")),
                },
            },
        };
        match given {
            Ok(value) => {
                self.write_out(fiber, &spot, value);
                Doing::GoOn(spot, Port::Next)
            }
            Err(fault) => Doing::Failed(spot, fault),
        }
    }
}

impl Run<'_> {
    /// Calls a tool, if the policy has nothing against it, or a person who is asked.
    fn calls(&mut self, fiber: usize, spot: Spot, request: String) -> Doing {
        let (at, request, answer) = self.wished(&spot, request);
        let made = Doing::Called(spot.clone(), answer);
        self.ruled(fiber, spot, (&at, &request), made)
    }

    /// Asks a cache or a queue, under the same conditions.
    fn keeps(&mut self, fiber: usize, spot: Spot, request: String) -> Doing {
        let (at, request) = self.asks(&spot, request);
        let made = Doing::Kept(spot.clone(), self.world.tool(&at, &request));
        self.ruled(fiber, spot, (&at, &request), made)
    }

    fn ruled(
        &mut self,
        fiber: usize,
        spot: Spot,
        (at, request): (&Text, &Text),
        made: Doing,
    ) -> Doing {
        let time = match self.world.policy(at, request) {
            Verdict::Allow => {
                return match made {
                    Doing::Called(spot, answer) => self.called(fiber, spot, answer),
                    Doing::Kept(spot, answer) => self.kept(fiber, spot, answer),
                    other => other,
                };
            }
            Verdict::Deny | Verdict::Nonsense => {
                return Doing::Failed(spot, Fault::new("denied"));
            }
            Verdict::Abort => return Doing::Failed(spot, Fault::new("aborted")),
            Verdict::Ask(time) => time,
        };
        let (at, request) = self.asks(&spot, MAY_IT.to_string());
        let options = [Value::text("deny"), Value::text("approve")];
        let denied = Doing::Failed(spot.clone(), Fault::new("denied"));
        match self.world.person(&at, &request, &options, Some(time)) {
            Reply::After(after, word) if after < time => {
                let is_approved = word == Value::text("approve");
                let then = if is_approved { made } else { denied };
                self.wait(fiber, after, then)
            }
            _ => self.wait(fiber, time, denied),
        }
    }

    pub(super) fn called(
        &mut self,
        fiber: usize,
        spot: Spot,
        answer: Result<Value, Fault>,
    ) -> Doing {
        match answer {
            Ok(value) => {
                self.last_output = value.clone();
                self.write_out(fiber, &spot, value);
                Doing::GoOn(spot, Port::Next)
            }
            Err(fault) => Doing::Failed(spot, fault),
        }
    }

    pub(super) fn kept(&mut self, fiber: usize, spot: Spot, answer: Result<Value, Fault>) -> Doing {
        match answer {
            Ok(value) => self.answered(fiber, spot, value),
            Err(fault) => Doing::Failed(spot, fault),
        }
    }

    /// What a tool would answer, whoever wants it.
    pub(super) fn wished(
        &mut self,
        spot: &Spot,
        request: String,
    ) -> (Text, Text, Result<Value, Fault>) {
        let (at, request) = self.asks(spot, request);
        let answer = self.world.tool(&at, &request).map_err(|fault| match self.world.again {
            Again::Freely => Fault { doubt: Doubt::None, ..fault },
            Again::WithKey | Again::ByAsking => fault,
        });
        (at, request, answer)
    }

    /// Runs a block on the frame, and says whether it returned early.
    fn runs_block(&mut self, fiber: usize, spot: &Spot, node: &Node) -> Result<Value, Fault> {
        let code = node.logic().expect("generated blocks are constants").clone();
        let archive = match blocks::reads_archive(&code) {
            true => Some(self.asks_store(spot, "read", &[("store", "archive".into())])?),
            false => None,
        };
        let frame = self.fibers[fiber].frame.0.iter();
        let data = frame.map(|(name, value)| (name.clone(), value.clone())).collect();
        let done = blocks::run(&code, &data, archive.as_ref())
            .map_err(|fault| Fault { message: fault.message, ..Fault::new(fault.kind.word()) })?;
        // What it did to stores comes first: where that fails, none of its names are written.
        for act in done.acted {
            let runtime::StoreAct::Write { store, key, value } = act else { continue };
            let key = key.unwrap_or_else(|| "".into());
            match &*store {
                "archive" => {
                    let args = [("store", store.into()), ("key", key.into()), ("value", value)];
                    self.asks_store(spot, "write", &args)?;
                }
                _ => self.keeps_under(&store, key, value),
            }
        }
        for (name, value) in done.set {
            self.write(fiber, &name, value);
        }
        for name in done.removed {
            self.fibers[fiber].frame.0.remove(&name);
        }
        Ok(Value::Bool(done.returned))
    }

    /// The tool that is named; of several, the one that has this label, else this id, whatever the
    /// case of its letters.
    fn chosen_tool(&self, fiber: usize, node: &Node) -> Result<Text, String> {
        let named = self.read(fiber, node.operands.one("target"));
        let named = named.as_text().cloned().unwrap_or_else(|| "".into());
        let choices = match node.operands.get("args") {
            Some(Filled::Many(args)) => args.iter().filter_map(|arg| match arg {
                Operand::Lit(Value::Text(tool)) => Some(tool.clone()),
                _ => None,
            }),
            Some(Filled::One(_)) | None => return Ok(named),
        };
        let choices: Vec<Text> = choices.collect();
        let declared = self.graph.declarations.of(Kind::Tools);
        let label = |tool: &Text| {
            let label = declared.get(tool).and_then(|tool| tool.get("label")?.as_text().cloned());
            label.unwrap_or_else(|| tool.clone())
        };
        let labels: Vec<Text> = choices.iter().map(label).collect();
        let wanted = named.trim().to_lowercase();
        let is_wanted = |name: &Text| name.to_lowercase() == wanted;
        let at = labels.iter().position(is_wanted).or_else(|| choices.iter().position(is_wanted));
        at.map(|at| choices[at].clone()).ok_or_else(|| {
            format!("Unknown tool: {}. There are: {}.", named.trim(), labels.join(", "))
        })
    }

    /// The fields of the input schema, else the first of three names that holds something.
    fn tool_input(&self, fiber: usize, node: &Node) -> Value {
        if node.operands.text("input").is_some_and(|schema| self.is_schema(schema)) {
            return self.shaped(fiber, node);
        }
        let frame = &self.fibers[fiber].frame;
        let given = ["tool_input", "input", "action"].map(|name| frame.read(name));
        let given = given.into_iter().find(graph::truthy);
        Value::map([("input", given.unwrap_or_else(|| "".into()))])
    }
}

/// What is gone through: null counts as empty, an object as the list of its keys.
pub(super) fn items(value: Value) -> Result<Vec<Value>, Fault> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::List(items) => Ok(items.to_vec()),
        Value::Map(map) => Ok(map.keys().map(|key| Value::Text(key.clone())).collect()),
        _ => Err(Fault::new("function")),
    }
}
