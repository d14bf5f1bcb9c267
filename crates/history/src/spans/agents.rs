//! Which agent a node of a graph asks.

use std::collections::BTreeMap;

use value::{Text, Value};

/// The agents of a graph.
#[derive(Default)]
pub(super) struct Agents {
    /// The agent that each node asks.
    pub(super) at: BTreeMap<Text, Text>,
    /// What each is called, and told to be.
    pub(super) known: BTreeMap<Text, (Option<Text>, Option<Text>)>,
}

impl Agents {
    /// The agents of a graph document: a node names the one it asks.
    pub(super) fn of(document: &Value) -> Agents {
        let declared = document.get("declarations").and_then(|all| all.get("agents")?.as_map());
        let mut agents = Agents::default();
        for (id, agent) in declared.into_iter().flat_map(|declared| declared.iter()) {
            let text = |name: &str| agent.get(name).and_then(Value::as_text).cloned();
            agents.known.insert(id.clone(), (text("label"), text("system_prompt")));
        }
        let labels = document.get("labels").and_then(Value::as_map);
        for (label, nodes) in labels.into_iter().flat_map(|labels| labels.iter()) {
            for node in nodes.get("nodes").and_then(Value::as_list).unwrap_or_default() {
                let id = node.get("id").and_then(Value::as_text);
                let target = node.get("operands").and_then(|all| all.get("target")?.get("lit"));
                if let (Some(id), Some(Value::Text(agent))) = (id, target)
                    && agents.known.contains_key(agent)
                {
                    agents.at.insert(format!("{label}/{id}").into(), agent.clone());
                }
            }
        }
        agents
    }
}
