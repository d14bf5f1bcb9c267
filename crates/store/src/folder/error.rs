//! What can be wrong with a folder.

use std::io;
use std::path::{Path, PathBuf};

use history::BlobId;

use crate::{AppendError, StoreError, VALUE_MAX};

/// A folder cannot be kept, or not be had back.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is no such folder, or it is something else.
    #[error("`{}` is no folder", .0.display())]
    NotAFolder(PathBuf),
    /// A name that not every system can write.
    #[error("the name `{}` is no UTF-8", .0.display())]
    BadName(PathBuf),
    /// Something that is more than its content.
    #[error("`{}` is neither a file nor a folder nor a link", .0.display())]
    BadKind(PathBuf),
    /// A file that is too large to be kept.
    #[error("`{}` has more than {VALUE_MAX} bytes, which is the most that is kept", .0.display())]
    TooLarge(PathBuf),
    /// There is something where the folder should go.
    #[error("`{}` is there already and not an empty folder", .0.display())]
    Occupied(PathBuf),
    /// The manifest cannot be followed.
    #[error("the manifest `{manifest}` cannot be followed: {why}")]
    BadManifest {
        /// Which one.
        manifest: BlobId,
        /// Why not.
        why: String,
    },
    /// Content that is not in the store.
    #[error("there is nothing behind `{0}`")]
    NoContent(BlobId),
    /// A file or a folder cannot be read or written.
    #[error("`{}`: {source}", .path.display())]
    System {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Only a part of a folder was written.
    #[error("{why}; {written} of {total} entries are in `{}`", .into.display())]
    Incomplete {
        /// Why it was not all of it.
        #[source]
        why: Box<FolderError>,
        /// Where they are.
        into: PathBuf,
        /// How many are there.
        written: usize,
        /// How many there should be.
        total: usize,
    },
    /// The store cannot be read or written.
    #[error("{0}")]
    Store(#[from] AppendError),
}

impl FolderError {
    pub(super) fn system(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
        let path = path.to_path_buf();
        |source| FolderError::System { path, source }
    }
}

impl From<StoreError> for FolderError {
    fn from(error: StoreError) -> FolderError {
        FolderError::Store(error.into())
    }
}
