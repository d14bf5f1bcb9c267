//! Reads everything that a store holds, and says what is not as it was written. It goes on behind
//! damage as far as it can.

use history::kinds::Kind;
use history::{
    BlobId, Entry, Event, Lineage, Link, Operation, OperationId, Place, Stream, StreamInfo, chain,
    references,
};
use value::{Digest, Value};

use crate::{Damage, Store, StoreError};

/// What was read, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verified {
    /// Streams.
    pub runs: u64,
    /// Events.
    pub events: u64,
    /// Large values.
    pub blobs: u64,
    /// Names.
    pub names: u64,
    /// How much damage there is.
    pub damaged: u64,
    /// The first of it: events by stream and number, then everything else.
    pub damage: Vec<Damage>,
}

/// So much damage is listed; the rest is counted.
const DAMAGE_MAX: usize = 100;

/// How much is read at once.
const PAGE: usize = 512;

/// Reads everything. `progress` is told now and then how far it has come.
pub fn verify(
    store: &dyn Store,
    progress: &mut dyn FnMut(&Verified),
) -> Result<Verified, StoreError> {
    let mut verifier = Verifier { store, done: Verified::default(), progress };
    verifier.streams()?;
    verifier.names()?;
    verifier.blobs()?;
    for what in store.check_files()? {
        verifier.damage(what.into());
    }
    Ok(verifier.done)
}

struct Verifier<'a> {
    store: &'a dyn Store,
    done: Verified,
    progress: &'a mut dyn FnMut(&Verified),
}

/// A stream while its events are read.
struct Reading<'a> {
    info: &'a StreamInfo,
    genesis: Digest,
    /// The number that the next event must have.
    next: u64,
    /// The links that the next event may follow: as it is written, and as it should be. Nothing
    /// where that is not known.
    before: Option<[Option<Link>; 2]>,
}

