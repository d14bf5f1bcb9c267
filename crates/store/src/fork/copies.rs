//! Copies of resources for a fork. Folders are copied for real; of everything else it is recorded
//! that there is no way to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use history::kinds::records::{Error, ExtRef, OwnerScope, Resource, SnapshotRecord};
use history::kinds::words::{
    Capability, Consistency, Mode, ResourceKind, RestoreOutcome, SnapshotOutcome,
};
use history::kinds::{ResourceAttached, ResourceRegistered, RestoreAttempted, SnapshotCreated};
use history::plan::{Live, Wish};
use value::{Text, Value};

use super::{Copied, ForkError, ForkRequest, Restored, Writer};
use crate::folder::{self, Snapshot};
use crate::{Durability, Store};

/// A resource of which the fork shall have a copy.
pub(super) struct Copy {
    resource: Resource,
    part_of: Option<Text>,
    mode: Mode,
    /// The folder it is, if it is one that can be copied.
    path: Option<PathBuf>,
    /// Where the copy goes, if there can be one.
    into: Option<PathBuf>,
    snapshot: Option<Snapshot>,
}

/// What is to be copied; nothing is read yet.
pub(super) fn wanted(live: &Live, request: &ForkRequest) -> Result<Vec<Copy>, ForkError> {
    let usable = live.usable();
    let mut copies = Vec::new();
    for (id, wish) in &request.wishes {
        let (Wish::Snapshot { into }, Some(held)) = (wish, live.get(id)) else { continue };
        let Some(resource) = held.resource.clone() else { continue };
        let is_folder = resource.kind == Some(ResourceKind::File);
        let path = match &resource.metadata {
            _ if !is_folder => None,
            metadata => {
                let path = metadata.as_ref().and_then(|metadata| metadata.get("path"));
                let path = path.and_then(Value::as_text);
                Some(PathBuf::from(&**path.ok_or_else(|| ForkError::NoPath(id.clone()))?))
            }
        };
        let into = match into {
            _ if !is_folder || !held.can(&Capability::Restore) => None,
            Some(into) if !into.is_empty() => Some(PathBuf::from(&**into)),
            _ => return Err(ForkError::NoTarget(id.clone())),
        };
        let mode = usable.get(id).map_or(Mode::ReadOnly, |mode| (*mode).clone());
        let part_of = held.part_of.clone();
        copies.push(Copy { resource, part_of, mode, path, into, snapshot: None });
    }
    Ok(copies)
}

/// Refuses copies that would go into what is copied, around it, or into each other, and those that
/// would go where something is.
pub(super) fn check(copies: &[Copy]) -> Result<(), ForkError> {
    let failed = |copy: &Copy, source| ForkError::Folder {
        resource: copy.resource.id.clone(),
        source,
        left: Vec::new(),
    };
    let sources = copies.iter().filter_map(|copy| copy.path.as_deref());
    let mut taken: Vec<(PathBuf, &Path)> = sources.map(|path| (real(path), path)).collect();
    for copy in copies {
        let Some(into) = copy.into.as_deref() else { continue };
        let target = real(into);
        let other =
            taken.iter().find(|(path, _)| path.starts_with(&target) || target.starts_with(path));
        if let Some((_, other)) = other {
            let (resource, into, other) = (copy.resource.id.clone(), into.into(), (*other).into());
            return Err(ForkError::Overlap { resource, into, other });
        }
        folder::check_free(into).map_err(|why| failed(copy, why))?;
        taken.push((target, into));
    }
    Ok(())
}

/// Where a path leads, with links followed as far as there is something.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut missing = Vec::new();
    let mut there = absolute.as_path();
    loop {
        if let Ok(found) = there.canonicalize() {
            return missing.iter().rev().fold(found, |path, name| path.join(name));
        }
        let (Some(above), Some(name)) = (there.parent(), there.file_name()) else {
            return absolute;
        };
        missing.push(name);
        there = above;
    }
}

