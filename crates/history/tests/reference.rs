//! `docs/events.md` is generated from the table of kinds. `UPDATE=1 cargo test` writes it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;
use std::path::Path;

use history::kinds::records::{PARTS, RECORDS};
use history::kinds::words::ENUMERATIONS;
use history::kinds::{Class, Common, Enumeration, Member, ROWS, Record, Shape};

#[test]
fn the_reference_is_the_table_of_kinds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.md");
    let fresh = reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/events.md is not what the table says: UPDATE=1 cargo test");
}

fn reference() -> String {
    let mut page = String::from(
        "# Events\n\n<!-- Generated from the table of kinds: UPDATE=1 cargo test -p quipu-history -->\n\n\
         Everything that happens to an agent is an event: a JSON object with a `kind`, which is never changed.\n\
         How events are hashed and ordered is in [history.md](history.md).\n\n\
         What is not known is left out and never `null`; only a member that holds *any value* may be `null`.\n\
         Times are written in UTC with `Z`, to any precision: `2026-03-01T09:00:00.000000Z` is how Quipu writes one.\n\
         Kinds and members of your own are named `x.VENDOR.NAME`: they are kept, hashed and shown like all others.\n\n\
         ## Members of every event\n\n\
         | member | holds | says |\n|---|---|---|\n\
         | `event_id` | the id of an event | Which event it is: its hash. |\n\
         | `kind` | text | Which kind of event it is. |\n",
    );
    for (member, doc) in Common::MEMBERS.iter().zip(Common::DOCS) {
        let need = if member.required { "" } else { ", optional" };
        writeln!(page, "| `{}` | {}{need} | {doc} |", member.name, holds(member.shape)).unwrap();
    }
    page.push_str(
        "\nEach kind says which of the optional ones it needs.\n\
         An event with a `run_id` stands in that run, else in the stream of its agent, else in the store's own.\n\n\
         ## Kinds\n\n\
         Each kind is for one of five things.\n\n\
         | class | means |\n|---|---|\n",
    );
    for (class, means) in [
        (Class::Intent, "something is meant to happen"),
        (Class::Observation, "something was seen to have happened"),
        (Class::Transition, "what holds from now on is something else"),
        (Class::Provenance, "where something comes from"),
        (Class::Cache, "it can be had again, and counts for nothing"),
    ] {
        writeln!(page, "| {class:?} | {means} |").unwrap();
    }
    for row in ROWS {
        let needs: Vec<_> = row.needs.iter().map(|name| format!("`{name}`")).collect();
        writeln!(page, "\n### {}\n\n{}\n", row.name, row.doc).unwrap();
        writeln!(page, "- {:?}, needs {}", row.class, or_none(&needs, "nothing else")).unwrap();
        writeln!(page, "- Members: {}", or_none(&members(row.members), "none")).unwrap();
    }
    page.push_str("\n## Enumerations\n\n| name | says | words |\n|---|---|---|\n");
    for enumeration in ENUMERATIONS {
        let words: Vec<_> = enumeration.words.iter().map(|word| format!("`{word}`")).collect();
        let (name, doc) = (enumeration.name, enumeration.doc);
        writeln!(page, "| {} | {doc} | {} |", target(name), words.join(" ")).unwrap();
    }
    page.push_str(
        "\n## Records\n\nObjects that stand in members.\n\n| name | says | members |\n|---|---|---|\n",
    );
    for record in RECORDS {
        line(&mut page, record, &target(record.name));
    }
    page.push_str(
        "\n## References\n\n\
         A reference says what it refers to by its members.\n\n\
         | reference | to |\n|---|---|\n\
         | `\"...\"` or `{\"node\": \"...\"}` | a message, a resource or another node, by its id |\n\
         | `{\"event_id\": \"...\"}` | an event, by the 64 hexadecimal digits of its id |\n\
         | `{\"uri\": \"...\"}` | a resource that has a URI |\n\
         | `{\"path\": \"...\"}` | a file in a volume or a repository |\n\
         | `{\"kind\": \"...\", \"id\": \"...\"}` | something in another system |\n\n\
         ## Parts of a message\n\n\
         The `type` of a part says which other members it has.\n\n\
         | `type` | says | members |\n|---|---|---|\n",
    );
    for record in PARTS {
        line(&mut page, record, &format!("`{}`", record.name));
    }
    page
}

fn line(page: &mut String, record: &Record, name: &str) {
    writeln!(page, "| {name} | {} | {} |", record.doc, members(record.members).join(", ")).unwrap();
}

fn members(members: &[Member]) -> Vec<String> {
    let shown = members.iter().map(|member| {
        let need = if member.required { "" } else { ", optional" };
        format!("`{}` ({}{need})", member.name, holds(member.shape))
    });
    shown.collect()
}

fn or_none(items: &[String], none: &str) -> String {
    if items.is_empty() { none.to_string() } else { items.join(", ") }
}

fn holds(shape: Shape) -> String {
    match shape {
        Shape::Words(Enumeration { name, .. }) | Shape::Record(Record { name, .. }) => {
            format!("[{name}](#{})", name.to_lowercase())
        }
        Shape::List(Shape::OneOf(_)) => "a list of [parts](#parts-of-a-message)".into(),
        Shape::List(of) => format!("a list, each {}", holds(*of)),
        Shape::Ref => "[a reference](#references)".into(),
        other => other.to_string(),
    }
}

/// A name that others link to.
fn target(name: &str) -> String {
    format!("<a id=\"{}\"></a>{name}", name.to_lowercase())
}
