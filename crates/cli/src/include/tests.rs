//! Real files in a real folder; a line `include PATH` stands for whatever a front-end reads.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A folder for one test, removed afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-include-{}-{number}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        for (file, text) in files {
            folder.write(file, text);
        }
        folder
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    /// One line for each include, by its place: where it stands, and what became of it.
    fn told(&self, source: &mut Source) -> Vec<String> {
        let files = include(source, &Disk::default(), &self.0, lines);
        let place = |span: Span| {
            format!(
                "{}:{}",
                self.short(source.file_at(span.start)),
                source.position(span.start).line
            )
        };
        let became = |became: Result<Span, &Missing>| match became {
            Ok(part) => format!("{} {:?}", place(part), &source.text[part.range()]),
            Err(missing) => self.short(&format!("{missing:?}")),
        };
        files.iter().map(|(at, result)| format!("{} -> {}", place(at), became(result))).collect()
    }

    fn read(&self, file: &str) -> Source {
        let path = self.0.join(file);
        Source::new(path.to_str().unwrap(), fs::read_to_string(&path).unwrap())
    }

    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn lines(source: &Source, part: Span) -> Vec<Include> {
    let mut at = part.range().start;
    let mut found = Vec::new();
    for line in source.text[part.range()].split_inclusive('\n') {
        if let Some(path) = line.trim_end().strip_prefix("include ") {
            found
                .push(Include { at: Span::new(at, at + line.trim_end().len()), path: path.into() });
        }
        at += line.len();
    }
    found
}

#[test]
fn files_are_looked_for_beside_the_file_then_here_then_in_modules() {
    let folder = Folder::new(&[
        ("app/main", "include near\r\ninclude both\ninclude here\ninclude far\ninclude ../up\n"),
        ("app/near", "include both\n"),
        ("app/both", "beside"),
        ("both", "not this one"),
        ("here", "\u{feff}h"),
        ("modules/here", "not this one"),
        ("modules/far", "f"),
        ("up", ""),
    ]);
    let told = folder.told(&mut folder.read("app/main"));
    assert_eq!(
        told,
        [
            "app/main:1 -> app/near:1 \"include both\\n\"",
            "app/main:2 -> app/both:1 \"beside\"",
            "app/main:3 -> here:1 \"h\"",
            "app/main:4 -> modules/far:1 \"f\"",
            "app/main:5 -> app/../up:1 \"\"",
            "app/near:1 -> app/both:1 \"beside\"",
        ]
    );
}

#[test]
fn standard_input_includes_from_this_folder() {
    let folder = Folder::new(&[("a", "x"), ("modules/b", "y")]);
    let absolute = format!("include {}", folder.0.join("a").display());
    let text = format!("include a\ninclude b\ninclude c\n{absolute}\n");
    let told = folder.told(&mut Source::new("-", text));
    assert_eq!(
        told,
        [
            "-:1 -> a:1 \"x\"",
            "-:2 -> modules/b:1 \"y\"",
            "-:3 -> NotFound { looked: [\"c\", \"modules/c\"] }",
            "-:4 -> a:1 \"x\"",
        ]
    );
}

#[test]
fn a_cycle_is_seen_under_every_name() {
    let folder = Folder::new(&[
        ("a", "include lib/b\n"),
        ("lib/b", "include ../link\ninclude b\ninclude c\n"),
        ("lib/c", "no cycle"),
    ]);
    std::os::unix::fs::symlink(folder.0.join("a"), folder.0.join("link")).unwrap();
    assert_eq!(
        folder.told(&mut folder.read("a")),
        [
            "a:1 -> lib/b:1 \"include ../link\\ninclude b\\ninclude c\\n\"",
            "lib/b:1 -> Cycle { chain: [\"a\", \"lib/b\", \"a\"] }",
            "lib/b:2 -> Cycle { chain: [\"lib/b\", \"lib/b\"] }",
            "lib/b:3 -> lib/c:1 \"no cycle\"",
        ]
    );
}

#[test]
fn what_cannot_be_included_says_why() {
    let folder = Folder::new(&[
        ("a", "include sub\ninclude bad\ninclude https://x.example/a\ninclude pipe\n"),
        ("sub/x", ""),
    ]);
    folder.write("bad", b"one\ntwo \xff");
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.0.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let told = folder.told(&mut folder.read("a"));
    assert_eq!(
        told,
        [
            "a:1 -> Unreadable { file: \"sub\", why: \"it is a folder\" }",
            "a:2 -> NotUtf8 { file: \"bad\", line: 2 }",
            "a:3 -> Address",
            "a:4 -> Unreadable { file: \"pipe\", why: \"it is no regular file\" }",
        ]
    );
}

#[test]
fn there_are_bounds_and_the_last_file_within_them_is_read() {
    // Each includes the next; the last has nothing more to include.
    let folder = Folder::new(&[]);
    for number in 0..=DEPTH_MAX + 1 {
        folder.write(&format!("{number}"), format!("include {}\n", number + 1));
    }
    let told = folder.told(&mut folder.read("0"));
    assert_eq!(told.len(), DEPTH_MAX + 1);
    assert_eq!(told[DEPTH_MAX], format!("{DEPTH_MAX}:1 -> TooDeep({DEPTH_MAX})"));

    // Two of each are more than anybody would wait for.
    let folder = Folder::new(&[]);
    for number in 0..40 {
        folder.write(&format!("{number}"), format!("include {0}\ninclude {0}\n", number + 1));
    }
    let mut source = folder.read("0");
    let told = folder.told(&mut source);
    assert_eq!(source.parts().count(), FILES_MAX + 1);
    assert!(told.iter().any(|line| line.ends_with(&format!("TooMany({FILES_MAX})"))));

    let folder = Folder::new(&[("a", "include big\ninclude big\ninclude small\n"), ("small", "x")]);
    folder.write("big", "x".repeat(BYTES_MAX - 1));
    let files = include(&mut folder.read("a"), &Disk::default(), &folder.0, lines);
    let became: Vec<_> = files.iter().map(|(_, became)| became.err().cloned()).collect();
    assert_eq!(became, [None, Some(Missing::TooLarge(BYTES_MAX)), None]);
}