/// Keeps all folders, then writes their copies, so that most of what can go wrong goes wrong
/// before there are any.
pub(super) fn make(
    store: &dyn Store,
    copies: &mut [Copy],
    durability: Durability,
) -> Result<(), ForkError> {
    let failed = |resource: &Text, source, left: &[PathBuf]| ForkError::Folder {
        resource: resource.clone(),
        source,
        left: left.to_vec(),
    };
    for copy in copies.iter_mut() {
        if let Some(path) = &copy.path {
            let snapshot = folder::snapshot(store, path, durability);
            copy.snapshot = Some(snapshot.map_err(|why| failed(&copy.resource.id, why, &[]))?);
        }
    }
    let mut left = Vec::new();
    for copy in copies {
        if let (Some(snapshot), Some(into)) = (&copy.snapshot, &copy.into) {
            let restored = folder::restore(store, snapshot.manifest, into);
            restored.map_err(|why| failed(&copy.resource.id, why, &left))?;
            left.push(into.clone());
        }
    }
    Ok(())
}

impl Copy {
    pub(super) fn id(&self) -> &Text {
        &self.resource.id
    }

    /// Where it was copied to, if it was.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.into.as_deref()
    }

    /// The snapshot's id.
    pub(super) fn snapshot_id(&self, run: &Text) -> Text {
        format!("{run}/{}", self.resource.id).into()
    }

    pub(super) fn copied(&self, run: &Text) -> Copied {
        let restored = self.into.as_ref().map(|folder| {
            let resource = new_id(&self.resource.id, run);
            Restored { resource, folder: folder.clone() }
        });
        Copied { resource: self.resource.id.clone(), restored }
    }

    /// Says what was done.
    pub(super) fn tell(&self, writer: &mut Writer, request: &ForkRequest, all: &[Copy]) {
        let snapshot_ref = self.snapshot_id(&request.run);
        let restorable = self.into.is_some();
        let kind = self.resource.kind.as_ref().map_or("thing", ResourceKind::word);
        let error = || Error {
            code: Some("unsupported".into()),
            message: Some(format!("a `{kind}` cannot be copied").into()),
            details: None,
        };
        writer.add(&SnapshotCreated {
            resource_ref: self.resource.id.clone(),
            snapshot_ref: snapshot_ref.clone(),
            outcome: match self.snapshot {
                Some(_) => SnapshotOutcome::Ok,
                None => SnapshotOutcome::Error,
            },
            error: self.snapshot.is_none().then(error),
            snapshot: self.snapshot.as_ref().map(|snapshot| SnapshotRecord {
                method: Some("fs_copy".into()),
                external_ref: Some(ExtRef {
                    kind: "blob".into(),
                    id: snapshot.manifest.to_string().into(),
                }),
                consistency: Some(Consistency::Crash),
                size_bytes: i64::try_from(snapshot.bytes).ok(),
                created_at: Some(request.ts),
                restorable: Some(restorable),
            }),
        });
        let new = self.into.as_ref().map(|into| (into, new_id(&self.resource.id, &request.run)));
        let outcome = if restorable { RestoreOutcome::Ok } else { RestoreOutcome::Unsupported };
        writer.add(&RestoreAttempted {
            snapshot_ref,
            outcome,
            new_resource_ref: new.as_ref().map(|(_, id)| id.clone()),
            error: None,
        });
        let Some((into, id)) = new else { return };
        let mut metadata = self.resource.metadata.as_deref().cloned().unwrap_or_default();
        // What is relative to where somebody stood is nowhere later.
        let into = std::path::absolute(into).unwrap_or_else(|_| into.clone());
        metadata.insert("path".into(), into.display().to_string().into());
        // A part of something that was copied too is a part of the copy.
        let whole = |copy: &&Copy| copy.into.is_some() && self.part_of.as_ref() == Some(copy.id());
        let part_of = all.iter().find(whole).map(|whole| new_id(whole.id(), &request.run));
        let resource = Resource {
            id: id.clone(),
            scope: Some(OwnerScope {
                agent_id: writer.common.agent_id.clone(),
                run_id: Some(request.run.clone()),
                session_id: None,
            }),
            liveness: None,
            metadata: Some(Arc::new(metadata)),
            ..self.resource.clone()
        };
        writer.add(&ResourceRegistered { resource, part_of });
        let mode = Some(self.mode.clone());
        writer.add(&ResourceAttached { resource_ref: id, mode, mount: None });
    }
}

/// The id of a copy: a resource has at most one in each run.
fn new_id(resource: &Text, run: &Text) -> Text {
    format!("{resource}.{run}").into()
}
