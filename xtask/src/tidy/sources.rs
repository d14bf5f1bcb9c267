//! What Rust sources may hold: files and lines of a readable size, and no unfinished work.

use super::Finding;
use super::tree::File;

/// The aim is 400, and a reviewer says so; only this many fail.
const LINES_MAX: usize = 800;

/// In characters. The formatter keeps code narrower, but leaves long strings alone.
const WIDTH_MAX: usize = 120;

/// What shows unfinished or hidden work.
const BANNED: &[&str] =
    &["todo!(", "unimplemented!(", "dbg!(", "#[ignore", "FIXME", "XXX", "allow(dead_code"];

/// A file that should have been split.
pub(crate) fn length(file: &File) -> Vec<Finding> {
    let count = file.text.lines().count();
    if !file.is_rust() || count <= LINES_MAX {
        return Vec::new();
    }
    let what = format!("{count} lines are more than {LINES_MAX}: split the file by question");
    vec![Finding::new(&file.path, LINES_MAX + 1, what)]
}

/// Lines that do not fit on a screen.
pub(crate) fn width(file: &File) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let widths = file.lines().map(|(line, text)| (line, text.chars().count()));
    widths
        .filter(|(_, width)| *width > WIDTH_MAX)
        .map(|(line, width)| {
            Finding::new(&file.path, line, format!("{width} characters are more than {WIDTH_MAX}"))
        })
        .collect()
}

/// Words that say that something is unfinished, or that a test does not run.
pub(crate) fn words(file: &File) -> Vec<Finding> {
    // This crate has to name them.
    if !file.is_rust() || file.path.starts_with("xtask/") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for word in BANNED.iter().filter(|word| has_word(text, word)) {
            let what = format!("`{word}` does not belong in this repository");
            findings.push(Finding::new(&file.path, line, what));
        }
    }
    findings
}

/// Whether the word is there, and is not a part of a longer one: `\uXXXX` is fine.
fn has_word(text: &str, word: &str) -> bool {
    let continues = |a: Option<char>, b: Option<char>| {
        let in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        in_word(a) && in_word(b)
    };
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !continues(before.chars().next_back(), word.chars().next())
            && !continues(word.chars().next_back(), after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn a_file_of_801_lines_is_too_long() {
        let long = File::of("crates/a/src/lib.rs", &"//\n".repeat(801));
        assert_eq!(
            shown(&length(&long)),
            ["crates/a/src/lib.rs:801: 801 lines are more than 800: split the file by question"]
        );
        assert!(length(&File::of("a.rs", &"//\n".repeat(800))).is_empty());
        assert!(length(&File::of("a.md", &"//\n".repeat(801))).is_empty());
    }

    #[test]
    fn a_line_of_121_characters_is_too_wide() {
        let text = format!("{}\n{}\n", "é".repeat(120), "é".repeat(121));
        let found = width(&File::of("a.rs", &text));
        assert_eq!(shown(&found), ["a.rs:2: 121 characters are more than 120"]);
        assert!(width(&File::of("a.json", &text)).is_empty());
    }

    #[test]
    fn unfinished_work_is_found() {
        let samples = [
            "todo!()",
            "unimplemented!()",
            "dbg!(x)",
            "#[ignore]",
            "#[ignore = \"slow\"]",
            "// FIXME: later",
            "// XXX",
            "#[allow(dead_code)]",
            "#[allow(dead_code, reason = \"later\")]",
        ];
        for sample in samples {
            let found = words(&File::of("crates/a/src/lib.rs", sample));
            assert_eq!(found.len(), 1, "{sample}");
        }
        let found = words(&File::of("a.rs", "fn f() {\n    todo!(\"later\")\n}\n"));
        assert_eq!(shown(&found), ["a.rs:2: `todo!(` does not belong in this repository"]);
    }

    #[test]
    fn longer_words_and_other_files_are_left_alone() {
        let fine = "// \\uXXXX is an escape\nnot_dbg!(x)\n#[ignored]\n#[expect(dead_code)]\n";
        assert!(words(&File::of("a.rs", fine)).is_empty());
        assert!(words(&File::of("xtask/src/a.rs", "todo!()")).is_empty());
        assert!(words(&File::of("a.md", "todo!()")).is_empty());
    }
}
