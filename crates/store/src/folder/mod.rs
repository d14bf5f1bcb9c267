//! Folders as resources: a folder can be kept as it is, by content, and be had back elsewhere.
//!
//! What is kept are names, contents, links, and whether a file can be executed; who owns what
//! and when it changed is not. The same tree has the same manifest, and a file that is unchanged
//! costs nothing the second time.

mod error;
mod manifest;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;

pub use error::FolderError;
use history::BlobId;
use history::kinds::Blob;
use manifest::{Entry, Manifest};
use value::Digest;

use crate::{Durability, Store, StoreError, VALUE_MAX, directories};

/// A folder as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The hash of what it consists of.
    pub manifest: BlobId,
    /// How many files, folders and links.
    pub entries: usize,
    /// How many bytes its files have together.
    pub bytes: u64,
}

/// The largest file that is kept: what the store takes for one value.
const FILE_MAX: u64 = VALUE_MAX as u64;

/// So many bytes of files are handed to the store together.
const BATCH: usize = 4 << 20;

/// Keeps a folder. Nobody should write to it meanwhile: each file is as it was when it was read.
pub fn snapshot(
    store: &dyn Store,
    folder: &Path,
    durability: Durability,
) -> Result<Snapshot, FolderError> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    if !is_folder {
        return Err(FolderError::NotAFolder(folder.into()));
    }
    let mut manifest = Manifest::default();
    let mut bytes = 0;
    let mut batch = Batch { store, blobs: Vec::new(), size: 0 };
    let mut open = vec![String::new()];
    while let Some(parent) = open.pop() {
        let inside = folder.join(&parent);
        for found in fs::read_dir(&inside).map_err(FolderError::system(&inside))? {
            let path = found.map_err(FolderError::system(&inside))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| FolderError::BadName(path.clone()))?;
            let relative =
                if parent.is_empty() { name.to_string() } else { format!("{parent}/{name}") };
            let about = fs::symlink_metadata(&path).map_err(FolderError::system(&path))?;
            let entry = if about.is_dir() {
                open.push(relative.clone());
                Entry::Folder
            } else if about.is_symlink() {
                let target = fs::read_link(&path).map_err(FolderError::system(&path))?;
                let target = target.to_str().ok_or_else(|| FolderError::BadName(target.clone()))?;
                Entry::Link { target: target.into() }
            } else if about.is_file() {
                let blob = Blob::new(content(&path)?);
                let content = blob.id();
                bytes += blob.bytes().len() as u64;
                batch.add(blob)?;
                Entry::File { content, executable: is_executable(&about) }
            } else {
                return Err(FolderError::BadKind(path));
            };
            manifest.add(relative, entry);
        }
    }
    batch.flush(Durability::Os)?;
    let blob = Blob::new(manifest.text());
    let snapshot = Snapshot { manifest: blob.id(), entries: manifest.entries().len(), bytes };
    batch.add(blob)?;
    batch.flush(durability)?;
    Ok(snapshot)
}

/// Files on their way to the store, so that few are in memory at once.
struct Batch<'a> {
    store: &'a dyn Store,
    blobs: Vec<Blob>,
    size: usize,
}

impl Batch<'_> {
    fn add(&mut self, blob: Blob) -> Result<(), FolderError> {
        self.size += blob.bytes().len();
        self.blobs.push(blob);
        if self.size < BATCH { Ok(()) } else { self.flush(Durability::Os) }
    }

    fn flush(&mut self, durability: Durability) -> Result<(), FolderError> {
        self.size = 0;
        Ok(self.store.put_blobs(&std::mem::take(&mut self.blobs), durability)?)
    }
}

fn content(path: &Path) -> Result<Vec<u8>, FolderError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(FolderError::system(path))?;
    // Looked at before, so that a file without end is not read to its end.
    let about = file.metadata().map_err(FolderError::system(path))?;
    if about.len() > FILE_MAX {
        return Err(FolderError::TooLarge(path.into()));
    }
    file.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(FolderError::system(path))?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(FolderError::TooLarge(path.into()));
    }
    Ok(bytes)
}

/// Writes a kept folder to where nothing is: into an empty folder, or one that is not there yet.
/// Nothing is ever overwritten. What was written before something went wrong stays. When this is
/// done, it outlives a loss of power.
pub fn restore(store: &dyn Store, manifest: BlobId, into: &Path) -> Result<(), FolderError> {
    let bytes = behind(store, manifest)?;
    let plan = Manifest::read(&bytes).map_err(|why| FolderError::BadManifest { manifest, why })?;
    check_free(into)?;
    directories::create(into).map_err(FolderError::system(into))?;
    let total = plan.entries().len();
    for (written, (path, entry)) in plan.entries().enumerate() {
        write(store, &into.join(path), entry).map_err(|why| FolderError::Incomplete {
            why: Box::new(why),
            into: into.into(),
            written,
            total,
        })?;
    }
    // Names are on the disk once the folders that they are in are.
    let folders = plan.entries().filter(|(_, entry)| **entry == Entry::Folder);
    for folder in folders.map(|(path, _)| into.join(path)).chain([into.into()]) {
        directories::sync(&folder).map_err(FolderError::system(&folder))?;
    }
    Ok(())
}

/// The contents of the files that a snapshot lists. What is no list has none.
pub(crate) fn contents(manifest: &[u8]) -> Vec<BlobId> {
    let manifest = Manifest::read(manifest).unwrap_or_default();
    let contents = manifest.entries().filter_map(|(_, entry)| match entry {
        Entry::File { content, .. } => Some(*content),
        Entry::Folder | Entry::Link { .. } => None,
    });
    contents.collect()
}

/// Refuses a place where something is.
pub(crate) fn check_free(into: &Path) -> Result<(), FolderError> {
    if is_free(into).map_err(FolderError::system(into))? {
        Ok(())
    } else {
        Err(FolderError::Occupied(into.into()))
    }
}

/// The bytes behind a hash, and no others.
fn behind(store: &dyn Store, id: BlobId) -> Result<Vec<u8>, FolderError> {
    let bytes = store.blob(id)?.ok_or(FolderError::NoContent(id))?;
    if BlobId(Digest::of(&bytes)) == id {
        Ok(bytes)
    } else {
        Err(StoreError::Damaged(format!("the bytes behind `{id}` are others").into()).into())
    }
}

/// Whether there is nothing at a place, or an empty folder.
fn is_free(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(about) => Ok(about.is_dir() && fs::read_dir(path)?.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

fn write(store: &dyn Store, path: &Path, entry: &Entry) -> Result<(), FolderError> {
    match entry {
        Entry::Folder => fs::create_dir(path).map_err(FolderError::system(path)),
        Entry::Link { target } => link(target, path).map_err(FolderError::system(path)),
        Entry::File { content, executable } => {
            let bytes = behind(store, *content)?;
            let written = File::create_new(path).and_then(|mut file| {
                file.write_all(&bytes)?;
                if *executable {
                    make_executable(&file)?;
                }
                file.sync_all()
            });
            written.map_err(FolderError::system(path))
        }
    }
}

#[cfg(unix)]
fn is_executable(about: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode() & 0o100 != 0
}

/// Whoever may read it may execute it.
#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = file.metadata()?.permissions();
    permissions.set_mode(permissions.mode() | (permissions.mode() & 0o444) >> 2);
    file.set_permissions(permissions)
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no such links"))
}
