//! `stub:low`, `stub:high`, `stub:cycle`: answers made up from the schema, the same every time.

use std::sync::Arc;

use runtime::{Answer, Fault, FaultKind, Request};
use value::{Map, Text, Value, json};

use super::uncounted;
use crate::adapter::{Adapter, Call, Calling};

/// A value that fits a schema, made up for the question of this number.
pub type Sample = Arc<dyn Fn(&str, u32) -> Option<Map> + Send + Sync>;

/// What is answered where no schema says what to make up.
const FREE_TEXT: &str = "stub text";

/// A model that makes its answers up.
#[derive(Clone)]
pub struct Stub {
    sample: Sample,
}

impl Stub {
    /// One that makes answers up in this way.
    pub fn new(sample: Sample) -> Stub {
        Stub { sample }
    }

    fn text(&self, schema: Option<&Text>, turn: u32) -> Result<Text, Fault> {
        let Some(schema) = schema else { return Ok(FREE_TEXT.into()) };
        let sample = (self.sample)(schema, turn).ok_or_else(|| {
            Fault::new(FaultKind::Model, format!("there is no schema `{schema}` to answer in"))
        })?;
        Ok(json::compact(&Value::from(sample)).into())
    }
}

impl Adapter for Stub {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(question) = &call.request else { return Calling::misrouted(&call) };
        Calling::Now(match self.text(question.schema.as_ref(), question.turn) {
            Ok(text) => uncounted(question, text),
            Err(fault) => Answer::Failed(fault),
        })
    }
}
