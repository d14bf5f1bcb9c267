//! Findings of no check, in real files: fixes that meet, and files that are there twice.

use diagnostics::codes;

use super::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("quipu-fix-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Folder(folder)
    }

    fn name(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A finding that wants other words at some places of a text.
fn finding(edits: &[(Range<usize>, &str)]) -> Diagnostic {
    let edits = edits.iter().map(|(range, text)| Edit {
        at: Anchor::Span(Span::new(range.start, range.end)),
        text: text.to_string(),
    });
    let edits: Vec<Edit> = edits.collect();
    let mut found = Diagnostic::new(&codes::UNKNOWN_OP, edits[0].at.clone(), "x");
    found.fix = Some(Box::new(Fix { title: "mend it".into(), edits, safe: true }));
    found
}

fn after(round: &Round) -> Vec<String> {
    round.texts.values().map(Edited::after).collect()
}

#[test]
fn of_fixes_that_overlap_the_first_is_applied_whole() {
    let folder = Folder::new("overlap", &[("a", "one two three\r\n")]);
    let source = Source::new(folder.name("a"), "one two three\r\n");
    let mut round = Round::default();
    round.take(&source, &finding(&[(0..3, "1"), (8..13, "3\n")]));
    // Each of these meets one of the edits, so that the other one is not made either.
    round.take(&source, &finding(&[(4..7, "2"), (12..13, "E")]));
    round.take(&source, &finding(&[(0..0, "zero ")]));
    round.take(&source, &finding(&[(0..13, "")]));
    round.take(&source, &finding(&[(4..5, "T"), (4..7, "2")]));
    // These touch them, and no more.
    round.take(&source, &finding(&[(3..3, ","), (7..8, "; ")]));
    assert_eq!(after(&round), ["1, two; 3\r\n\r\n"]);
    assert_eq!(round.fixed.len(), 2);
}

#[test]
fn what_a_person_must_agree_to_and_what_has_no_place_is_left_alone() {
    let folder = Folder::new("unsure", &[("a", "one")]);
    let source = Source::new(folder.name("a"), "one");
    let mut round = Round::default();
    round.take(&source, &finding(&[(0..3, "1")]).unsure());
    let mut nowhere = finding(&[(0..0, "1")]);
    let root = value::Pointer::root();
    nowhere.fix.as_mut().unwrap().edits[0].at = Anchor::Located(Span::default(), root);
    round.take(&source, &nowhere);
    round.take(&source, &finding(&[(2..9, "1")]));
    assert!(round.texts.is_empty() && round.fixed.is_empty());
}

#[test]
fn a_file_that_is_included_twice_is_fixed_once() {
    let folder = Folder::new("twice", &[("a", "parent"), ("b", "child x")]);
    let mut source = Source::new(folder.name("a"), "parent");
    let first = source.add(folder.name("b"), "child x").range().start;
    let second = source.add(folder.name("./b"), "child x").range().start;
    let mut round = Round::default();
    for part in [first, second] {
        round.take(&source, &finding(&[(part + 6..part + 7, "y")]));
    }
    round.take(&source, &finding(&[(0..1, "P"), (first..first + 1, "C")]));
    assert_eq!(after(&round), ["Parent", "Child y"]);
    let names: Vec<_> = round.fixed.iter().map(|fixed| fixed.file.to_string()).collect();
    assert_eq!(names, [folder.name("b"), folder.name("a")]);
    assert!(round.touches(&source));
    let mut disk = Disk::default();
    round.apply(&mut disk);
    disk.write().unwrap();
    assert_eq!(std::fs::read_to_string(folder.0.join("b")).unwrap(), "Child y");
    // What is there now is not what was fixed.
    let error = disk.write().unwrap_err();
    assert!(format!("{error:#}").ends_with("somebody else changed it meanwhile"), "{error:#}");
}
