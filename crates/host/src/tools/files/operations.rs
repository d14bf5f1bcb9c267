//! What is done in a folder, one call at a time.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use runtime::Happened;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use value::{Map, Value};

use super::beneath::{self, Inside};
use super::walk::{self, Walk};
use super::{Files, Operation};

/// A failure, and whether something was changed before.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) message: String,
    pub(super) happened: Happened,
}

impl From<String> for Failed {
    fn from(message: String) -> Failed {
        Failed { message, happened: Happened::No }
    }
}

/// How many places of a search are told.
const PLACES_MAX: usize = 200;

/// How much of a line is told, in characters.
const LINE_MAX: usize = 300;

impl Files {
    /// Does what is asked for.
    pub(super) fn run(&self, args: &Map) -> Result<Value, Failed> {
        let wanted = text(args, "operation")?.ok_or_else(|| {
            format!("`operation` is missing: it is one of {}", self.words().join(", "))
        })?;
        let found = self.allow.iter().find(|operation| operation.word() == wanted);
        let Some(operation) = found.copied() else {
            let words = self.words().join(", ");
            return Err(format!("`{wanted}` is not allowed here, but {words}").into());
        };
        let path = text(args, "path")?;
        let needs_path = !matches!(operation, Operation::List | Operation::Search);
        if needs_path && path.is_none() {
            return Err("`path` is missing".to_owned().into());
        }
        let inside = Inside::read(path.unwrap_or("."))?;
        let root = beneath::root(&self.root)
            .map_err(|error| format!("the folder of this tool cannot be opened: {error}"))?;
        let needed = || text(args, "text")?.ok_or_else(|| "`text` is missing".to_owned());
        match operation {
            Operation::Read => Ok(self.read(&root, &inside)?.into()),
            Operation::List => Ok(walk::list(&root, &inside)?),
            Operation::Search => Ok(self.search(&root, &inside, needed()?)?),
            Operation::Write => self.write(&root, &inside, needed()?),
            Operation::Append => self.append(&root, &inside, needed()?),
            Operation::Delete => delete(&root, &inside),
        }
    }

    fn read(&self, root: &OwnedFd, inside: &Inside) -> Result<String, String> {
        let bytes = self.bytes(root, inside)?;
        String::from_utf8(bytes).map_err(|_| format!("`{}` is no UTF-8 text", inside.shown()))
    }

    fn bytes(&self, root: &OwnedFd, inside: &Inside) -> Result<Vec<u8>, String> {
        let file = beneath::file(root, inside, OFlags::RDONLY, Mode::empty());
        let file = file.map_err(|error| told(inside, &error))?;
        // It may grow while it is read: its length says nothing.
        let mut bytes = Vec::new();
        let read = file.take(self.bytes_max + 1).read_to_end(&mut bytes);
        read.map_err(|error| told(inside, &error))?;
        if bytes.len() as u64 > self.bytes_max {
            return Err(format!(
                "`{}` is larger than {} bytes, which is the most",
                inside.shown(),
                self.bytes_max
            ));
        }
        Ok(bytes)
    }

    fn fits(&self, text: &str) -> Result<(), String> {
        match text.len() as u64 > self.bytes_max {
            true => Err(format!(
                "a text of {} bytes is too large: {} are the most",
                text.len(),
                self.bytes_max
            )),
            false => Ok(()),
        }
    }

