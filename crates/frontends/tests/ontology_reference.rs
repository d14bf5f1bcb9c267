//! The tables of `docs/ontology.md` are generated from the field tables, the list of what logic
//! may import, and the documentation of conditions. `UPDATE=1 cargo test` writes them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use frontends::ontology::fields::{self, EdgeDef, Field, Holds, NodeDef, Wanted};

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end of generated -->\n";

#[test]
fn the_reference_is_what_the_tables_say() {
    let path = root().join("docs/ontology.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let fresh = regenerated(&page);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    assert!(page == fresh, "docs/ontology.md is not what the tables say: UPDATE=1 cargo test");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The page with every generated section as it should be.
fn regenerated(page: &str) -> String {
    let mut fresh = String::new();
    let mut sections = page.split(BEGIN);
    fresh.push_str(sections.next().unwrap());
    let mut made = Vec::new();
    for section in sections {
        let (name, rest) = section.split_once(" -->\n").unwrap();
        let (_, rest) = rest.split_once(END).unwrap();
        let content = content(name);
        write!(fresh, "{BEGIN}{name} -->\n\n{}\n\n{END}{rest}", content.trim_end()).unwrap();
        made.push(name);
    }
    assert_eq!(
        made,
        ["conditions", "modules", "spec", "entities", "processes", "edges", "schemas"]
    );
    fresh
}

fn content(name: &str) -> String {
    let mut page = String::new();
    match name {
        "conditions" => page = conditions(),
        "modules" => page = modules(),
        // What the lists of a spec hold is in tables of their own.
        "spec" => {
            table(&mut page, fields::TOP);
            page = page.replace("| anything |", "| a list, see below |");
        }
        "entities" => nodes(&mut page, true),
        "processes" => nodes(&mut page, false),
        "edges" => {
            page.push_str("Every edge has these:\n\n");
            table(&mut page, fields::COMMON_EDGE);
            fields::EDGES.iter().for_each(|def| edge(&mut page, def));
        }
        "schemas" => table(&mut page, fields::SCHEMA_FIELDS),
        other => panic!("nobody knows how to make the section {other}"),
    }
    page
}

/// What conditions are made of, in the words of the crate that reads them.
fn conditions() -> String {
    let source = root().join("crates/graph/src/expr/mod.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let doc = source.lines().map_while(|line| line.strip_prefix("//!"));
    let doc = doc.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let lines: Vec<&str> = doc.skip_while(|line| !line.starts_with("| ")).collect();
    assert!(lines.len() > 30, "the documentation of conditions has its tables");
    lines.join("\n")
}

fn modules() -> String {
    let all: Vec<&str> = logic::importable_modules().collect();
    let implied = logic::IMPLIED_MODULES.into_iter().filter(|name| all.contains(name));
    let implied: Vec<&str> = implied.collect();
    format!(
        "These can be imported, each with the part of it that the interpreter has: {}.\n\
         Of these, {} need no import.",
        words(&all),
        words(&implied)
    )
}

fn words(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn nodes(page: &mut String, entities: bool) {
    let what = if entities { "entity" } else { "process" };
    writeln!(page, "Every {what} has these:\n").unwrap();
    table(page, fields::COMMON);
    for def in fields::nodes().filter(|def| def.is.is_entity() == entities) {
        node(page, def);
    }
}

fn node(page: &mut String, def: &NodeDef) {
    writeln!(page, "\n### {}{}\n", def.word, since(def.later)).unwrap();
    let label = if def.is.is_passed() { "a label and " } else { "" };
    let kind = def.becomes.word();
    writeln!(page, "{}.\nBecomes {label}`declarations.{kind}`.", capital(def.doc)).unwrap();
    own_fields(page, def.fields);
}

fn edge(page: &mut String, def: &EdgeDef) {
    writeln!(page, "\n### {}{}\n", def.word, since(def.later)).unwrap();
    let (from, to) = (def.from.what, def.to.what);
    writeln!(page, "From {from} to {to}.\n{}.", capital(def.doc)).unwrap();
    own_fields(page, def.fields);
}

fn own_fields(page: &mut String, fields: &[Field]) {
    if !fields.is_empty() {
        page.push('\n');
        table(page, fields);
    }
}

fn since(later: bool) -> &'static str {
    if later { " (0.2)" } else { "" }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

fn table(page: &mut String, fields: &[Field]) {
    page.push_str("| field | holds | what it does |\n|---|---|---|\n");
    rows(page, fields, "");
}

fn rows(page: &mut String, fields: &[Field], within: &str) {
    for field in fields {
        let name = format!("{within}{}", field.name);
        let need = if field.required { ", needed" } else { "" };
        let later = since(field.later);
        writeln!(page, "| `{name}`{later}{need} | {} | {} |", holds(&field.holds), field.doc)
            .unwrap();
        match &field.holds {
            Holds::Record(inner) => rows(page, inner, &format!("{name}.")),
            Holds::Records(inner, _) => rows(page, inner, &format!("{name}[].")),
            _ => {}
        }
    }
}

fn holds(holds: &Holds) -> String {
    match holds {
        Holds::Text => "text".to_string(),
        Holds::Logic => "[Python](#logic)".to_string(),
        Holds::Bool => "true or false".to_string(),
        Holds::Whole(i64::MIN) => "a whole number".to_string(),
        Holds::Whole(least) => format!("a whole number, at least {least}"),
        Holds::WholeOr(word) => format!("a whole number or `{word}`"),
        Holds::Number(f64::MIN, f64::MAX) => "a number".to_string(),
        Holds::Number(least, most) => format!("a number from {least} to {most}"),
        Holds::Duration => "[a duration](#types)".to_string(),
        Holds::Word(now, later) => {
            let later =
                if later.is_empty() { String::new() } else { format!("; 0.2: {}", words(later)) };
            format!("{}{later}", words(now))
        }
        Holds::Texts => "a list of texts".to_string(),
        Holds::Object => "an object".to_string(),
        Holds::Any => "anything".to_string(),
        Holds::Record(_) => "an object with:".to_string(),
        Holds::Records(_, 0 | 1) => "a list of objects with:".to_string(),
        Holds::Records(_, least) => format!("a list of at least {least} objects with:"),
        Holds::Schema(_) => "the name of a schema".to_string(),
        Holds::Node(Wanted { what, .. }) => format!("the id of {what}"),
        Holds::Nodes(Wanted { what, .. }) => format!("a list of ids, each of {what}"),
        Holds::Template => "the id of an agent, a path, or `self`".to_string(),
        Holds::File => "a path".to_string(),
        Holds::Termination => "text, or [a termination](#types)".to_string(),
        Holds::FieldType => "[a type](#types)".to_string(),
    }
}
