//! Why a run was not forked.

use std::path::PathBuf;

use history::plan::Refusal;
use history::{Place, Stream};
use value::Text;

use crate::folder::FolderError;
use crate::{AppendError, StoreError};

/// A run was not forked, and nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    /// Only runs have branches.
    #[error("`{0}` is no run, and only runs can be forked")]
    NotARun(Stream),
    /// There is no such event.
    #[error("there is no `{0}` to fork from")]
    NoPlace(Place),
    /// Nobody knows whose the fork would be.
    #[error("`{0}` does not say whose run it is; name the agent")]
    NoAgent(Place),
    /// The id of the new run is taken. The caller takes another one.
    #[error("there is a `{0}` already")]
    Exists(Stream),
    /// Whoever keeps a resource could not be told apart.
    #[error("a fork of `{0}` cannot be called `{0}` too")]
    SameBranch(Text),
    /// The resources cannot be shared out like this. The caller wishes something else.
    #[error("{}", .0.iter().map(Refusal::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Refusal>),
    /// A folder that does not say where it is.
    #[error("`{0}` does not say where it is: its `metadata` has no `path`")]
    NoPath(Text),
    /// A copy that may go nowhere.
    #[error("the copy of `{0}` needs a folder to go to")]
    NoTarget(Text),
    /// A copy would go into another folder that is copied, or around it.
    #[error("the copy of `{resource}` cannot go to `{}`: that and `{}` are in each other",
        .into.display(), .other.display())]
    Overlap {
        /// Which resource.
        resource: Text,
        /// Where its copy would go.
        into: PathBuf,
        /// A folder that is copied, or where another copy goes.
        other: PathBuf,
    },
    /// A folder could not be copied.
    #[error("`{resource}` cannot be copied: {source}{}", also_there(.left))]
    Folder {
        /// Which resource.
        resource: Text,
        /// Why not.
        source: FolderError,
        /// Copies that were made before, and are still there.
        left: Vec<PathBuf>,
    },
    /// The fork could not be written.
    #[error("{source}{}", also_there(.left))]
    Append {
        /// Why not.
        source: AppendError,
        /// Copies that were made before, and are still there.
        left: Vec<PathBuf>,
    },
    /// The store cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
}

fn also_there(left: &[PathBuf]) -> String {
    left.iter().map(|path| format!("; the copy in `{}` is left", path.display())).collect()
}
