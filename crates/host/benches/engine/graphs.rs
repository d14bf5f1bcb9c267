//! The graphs that are run.

use std::fmt::Write as _;
use std::sync::Arc;

use graph::{Again, Touches};
use history::Timestamp;
use host::pinned::{Pinned, pin};
use runtime::{Begin, Limits, Options, Plan, ToolContract};
use value::{Map, Text, Value};

/// More than anything here takes.
const MANY: u64 = 1 << 40;

/// A graph, ready to run.
pub(crate) struct Made {
    pub(crate) plan: Arc<Plan>,
    /// How many calls may be under way.
    pub(crate) in_flight: u64,
    document: Value,
    hash: Text,
}

impl Made {
    /// From the notation of `sim`. A run begins at the first label.
    pub(crate) fn new(text: &str) -> Made {
        let mut sketch = sim::engine::Sketch::read(text).expect("it is written here");
        sketch.begin_at(text.lines().next().expect("there is a label"));
        let graph = sim::engine::read(&sketch.document()).expect("it is written here");
        let Pinned { document, checksum, plan } = pin(&graph).expect("it can run");
        let in_flight = Limits::default().in_flight;
        Made { plan, in_flight, document, hash: checksum }
    }

    /// How a run of it begins. Nothing ends it but itself.
    pub(crate) fn begin(&self, run: &str, inputs: Map, again: Again) -> Begin {
        let contract = ToolContract { touches: Touches::Write, again, ..ToolContract::UNKNOWN };
        let limits = Limits {
            visits: MANY,
            steps: MANY,
            fibers: MANY,
            in_flight: self.in_flight,
            ..Limits::default()
        };
        let tools = self.plan.tools().into_iter().map(|tool| (tool, contract.clone())).collect();
        Begin {
            run: run.into(),
            graph: self.hash.clone(),
            document: self.document.clone(),
            inputs,
            options: Options { limits, tools, ..Options::default() },
            seed: 7,
            versions: host::versions(),
        }
    }
}

/// When all runs begin.
pub(crate) fn begin_time() -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000)
}

/// Names with values.
pub(crate) fn inputs<const N: usize>(values: [(&str, Value); N]) -> Map {
    values.map(|(name, value)| (name.into(), value)).into_iter().collect()
}

/// So many turns of `X`, `Set`, `If`, `Set` and `J`, and of the loop itself.
pub(crate) fn pure_loop(turns: usize) -> Made {
    Made::new(&format!(
        "main
  Set name=n ref=0
  While cond=\"n < {turns}\" limit={turns} body>@turn after>n3
  J var=$n
turn
  X dst=n fn=add args=[$n, 1]
  Set name=last ref=$n
  If cond=\"last > 5\" then>n4 else>n5
  Set name=side ref=high
  J var=$last
"
    ))
}

/// So many turns of one step that adds 1.
pub(crate) fn counting_loop(turns: usize) -> Made {
    Made::new(&format!(
        "main
  While cond=\"count < {turns}\" limit={turns} body>@again after>n2
  J var=$count
again
  X dst=count fn=add args=[$count, 1]
"
    ))
}

/// A process for each step that adds 1.
pub(crate) fn counting_chain(steps: usize) -> Made {
    Made::new(&chained(steps, "X dst=count fn=add args=[$count, 1]"))
}

/// So many turns of one call of a tool.
pub(crate) fn calling_loop(turns: usize) -> Made {
    Made::new(&format!(
        "main
  While cond=\"count < {turns}\" limit={turns} body>@again after>n2
  J var=$count
again
  R adapter=tool.CALL target=add out=count
"
    ))
}

/// A process for each call of a tool.
pub(crate) fn calling_chain(steps: usize) -> Made {
    Made::new(&chained(steps, "R adapter=tool.CALL target=add out=count"))
}

fn chained(steps: usize, node: &str) -> String {
    let mut text = String::new();
    for step in 0..steps {
        let next = if step + 1 < steps { format!("next>@s{}", step + 1) } else { "end".into() };
        write!(text, "s{step}\n  {node} {next}\n").expect("text takes text");
    }
    text
}

/// A branch for each item, of one pure step each.
pub(crate) fn fan_out() -> Made {
    Made::new(
        "main
  Fork over=$items item=item branch>@one next>n2
  Join strategy=all reducers={\"seen\":\"max\"}
  J var=$seen
one
  Set name=seen ref=$item
",
    )
}

/// A branch for each item, of one call of a tool each.
pub(crate) fn calling_fan_out() -> Made {
    Made::new(
        "main
  Fork over=$items item=item branch>@one next>n2
  Join strategy=all reducers={\"count\":\"max\"}
  J var=$count
one
  R adapter=tool.CALL target=add out=count
",
    )
}

/// One question.
pub(crate) fn question() -> Made {
    Made::new(
        "main
  Ask prompt=\"May it go on?\" options=[\"yes\",\"no\"] out=answer
  J var=$answer
",
    )
}

/// So many turns of one block of Python.
pub(crate) fn logic_loop(turns: usize, code: &str) -> Made {
    let code = value::json::compact(&code.into());
    Made::new(&format!(
        "main
  While cond=\"turns < {turns}\" limit={turns} body>@again after>n2
  J var=$turns
again
  X dst=turns fn=add args=[$turns, 1]
  R adapter=logic.PYTHON target={code}
"
    ))
}
