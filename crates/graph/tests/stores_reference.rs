//! A part of `docs/stores.md` is generated from the table of protocols. `UPDATE=1 cargo test`
//! writes it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;
use std::path::Path;

use graph::protocols::{PROTOCOLS, ProtocolDef};

const BEGIN: &str = "<!-- protocols -->\n";
const END: &str = "<!-- /protocols -->\n";

#[test]
fn the_reference_is_the_table_of_protocols() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stores.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = written.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let fresh = format!("{before}{BEGIN}{}{END}{after}", reference());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/stores.md is not what the table says: UPDATE=1 cargo test");
}

fn reference() -> String {
    let mut page = String::new();
    for def in PROTOCOLS {
        section(&mut page, def);
    }
    page
}

fn section(page: &mut String, def: &ProtocolDef) {
    writeln!(page, "\n### {}\n\nProvider `{}`: {}.\n", def.word, def.provider, def.doc).unwrap();
    for (title, rows) in [("written", def.writes), ("asked", def.reads)] {
        writeln!(page, "| {title} | |\n|---|---|").unwrap();
        for (form, does) in rows {
            let form = match *form {
                "nothing" => "nothing".to_owned(),
                form => format!("`{form}`"),
            };
            writeln!(page, "| {form} | {does} |").unwrap();
        }
        page.push('\n');
    }
    writeln!(page, "Its `config_schema`:\n\n```json\n{}\n```\n", def.config_schema).unwrap();
}
