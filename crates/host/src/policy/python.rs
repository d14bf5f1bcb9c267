//! A policy in Python, in the interpreter that can reach nothing by itself.

use std::time::Duration;

use history::Timestamp;
use runtime::{Block, Given, Logic};
use value::{Map, Text, Value};

use crate::logic::{LogicLimits, Python as Interpreter};

/// What it may use up for one decision: less than a block of an agent, since every call waits.
const TIME: Duration = Duration::from_secs(2);

/// The names under which it is given a call and gives its decision.
const CALL: &str = "call";
const DECISION: &str = "decision";

/// What stands behind the author's program.
const ASKS: &str = "\nstate.data['decision'] = decide(state.data['call'])\n";

/// A program that decides.
#[derive(Debug)]
pub(super) struct Python {
    block: Block,
    interpreter: Interpreter,
}

impl Python {
    pub(super) fn new(source: &str) -> Result<Python, String> {
        let code: Text = format!("{source}{ASKS}").into();
        if !source.lines().any(|line| line.trim_start().starts_with("def decide(")) {
            return Err("there is no `def decide(call):`".to_owned());
        }
        Interpreter::check(&code).map_err(|fault| fault.message.to_string())?;
        let limits = LogicLimits { time: TIME, calls: 100, ..LogicLimits::default() };
        let block = Block { number: 0, code, stores: Vec::new() };
        Ok(Python { block, interpreter: Interpreter::new(limits) })
    }

    pub(super) fn decide(&mut self, call: &Map) -> Result<Value, String> {
        let data = [(CALL.into(), call.clone().into())].into_iter().collect();
        // A decision hangs on the call and on nothing else: there is no clock for it.
        let now = Timestamp::from_micros(0);
        let given = Given { data, stores: Vec::new(), now, nth: 1 };
        let done = self.interpreter.run(&self.block, &given);
        let done = done.map_err(|fault| format!("the policy failed: {}", fault.message))?;
        if done.looked_at_clock {
            return Err("the policy looked at the clock, which it has none of".to_owned());
        }
        let said = done.set.into_iter().find(|(name, _)| **name == *DECISION);
        Ok(said.map(|(_, said)| said).unwrap_or_default())
    }
}
