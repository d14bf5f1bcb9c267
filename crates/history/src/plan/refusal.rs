//! Why a plan for resources cannot be followed.

use std::fmt;

use value::Text;

/// Why a plan cannot be followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// It leaves open what becomes of resources that can be written.
    Missing {
        /// Which ones.
        resources: Vec<Text>,
    },
    /// It names something that is not in use.
    NotLive {
        /// What it names.
        resource: Text,
        /// What was probably meant.
        near: Option<Text>,
    },
    /// It says twice what becomes of a resource.
    Twice {
        /// Which one.
        resource: Text,
    },
    /// A resource is kept, and nobody keeps it.
    KeptByNobody {
        /// Which one.
        resource: Text,
    },
    /// Another branch has the resource.
    Held {
        /// Which resource.
        resource: Text,
        /// Which branch.
        branch: Text,
    },
    /// A branch keeps the resource that has nothing to do with it.
    Stranger {
        /// Which resource.
        resource: Text,
        /// Which branch.
        branch: Text,
    },
    /// There can be no copy of the resource.
    NoSnapshot {
        /// Which one.
        resource: Text,
        /// Whether that is because it is more than what a snapshot holds.
        imperative: bool,
    },
    /// Two branches would go on to write to the resource.
    TwoOwners {
        /// Which one.
        resource: Text,
    },
}

impl Refusal {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Refusal::Missing { .. } => {
                "say of each whether it is kept (and by which branch), snapshot or discarded".into()
            }
            Refusal::NotLive { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Refusal::NotLive { near: None, .. } => {
                "name only resources that are attached there, and parts of them".into()
            }
            Refusal::Twice { .. } => "say it once".into(),
            Refusal::KeptByNobody { .. } => "add `kept_by` with the branch that keeps it".into(),
            Refusal::Held { branch, .. } => {
                format!("take a snapshot of it, discard it, or go on in `{branch}`")
            }
            Refusal::NoSnapshot { .. } => "keep it in one branch, or discard it".into(),
            Refusal::TwoOwners { .. } | Refusal::Stranger { .. } => {
                "say which of the branches keeps it".into()
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Missing { resources } => {
                f.write_str("the plan does not say what becomes of ")?;
                for (index, resource) in resources.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}`{resource}`")?;
                }
                Ok(())
            }
            Refusal::NotLive { resource, .. } => {
                write!(f, "the plan names `{resource}`, which is not in use there")
            }
            Refusal::Twice { resource } => {
                write!(f, "the plan says twice what becomes of `{resource}`")
            }
            Refusal::KeptByNobody { resource } => {
                write!(f, "`{resource}` is kept, but the plan does not say by whom")
            }
            Refusal::Held { resource, branch } => {
                write!(f, "`{resource}` cannot be kept: the branch `{branch}` has it")
            }
            Refusal::Stranger { resource, branch } => {
                write!(f, "`{resource}` would go to `{branch}`, which is neither of the branches")
            }
            Refusal::NoSnapshot { resource, imperative: true } => {
                write!(f, "`{resource}` is more than a snapshot can hold")
            }
            Refusal::NoSnapshot { resource, imperative: false } => {
                write!(f, "`{resource}` has no capability `snapshot`")
            }
            Refusal::TwoOwners { resource } => {
                write!(f, "`{resource}` would belong to both branches")
            }
        }
    }
}
