//! Under `strict` all is taken, or nothing.

use history::Stream;
use history::kinds::Blob;
use store::{Imported, Importing, import, spool};

use crate::shelf::{Shelf, bare, event, file, fork, noon};

#[test]
fn a_file_with_a_flaw_is_refused_as_a_whole() {
    let odd = bare("s", "1").replace(".000000Z", "+00:00");
    for shelf in Shelf::all() {
        let said = shelf.import_strictly(file(&[bare("r", "1"), odd.clone(), bare("r", "2")]));
        let done = Imported { errors: 1, refused: true, ..Imported::default() };
        assert_eq!((said.codes(), &said.done), (vec!["H108"], &done));
        assert!(said.findings[0].starts_with("2: error["));
        assert_eq!(shelf.export(), "");
    }
}

#[test]
fn nobody_is_told_what_is_kept_where_nothing_is() {
    let blob = Blob::new("[1]").id();
    let missing = bare("r", "1").replacen('{', &format!(r#"{{"a":{{"$blob":"{blob}"}},"#), 1);
    let unknown = fork("f", "p", 7, &event("p", "1"));
    let shelf = Shelf::memory();
    shelf.take(file(&[bare("s", "1"), bare("s", "2")]));
    let lines = [missing.clone(), missing, unknown.clone(), bare("s", "1"), bare("s", "3")];
    let said = shelf.import_strictly(file(&lines));
    assert_eq!(
        said.findings,
        [
            format!(
                "1: error[H209] /a: `a` stands behind {blob}, which is not there; \
                 import a file that has this `blob`"
            ),
            "2: error[H207] column 1: this event of `r` stands in the file before; \
             two events of one run differ in something, such as their time"
                .into(),
            "5: error[H211] column 1: `s` goes on in another way in the store; if the file is \
             another history of it, import it into another store, or give it another `run_id`"
                .into(),
            "3: error[H205] /from: `f` goes on from `p@7`, which is not there; \
             to keep it as a fork, import that run first"
                .into(),
        ]
    );
    let negative = unknown.replace(r#""seq":7"#, r#""seq":-7"#);
    let said = shelf.import_strictly(file(&[negative]));
    assert!(said.findings[0].contains("goes on from; `from` has the `run_id`"), "{said:?}");
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
