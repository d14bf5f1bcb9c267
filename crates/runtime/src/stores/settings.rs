//! How the provider of a store is set.

use graph::protocols::Protocol;
use value::Value;

/// What a `config` says, with the defaults of its schema where it says nothing. Each protocol has
/// its own meaning for them, and some have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Settings {
    /// How many answers a query has that does not say.
    pub limit: u32,
    /// What a match must score, in millionths.
    pub min_score: u32,
    /// How far a graph is walked.
    pub depth: u32,
    /// How many memories are kept.
    pub keep: u32,
    /// For how long.
    pub ttl_s: Option<u64>,
}

impl Settings {
    /// Those of a declared store. What a schema does not allow was reported, and counts as not
    /// given.
    pub fn of(protocol: Protocol, store: &Value) -> Settings {
        let schema = protocol.def().schema();
        let config = store.get("config");
        let number = |name: &str| {
            let property = schema.get("properties")?.get(name)?;
            let bound = |name: &str| property.get(name).and_then(number);
            let fits = |value: &f64| {
                bound("minimum").is_none_or(|least| least <= *value)
                    && bound("maximum").is_none_or(|most| *value <= most)
            };
            let given = config.and_then(|config| config.get(name)).and_then(number);
            given.filter(fits).or_else(|| bound("default"))
        };
        let whole = |name: &str| number(name).unwrap_or(0.0) as u32;
        Settings {
            limit: whole("limit").max(whole("top_k")),
            min_score: (number("min_score").unwrap_or(0.0) * 1e6) as u32,
            depth: whole("depth"),
            keep: whole("keep"),
            ttl_s: number("ttl_s").map(|seconds| seconds as u64),
        }
    }

    /// Those of a store without a config.
    pub fn default_of(protocol: Protocol) -> Settings {
        Settings::of(protocol, &Value::Null)
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}