    /// Whoever reads the file meanwhile, or after a crash, finds the old text or the new one.
    fn write(&self, root: &OwnedFd, inside: &Inside, text: &str) -> Result<Value, Failed> {
        self.fits(text)?;
        let Some((parents, name)) = inside.split() else {
            return Err("`path` names the folder itself".to_owned().into());
        };
        let here = |error: io::Error| told(inside, &error);
        let folder = beneath::folder(root, &parents, true).map_err(here)?;
        match beneath::kind_at(&folder, name.as_ref()) {
            Ok((FileType::RegularFile, _)) | Err(_) => {}
            Ok((FileType::Directory, _)) => {
                return Err(format!("`{}` is a folder", inside.shown()).into());
            }
            Ok(_) => return Err(format!("`{}` is there, and is no file", inside.shown()).into()),
        }
        let temporary = temporary_name();
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&folder, &*temporary, flags, Mode::from_raw_mode(0o644));
        let mut file = File::from(opened.map_err(|error| told(inside, &error.into()))?);
        let put = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(rustix::fs::renameat(&folder, &*temporary, &folder, name)?));
        if let Err(error) = put {
            // What is left of it is in nobody's way but its own.
            let _ = rustix::fs::unlinkat(&folder, &*temporary, AtFlags::empty());
            return Err(told(inside, &error).into());
        }
        rustix::fs::fsync(&folder).map_err(|error| Failed {
            message: told(inside, &error.into()),
            happened: Happened::Maybe,
        })?;
        Ok(written(inside, text))
    }

    fn append(&self, root: &OwnedFd, inside: &Inside, text: &str) -> Result<Value, Failed> {
        self.fits(text)?;
        let Some((parents, _)) = inside.split() else {
            return Err("`path` names the folder itself".to_owned().into());
        };
        let here = |error: io::Error| told(inside, &error);
        beneath::folder(root, &parents, true).map_err(here)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
        let mut file =
            beneath::file(root, inside, flags, Mode::from_raw_mode(0o644)).map_err(here)?;
        let length = file.metadata().map_err(here)?.len();
        if length.saturating_add(text.len() as u64) > self.bytes_max {
            let most = self.bytes_max;
            return Err(format!("`{}` would be larger than {most} bytes", inside.shown()).into());
        }
        let put = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        put.map_err(|error| Failed { message: told(inside, &error), happened: Happened::Maybe })?;
        Ok(written(inside, text))
    }

    fn search(&self, root: &OwnedFd, inside: &Inside, wanted: &str) -> Result<Value, String> {
        if wanted.is_empty() {
            return Err("`text` is empty: everything would be found".to_owned());
        }
        let mut places = Vec::new();
        let mut walk = Walk::new(root, inside)?;
        'files: while let Some(file) = walk.next_file() {
            // What is too large, no text, or gone meanwhile, has nothing to be found in.
            let Ok(text) = self.read(root, &file) else { continue };
            for (number, line) in (1i64..).zip(text.lines()) {
                if !line.contains(wanted) {
                    continue;
                }
                if places.len() == PLACES_MAX {
                    walk.cut();
                    break 'files;
                }
                let line: String = line.chars().take(LINE_MAX).collect();
                places.push(Value::map([
                    ("path", file.shown().into()),
                    ("line", number.into()),
                    ("text", line.into()),
                ]));
            }
        }
        Ok(Value::map([("found", Value::list(places)), ("is_cut", walk.is_cut().into())]))
    }
}

/// A file is taken away, and nothing else: a folder may hold more than anybody thinks of.
fn delete(root: &OwnedFd, inside: &Inside) -> Result<Value, Failed> {
    let Some((parents, name)) = inside.split() else {
        return Err("`path` names the folder itself".to_owned().into());
    };
    let here = |error: io::Error| told(inside, &error);
    let folder = beneath::folder(root, &parents, false).map_err(here)?;
    match beneath::kind_at(&folder, name.as_ref()).map_err(here)? {
        (FileType::RegularFile, _) => {}
        _ => return Err(format!("`{}` is no file", inside.shown()).into()),
    }
    let gone = rustix::fs::unlinkat(&folder, name, AtFlags::empty());
    gone.map_err(|error| told(inside, &error.into()))?;
    rustix::fs::fsync(&folder).map_err(|error| Failed {
        message: told(inside, &error.into()),
        happened: Happened::Maybe,
    })?;
    Ok(Value::map([("path", inside.shown().into())]))
}

fn written(inside: &Inside, text: &str) -> Value {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    Value::map([("path", inside.shown().into()), ("bytes", bytes.into())])
}

fn text<'a>(args: &'a Map, name: &str) -> Result<Option<&'a str>, String> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(other) => Err(format!("`{name}` must be text, but is {}", other.kind())),
    }
}

/// In the words of whoever gave the path: where the folder is on this machine is not their business.
pub(super) fn told(inside: &Inside, error: &io::Error) -> String {
    let path = inside.shown();
    // A link where none is followed is one, or leads through one.
    let is_link = [rustix::io::Errno::LOOP, rustix::io::Errno::XDEV];
    match rustix::io::Errno::from_io_error(error) {
        Some(errno) if is_link.contains(&errno) => {
            format!("`{path}` is a link or leads through one, and links are not followed")
        }
        Some(rustix::io::Errno::NOTDIR) => {
            format!("`{path}` leads through something that is no folder")
        }
        Some(rustix::io::Errno::NXIO) => format!("`{path}` is no file"),
        _ => match error.kind() {
            io::ErrorKind::NotFound => format!("there is no `{path}`"),
            _ => format!("`{path}`: {error}"),
        },
    }
}

/// Hidden, so that a list of the folder does not show what is being written.
pub(super) const TEMPORARY: &str = ".quipu-writing-";

fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{TEMPORARY}{}-{number}", std::process::id())
}