impl Verifier<'_> {
    fn streams(&mut self) -> Result<(), StoreError> {
        let mut after: Option<Stream> = None;
        let mut limit = PAGE;
        loop {
            let page = match self.store.streams(after.as_ref(), limit) {
                // Somewhere in there: one by one.
                Err(StoreError::Damaged(_)) if limit > 1 => {
                    limit = 1;
                    continue;
                }
                Err(StoreError::Damaged(damage)) => {
                    after = damage.place.as_ref().map(|place| place.stream.clone());
                    self.damage(*damage);
                    // What is behind a stream without a name cannot be asked for.
                    if after.is_none() {
                        return Ok(());
                    }
                    limit = PAGE;
                    continue;
                }
                page => page?,
            };
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.stream.clone());
            for info in &page {
                self.stream(info)?;
                self.done.runs += 1;
            }
        }
    }

    fn stream(&mut self, info: &StreamInfo) -> Result<(), StoreError> {
        let mut reading = Reading {
            info,
            genesis: chain::genesis(&info.stream),
            next: info.first,
            before: self.origin(info)?,
        };
        while reading.next < info.next {
            let left = usize::try_from(info.next - reading.next).unwrap_or(PAGE).min(PAGE);
            match self.store.read(&info.stream, reading.next, left) {
                Ok(page) if page.is_empty() => break,
                Ok(page) => {
                    for entry in &page {
                        self.entry(&mut reading, entry)?;
                    }
                }
                // Somewhere in there: one by one.
                Err(StoreError::Damaged(_)) => self.one_by_one(&mut reading, left)?,
                Err(other) => return Err(other),
            }
            (self.progress)(&self.done);
        }
        if reading.next < info.next {
            self.missing(&reading, info.next);
        }
        let is_last = reading.before.is_none_or(|links| links.contains(&Some(info.link)));
        if reading.next == info.next && !is_last {
            let what = "the stream ends with another link than its last event";
            self.damage(Damage::at(reading.place(info.next.saturating_sub(1)), what));
        }
        Ok(())
    }

    /// What the first event of a stream follows.
    fn origin(&mut self, info: &StreamInfo) -> Result<Option<[Option<Link>; 2]>, StoreError> {
        let first = || Place::new(info.stream.clone(), info.first);
        let Some(parent) = &info.parent else {
            if info.first != 0 {
                let what = format!("the stream begins at {}", info.first);
                self.damage(Damage::at(first(), what));
                return Ok(None);
            }
            return Ok(Some([None, None]));
        };
        if info.first != parent.seq + 1 {
            let what = format!("the stream goes on from `{parent}`, but begins at {}", info.first);
            self.damage(Damage::at(first(), what));
        }
        let found = self.store.read(&parent.stream, parent.seq, 1);
        // What is wrong with the parent's event is said where that stands.
        let found = match found {
            Ok(mut found) => found.pop().filter(|entry| entry.seq == parent.seq),
            Err(StoreError::Damaged(_)) => return Ok(None),
            Err(other) => return Err(other),
        };
        if found.is_none() {
            let what = format!("the event it goes on from, `{parent}`, is not there");
            self.damage(Damage::at(first(), what));
        }
        Ok(found.map(|entry| [Some(entry.link); 2]))
    }

    fn one_by_one(&mut self, reading: &mut Reading<'_>, count: usize) -> Result<(), StoreError> {
        for _ in 0..count {
            match self.store.read(&reading.info.stream, reading.next, 1) {
                Ok(found) => match found.first() {
                    Some(entry) => self.entry(reading, entry)?,
                    None => return Ok(()),
                },
                Err(StoreError::Damaged(damage)) => {
                    let place = Some(reading.place(reading.next));
                    self.damage(Damage { place, ..*damage });
                    reading.next += 1;
                    reading.before = None;
                }
                Err(other) => return Err(other),
            }
            if reading.next >= reading.info.next {
                return Ok(());
            }
        }
        Ok(())
    }

    /// An event, and whether others are missing before it.
    fn entry(&mut self, reading: &mut Reading<'_>, entry: &Entry) -> Result<(), StoreError> {
        if entry.seq > reading.next {
            self.missing(reading, entry.seq);
            reading.before = None;
        }
        self.done.events += 1;
        let (place, id) = (reading.place(entry.seq), entry.event.id());
        let mut wrong = Vec::new();
        let computed = |previous| chain::link(&reading.genesis, entry.seq, previous, id);
        let links = reading.before.map(|before| before.map(computed));
        if links.is_some_and(|links| !links.contains(&entry.link)) {
            wrong.push("its link does not follow from the events before it".into());
        }
        wrong.extend(self.wrong_with(&reading.info.stream, &entry.event)?);
        for what in wrong {
            self.damage(Damage { place: Some(place.clone()), event_id: Some(id), what });
        }
        // Damage is said once: what follows may follow the link that is there, or the right one.
        reading.before = Some([Some(entry.link), links.map_or(Some(entry.link), |l| Some(l[1]))]);
        reading.next = entry.seq + 1;
        Ok(())
    }

    /// What is wrong with an event, wherever it stands in its stream.
    fn wrong_with(&mut self, stream: &Stream, event: &Event) -> Result<Vec<String>, StoreError> {
        match Event::from_body(event.body()) {
            Ok(read) if read.id() == event.id() => {}
            Ok(_) => return Ok(vec!["its id is not the hash of what it says".into()]),
            Err(_) => return Ok(vec!["what it says is not in canonical form".into()]),
        }
        let mut wrong = Vec::new();
        let members = event.members();
        let kind = members.get("kind").and_then(Value::as_text).map(|kind| Kind::find(kind));
        if kind != Some(event.kind()) {
            wrong.push(format!("it is kept as `{}`, and says something else", event.kind().name()));
        }
        if let Some((name, owner)) = stream.contradicted_by(&members) {
            wrong.push(format!("its `{name}` is `{owner}`, and it stands in `{stream}`"));
        }
        for id in references::needed(&members) {
            if !self.store.has_blob(id)? {
                wrong.push(format!("it refers to {id}, which is not there"));
            }
        }
        if let Some(list) = references::snapshot(&members) {
            let bytes = self.store.blob(list);
            let Some(bytes) = self.sound(bytes)? else { return Ok(wrong) };
            let listed = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
            for id in references::mentioned(listed.unwrap_or_default()) {
                if !self.store.has_blob(id)? {
                    wrong.push(format!("its snapshot lacks {id}"));
                }
            }
            if listed.is_none() {
                wrong.push(format!("its snapshot {list} is not there"));
            }
        }
        Ok(wrong)
    }

    fn missing(&mut self, reading: &Reading<'_>, until: u64) {
        let what = match until - reading.next {
            1 => "it is missing".into(),
            count => format!("it is missing, and {} after it", count - 1),
        };
        self.damage(Damage::at(reading.place(reading.next), what));
    }

    fn blobs(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.store.blobs(after, PAGE);
            let Some(page) = self.sound(page)? else { return Ok(()) };
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = Some(*last);
            for (id, _) in page {
                let bytes = self.store.blob(id);
                if let Some(bytes) = self.sound(bytes)?
                    && bytes.is_none_or(|bytes| BlobId(Digest::of(&bytes)) != id)
                {
                    self.damage(format!("the bytes behind `{id}` are others").into());
                }
                self.done.blobs += 1;
            }
            (self.progress)(&self.done);
        }
    }

    fn names(&mut self) -> Result<(), StoreError> {
        let names = self.store.names();
        let Some(names) = self.sound(names)? else { return Ok(()) };
        for (last, operation) in names {
            let operations = self.store.operations(&operation.name);
            if let Some(operations) = self.sound(operations)? {
                self.name(&operation.name, last, &operations)?;
            }
            self.done.names += 1;
        }
        Ok(())
    }

    fn name(
        &mut self,
        name: &str,
        last: OperationId,
        operations: &[(OperationId, Operation)],
    ) -> Result<(), StoreError> {
        let mut previous = None;
        for (id, operation) in operations {
            if operation.id() != *id || operation.name != name {
                self.damaged_move(name, *id, "is not what was written");
            }
            if operation.previous != previous {
                self.damaged_move(name, *id, "does not follow the one before it");
            }
            previous = Some(*id);
            let Some(target) = &operation.target else { continue };
            let entry = match Lineage::locate(self.store, &target.place) {
                // What is wrong with the event is said where that stands.
                Err(StoreError::Damaged(_)) => continue,
                other => other?,
            };
            if entry.is_none_or(|(_, entry)| entry.link != target.link) {
                let what = format!("points to `{}` with another link", target.place);
                self.damaged_move(name, *id, &what);
            }
        }
        if previous != Some(last) {
            self.damage(format!("the last move of `{name}` is another one").into());
        }
        Ok(())
    }

    fn damaged_move(&mut self, name: &str, id: OperationId, what: &str) {
        self.damage(format!("the move `{id}` of `{name}` {what}").into());
    }

    /// What could be read; what is damaged is noted.
    fn sound<T>(&mut self, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(StoreError::Damaged(damage)) => {
                self.damage(*damage);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.done.damaged += 1;
        if self.done.damage.len() < DAMAGE_MAX {
            self.done.damage.push(damage);
        }
    }
}

impl Reading<'_> {
    fn place(&self, seq: u64) -> Place {
        Place::new(self.info.stream.clone(), seq)
    }
}
