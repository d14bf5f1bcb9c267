//! Under `strict` all is taken, or nothing.

use history::Stream;
use history::kinds::Blob;
use store::{Imported, Importing, import, spool};

use crate::shelf::{Shelf, bare, event, file, fork, noon};

#[test]
fn a_file_with_a_flaw_is_refused_as_a_whole() {
    let odd = bare("s", "1").replace(".000000Z", "Z");
    for shelf in Shelf::all() {
        let said = shelf.import_strictly(file(&[bare("r", "1"), odd.clone(), bare("r", "2")]));
        let done = Imported { errors: 1, refused: true, ..Imported::default() };
        assert_eq!((said.codes(), &said.done), (vec!["H108"], &done));
        assert!(said.findings[0].starts_with("2: error["));
        assert_eq!(shelf.export(), "");
    }
}

#[test]
fn a_file_without_a_flaw_is_taken_as_without_strict() {
    let parent = event("z", "2");
    let blob = format!(r#"{{"blob":"{}","text":"[1]"}}"#, Blob::new("[1]").id());
    let lines =
        [fork("a", "z", 1, &parent), bare("z", "1"), bare("z", "2"), bare("a", "end"), blob];
    for (strict, lenient) in Shelf::all().into_iter().zip(Shelf::all()) {
        let first = &lines[1..2];
        strict.take(file(first));
        lenient.take(file(first));
        let said = strict.import_strictly(file(&lines));
        let done = Imported { added: 3, repeated: 1, runs: 2, blobs: 1, ..Imported::default() };
        assert_eq!((said.findings.as_slice(), said.done), (&[][..], done));
        lenient.take(file(&lines));
        strict.name("main", &Stream::run("a"), None);
        lenient.name("main", &Stream::run("a"), None);
        assert_eq!(strict.export(), lenient.export());
        // An export, strictly, into an empty store and into itself.
        let other = Shelf::memory();
        let said = other.import_strictly(strict.export());
        assert_eq!((said.done.added, said.done.names, said.done.errors), (4, 1, 0));
        assert_eq!(other.export(), strict.export());
        assert_eq!(strict.import_strictly(strict.export()).done.repeated, 4);
    }
}

#[test]
fn what_can_be_read_only_once_is_spooled() {
    let text = file(&[fork("a", "z", 0, &event("z", "1")), bare("z", "1")]);
    let shelf = Shelf::memory();
    let mut input = spool(&mut text.as_bytes()).unwrap();
    let importing = Importing { file: "-".into(), strict: true, now: noon() };
    let done = import(&*shelf.0, &mut input, &importing, &mut |_, _| {}).unwrap();
    assert_eq!(done, Imported { added: 2, runs: 2, ..Imported::default() });
}
