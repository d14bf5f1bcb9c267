//! Values that nothing refers to are cleaned away, and nothing else.

use history::kinds::Blob;
use history::{Event, Stream};
use store::{Clean, Cleaned, Durability, Expected, gc};

use crate::shelf::Shelf;

#[test]
fn only_what_nothing_refers_to_is_forgotten() {
    for shelf in Shelf::all() {
        let inner = Blob::new("[1]");
        let outer = Blob::new(format!(r#"{{"x":[{{"$blob":"{}"}}]}}"#, inner.id()));
        let external = Blob::new(vec![0xff; 10]);
        let unused = Blob::new("unused");
        let event = format!(
            r#"{{"a": {{"$blob": "{}"}}, "b": [{{"kind": "blob", "id": "{}"}}], "kind": "x.test.a",
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
        // An export of what refers to them has the same ones.
        assert_eq!(shelf.export_of(Some(&[Stream::Store])), shelf.export());
    }
}
