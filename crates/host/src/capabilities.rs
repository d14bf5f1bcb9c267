//! Who may answer which questions. Where a question needs a capability, only a person whom
//! `quipu.toml` gives it may answer, however the answer comes.

use std::collections::{BTreeMap, BTreeSet};

use value::Text;

/// What people may do, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(BTreeMap<Text, BTreeSet<Text>>);

/// Somebody who answers.
#[derive(Clone, Debug, Default)]
pub struct Who {
    /// Their name, if they gave one.
    pub name: Option<Text>,
    /// What everybody may do.
    pub capabilities: Capabilities,
}

impl Capabilities {
    /// What each of these people may do.
    pub fn new(people: BTreeMap<Text, BTreeSet<Text>>) -> Capabilities {
        Capabilities(people)
    }

    /// Who has a capability.
    fn who_has(&self, capability: &str) -> Vec<&str> {
        let has = self.0.iter().filter(|(_, own)| own.contains(capability));
        has.map(|(name, _)| &**name).collect()
    }
}

impl Who {
    /// Why they may not answer a question that needs a capability, in words for them.
    pub fn refused(&self, capability: Option<&Text>) -> Option<String> {
        let capability = capability?;
        let having = self.capabilities.who_has(capability);
        if self.name.as_deref().is_some_and(|name| having.contains(&name)) {
            return None;
        }
        let who = match &self.name {
            Some(name) => format!("`{name}` may not answer this"),
            None => "who answers this must say who they are".to_owned(),
        };
        let may = match having.as_slice() {
            [] => format!(
                "nobody may; write `[people.NAME]` with `capabilities = [\"{capability}\"]` in \
                 quipu.toml"
            ),
            names => format!("{} may (`--as NAME`)", names.join(", ")),
        };
        Some(format!("{who}: it needs `{capability}`; {may}"))
    }
}
