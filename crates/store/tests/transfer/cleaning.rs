//! Values that nothing refers to are cleaned away, and nothing else.

use history::kinds::Blob;
use history::{Event, Stream};
use store::{Append, AppendError, Clean, Cleaned, Durability, Expected, SqliteStore, Store, gc};

use crate::shelf::{Home, Shelf};

#[test]
fn only_what_nothing_refers_to_is_forgotten() {
    for shelf in Shelf::all() {
        let inner = Blob::new("[1]");
        let outer = Blob::new(format!(r#"{{"x":[{{"$blob":"{}"}}]}}"#, inner.id()));
        let external = Blob::new(vec![0xff; 10]);
        let unused = Blob::new("unused");
        let event = format!(
            r#"{{"a": {{"$blob": "{}"}}, "sources": [{{"kind": "blob", "id": "{}"}}], "kind": "x.test.a",
            "ts": "2026-01-01T00:00:00.000000Z"}}"#,
            outer.id(),
            external.id()
        );
        let blobs = [inner.clone(), outer.clone(), external.clone(), unused];
        shelf.0.put_blobs(&blobs, Durability::Os).unwrap();
        shelf.append(&Stream::Store, Expected::New, &[Event::read(&event).unwrap()]);
        let cleaned = Cleaned { removed: 1, bytes: 6 };
        assert_eq!(gc(&*shelf.0, Clean::DryRun).unwrap(), cleaned);
        assert_eq!(shelf.blob_ids().len(), 4);
        assert_eq!(gc(&*shelf.0, Clean::Remove).unwrap(), cleaned);
        assert_eq!(gc(&*shelf.0, Clean::Remove).unwrap(), Cleaned::default());
        let mut left = [inner.id(), outer.id(), external.id()];
        left.sort();
        assert_eq!(shelf.blob_ids(), left);
        assert_eq!(shelf.verify(), [""; 0]);
        // An export of what refers to them has them, but for the one that only data speaks of: it
        // may be somebody else's.
        let all = shelf.export();
        let is_carried = |line: &&str| !line.contains(&format!("{{\"blob\":\"{}\"", inner.id()));
        let carried: Vec<&str> = all.lines().filter(is_carried).collect();
        assert_eq!(carried.len() + 1, all.lines().count());
        let some = shelf.export_of(Some(&[Stream::Store]));
        assert_eq!(some.lines().collect::<Vec<_>>(), carried);
    }
}

/// A value that nothing referred to may be referred to while it is cleaned away: then the event is
/// refused, or the value stays with all that it refers to.
#[test]
fn what_is_referred_to_meanwhile_stays() {
    const ROUNDS: u64 = 60;
    let home = Home::new();
    let [cleaner, writer] = [(); 2].map(|()| SqliteStore::open(home.file()).unwrap());
    let (mut next, mut cleaned) = (0, 0);
    for round in 0..ROUNDS {
        let inner = Blob::new(format!("[{round}]"));
        let outer = Blob::new(format!(r#"{{"x":[{{"$blob":"{}"}}]}}"#, inner.id()));
        writer.put_blobs(&[inner.clone(), outer.clone()], Durability::Os).unwrap();
        let event = format!(r#"{{"a": {{"$blob": "{}"}}, "kind": "x.test.a"}}"#, outer.id());
        let events = [Event::read(&event).unwrap()];
        let append = Append {
            stream: &Stream::Store,
            expected: Expected::Next(next),
            events: &events,
            blobs: &[],
            key: None,
            durability: Durability::Os,
            unverified: false,
        };
        let added = std::thread::scope(|scope| {
            let cleaning = scope.spawn(|| gc(&cleaner, Clean::Remove).unwrap());
            let added = writer.append(&append);
            cleaned += cleaning.join().unwrap().removed;
            added
        });
        let is_there = |blob: &Blob| writer.has_blob(blob.id()).unwrap();
        match added {
            Ok(_) => {
                assert!(is_there(&inner) && is_there(&outer), "round {round}");
                next += 1;
            }
            Err(AppendError::NoBlob(id)) => {
                assert_eq!(id, outer.id());
                assert!(!is_there(&inner) && !is_there(&outer), "round {round}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(cleaned, 2 * (ROUNDS - next));
}
