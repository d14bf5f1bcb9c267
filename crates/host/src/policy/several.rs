//! Several policies that decide together: those of a workspace, and the one that is in force or is
//! tried. The strictest word counts.

use value::{Text, Value};

use super::{Language, Policy, Program};

/// One of several policies.
#[derive(Debug)]
pub struct Part {
    /// Why it decides.
    pub why: Why,
    /// The policy.
    pub policy: Policy,
}

/// Why a policy decides about the calls of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The workspace has it, whatever else comes into force.
    Workspace,
    /// Whoever began the run tries it.
    Tried,
    /// It is in force.
    InForce,
}

impl Why {
    const ALL: [Why; 3] = [Why::Workspace, Why::Tried, Why::InForce];

    fn word(self) -> &'static str {
        match self {
            Why::Workspace => "workspace",
            Why::Tried => "tried",
            Why::InForce => "in_force",
        }
    }
}

impl Policy {
    /// Policies that decide together.
    pub fn several(parts: Vec<Part>) -> Policy {
        let each = parts.iter().map(|part| {
            Value::map([("why", part.why.word().into()), ("policy", part.policy.document.clone())])
        });
        let members = [("language", Language::Several.word().into()), ("parts", Value::list(each))];
        let source = parts
            .iter()
            .map(|part| format!("# {}\n{}", part.why.word(), part.policy.source.trim_end()));
        let source: Text = source.collect::<Vec<_>>().join("\n\n").into();
        Policy::made(Language::Several, source, Value::map(members), Program::Several(parts))
    }

    /// The digest of the part of it that is in force, where it is one of several; else its own.
    pub fn in_force(&self) -> Option<&Text> {
        let Program::Several(parts) = &self.program else { return Some(&self.digest) };
        let part = parts.iter().find(|part| part.why == Why::InForce)?;
        Some(&part.policy.digest)
    }

    /// What decides when another policy comes into force: what the workspace has goes on.
    pub fn followed_by(self, active: Policy) -> Policy {
        let Program::Several(parts) = self.program else { return active };
        let mut parts: Vec<Part> =
            parts.into_iter().filter(|part| part.why == Why::Workspace).collect();
        if parts.is_empty() {
            return active;
        }
        parts.push(Part { why: Why::InForce, policy: active });
        Policy::several(parts)
    }
}

/// Several policies, as they were kept.
pub(super) fn read(document: &Value) -> Option<Result<Policy, String>> {
    let mut parts = Vec::new();
    for part in document.get("parts")?.as_list()? {
        let word = part.get("why")?.as_text()?;
        let why = Why::ALL.into_iter().find(|why| why.word() == &**word)?;
        let kept = part.get("policy")?;
        // Several of several would have no end.
        if kept.get("parts").is_some() {
            return None;
        }
        match Policy::of(kept)? {
            Ok(policy) => parts.push(Part { why, policy }),
            Err(error) => return Some(Err(error)),
        }
    }
    (!parts.is_empty()).then(|| Ok(Policy::several(parts)))
}
