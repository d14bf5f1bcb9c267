//! What a policy asks of who is calling.

use value::{Map, Text, Value};

use super::{Demand, EnforceStep};
use crate::frame::Frame;
use crate::{Fault, FaultKind};

/// What a policy asks for that `capabilities.policy` declares with constraints.
pub(super) fn declared(capabilities: &Map, policy: &str) -> Option<Vec<Demand>> {
    let declared = capabilities.get("policy")?.get(policy)?.get("constraints")?;
    let Some(constraints) = declared.as_map() else {
        return Some(vec![Demand::Unknown("constraints".into())]);
    };
    let demands = constraints.iter().filter_map(|(name, value)| match (&**name, value) {
        ("auth" | "require_auth", value) => match is_wanted(value) {
            Some(true) => Some(Demand::Auth),
            Some(false) => None,
            None => Some(unknown(name, value)),
        },
        ("role", Value::Text(role)) => Some(Demand::Role(role.clone())),
        _ => Some(unknown(name, value)),
    });
    Some(demands.collect())
}

/// What a policy asks for that nothing declares.
pub(super) fn by_name(policy: &Text) -> Demand {
    match policy.split_once(':') {
        None if &**policy == "auth" => Demand::Auth,
        Some(("role", role)) => Demand::Role(role.into()),
        _ => Demand::Unknown(policy.clone()),
    }
}

fn unknown(name: &Text, value: &Value) -> Demand {
    match value {
        Value::Text(text) => Demand::Unknown(format!("{name}={text}").into()),
        value => Demand::Unknown(format!("{name}={}", value::json::compact(value)).into()),
    }
}

/// Whether a constraint is switched on; nothing where it says neither.
fn is_wanted(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(wanted) => Some(*wanted),
        Value::Int(1) => Some(true),
        Value::Int(0) => Some(false),
        Value::Text(word) => match &*word.to_ascii_lowercase() {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

impl EnforceStep {
    /// Fails unless everything holds that the policy asks for.
    pub(crate) fn enforce(&self, frame: &Frame) -> Result<(), Fault> {
        let is_present = || frame.get(self.present).is_some_and(graph::truthy);
        let has_role = |name: &Text| frame.get(self.role).and_then(Value::as_text) == Some(name);
        let lacking: Vec<String> = self
            .demands
            .iter()
            .filter_map(|demand| match demand {
                Demand::Auth if is_present() => None,
                Demand::Auth => Some("nobody is known to be calling".to_string()),
                Demand::Role(role) if has_role(role) => None,
                Demand::Role(role) => Some(format!("the role is not `{role}`")),
                Demand::Unknown(what) => Some(format!("nobody can check `{what}`")),
            })
            .collect();
        if lacking.is_empty() {
            return Ok(());
        }
        let mut message = format!("policy `{}` does not hold for who is calling", self.policy);
        if self.is_declared {
            message = format!("{message}: {}", lacking.join(", and "));
        }
        Err(Fault::new(FaultKind::Denied, message))
    }
}
