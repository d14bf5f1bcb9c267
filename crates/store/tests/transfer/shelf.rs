//! A store to take from and to put into, and what an import says, in short.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use history::kinds::Blob;
use history::{BlobId, Event, Operation, Place, Stream, Target, Timestamp};
use store::{
    Append, Durability, Expected, Imported, Importing, MemoryStore, SqliteStore, Store, export,
    import, verify,
};

/// The store, and its file, which is gone with it.
pub(crate) struct Shelf(pub(crate) Box<dyn Store>, Option<Home>);

/// A folder that is gone with the test.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new() -> Home {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-transfer-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Home(path)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("store")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What an import did, and what it said: `line: severity[CODE] pointer: message; help`.
#[derive(Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) done: Imported,
    pub(crate) findings: Vec<String>,
}

impl Said {
    pub(crate) fn codes(&self) -> Vec<&str> {
        let code = |line: &str| line.find('[').map(|at| at + 1);
        self.findings.iter().filter_map(|line| line.get(code(line)?..code(line)? + 4)).collect()
    }
}

impl Shelf {
    /// One of each backend.
    pub(crate) fn all() -> Vec<Shelf> {
        vec![Shelf::memory(), Shelf::sqlite()]
    }

    pub(crate) fn sqlite() -> Shelf {
        Shelf::open(Home::new())
    }

    /// The store in a folder.
    pub(crate) fn open(home: Home) -> Shelf {
        Shelf(Box::new(SqliteStore::open(home.file()).unwrap()), Some(home))
    }

    /// Closes it, and leaves its file.
    pub(crate) fn close(self) -> Home {
        let Shelf(store, home) = self;
        drop(store);
        home.unwrap()
    }

    pub(crate) fn memory() -> Shelf {
        Shelf(Box::new(MemoryStore::default()), None)
    }

    pub(crate) fn import(&self, text: impl AsRef<[u8]>) -> Said {
        self.import_with(text, false)
    }

    pub(crate) fn import_strictly(&self, text: impl AsRef<[u8]>) -> Said {
        self.import_with(text, true)
    }

    fn import_with(&self, text: impl AsRef<[u8]>, strict: bool) -> Said {
        let mut findings = Vec::new();
        let importing = Importing { file: "f.jsonl".into(), strict, now: noon() };
        let done = import(&*self.0, &mut Cursor::new(text), &importing, &mut |source, found| {
            let at = source.position(found.at.span().start);
            let place = match found.at.pointer() {
                Some(pointer) => pointer.as_str().to_string(),
                None => format!("column {}", at.col),
            };
            let help = found.help.map(|help| format!("; {help}")).unwrap_or_default();
            findings.push(format!(
                "{}: {}[{}] {place}: {}{help}",
                at.line,
                found.severity.word(),
                found.code.id,
                found.message
            ));
        });
        Said { done: done.unwrap(), findings }
    }

    /// Imports what must be right.
    pub(crate) fn take(&self, text: impl AsRef<[u8]>) -> Imported {
        let said = self.import(text);
        assert_eq!(said.findings, [""; 0]);
        said.done
    }

    pub(crate) fn export(&self) -> String {
        self.export_of(None)
    }

    pub(crate) fn export_of(&self, runs: Option<&[Stream]>) -> String {
        let mut out = Vec::new();
        export(&*self.0, runs, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// All damage, as `place id: what`.
    pub(crate) fn verify(&self) -> Vec<String> {
        let done = verify(&*self.0, &mut |_| {}).unwrap();
        assert_eq!(done.damaged, done.damage.len() as u64);
        let shown = done.damage.into_iter().map(|damage| {
            let place = damage.place.map(|place| place.to_string());
            let id = damage.event_id.map(|id| format!(" {id}"));
            format!("{}{}: {}", place.unwrap_or_default(), id.unwrap_or_default(), damage.what)
        });
        shown.collect()
    }

    pub(crate) fn append(&self, stream: &Stream, expected: Expected, events: &[Event]) {
        self.append_with(stream, expected, events, &[]);
    }

    pub(crate) fn append_with(
        &self,
        stream: &Stream,
        expected: Expected,
        events: &[Event],
        blobs: &[Blob],
    ) {
        let durability = Durability::Os;
        let append =
            Append { stream, expected, events, blobs, key: None, durability, unverified: false };
        self.0.append(&append).unwrap();
    }

    /// Points a name at the last event of a run.
    pub(crate) fn name(&self, name: &str, stream: &Stream, reason: Option<&str>) -> Operation {
        let info = self.0.stream(stream).unwrap().unwrap();
        let place = Place::new(stream.clone(), info.next - 1);
        let operation = Operation {
            name: name.into(),
            previous: self.0.name(name).unwrap().map(|(id, _)| id),
            target: Some(Target { place, link: info.link }),
            ts: Timestamp::from_micros(0),
            actor: None,
            reason: reason.map(Into::into),
        };
        self.0.move_name(&operation).unwrap();
        operation
    }

    pub(crate) fn blob_ids(&self) -> Vec<BlobId> {
        self.0.blobs(None, 1000).unwrap().into_iter().map(|(id, _)| id).collect()
    }
}

/// An event of a run that is nobody's kind but ours.
pub(crate) fn bare(run: &str, what: &str) -> String {
    format!(r#"{{"kind":"x.test.{what}","run_id":"{run}","ts":"2026-01-01T00:00:00.000000Z"}}"#)
}

pub(crate) fn event(run: &str, what: &str) -> Event {
    Event::read(&bare(run, what)).unwrap()
}

/// The first event of a fork.
pub(crate) fn fork(run: &str, of: &str, seq: u64, origin: &Event) -> String {
    let from = format!(r#"{{"event_id":"{}","run_id":"{of}","seq":{seq}}}"#, origin.id());
    let start = bare(run, "start").replace("x.test.start", "run_started");
    start.replacen('{', &format!(r#"{{"agent_id":"a","from":{from},"#), 1)
}

/// Lines with their ends.
pub(crate) fn file(lines: &[impl AsRef<str>]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}

/// When all imports of the tests take place: long after every event.
pub(crate) fn noon() -> history::Timestamp {
    history::Timestamp::parse("2100-01-01T12:00:00.000000Z").unwrap()
}
