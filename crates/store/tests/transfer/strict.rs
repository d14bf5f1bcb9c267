//! Under `strict` all is taken, or nothing.

use store::Imported;

use crate::shelf::{Shelf, bare, event, file, fork};

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
    let blob = r#"{"blob":"8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf","text":"[1]"}"#;
    let lines = [
        fork("a", "z", 1, &parent),
        bare("z", "1"),
        bare("z", "2"),
        bare("a", "end"),
        blob.replace("8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf", &{
            history::kinds::Blob::new("[1]").id().to_string()
        }),
    ];
    for (strict, lenient) in Shelf::all().into_iter().zip(Shelf::all()) {
        let first = &lines[1..2];
        strict.take(file(first));
        lenient.take(file(first));
        let said = strict.import_strictly(file(&lines));
        let done = Imported { added: 3, repeated: 1, runs: 2, blobs: 1, ..Imported::default() };
        assert_eq!((said.findings.as_slice(), said.done), (&[][..], done));
        lenient.take(file(&lines));
        strict.name("main", &history::Stream::run("a"), None);
        lenient.name("main", &history::Stream::run("a"), None);
        assert_eq!(strict.export(), lenient.export());
        // An export, strictly, into an empty store and into itself.
        let other = Shelf::memory();
        let said = other.import_strictly(strict.export());
        assert_eq!((said.done.added, said.done.names, said.done.errors), (4, 1, 0));
        assert_eq!(other.export(), strict.export());
        assert_eq!(strict.import_strictly(strict.export()).done.repeated, 4);
    }
}
