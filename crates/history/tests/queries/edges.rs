//! `docs/edges.md` is generated from the table of edges. `UPDATE=1 cargo test` writes it.

use std::fmt::Write;
use std::path::Path;

use history::kinds::Kind;
use history::projection::{By, EDGES, NodeKind};

#[test]
fn the_reference_is_the_table_of_edges() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/edges.md");
    let fresh = reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/edges.md is not what the table says: UPDATE=1 cargo test");
}

fn reference() -> String {
    let mut page = String::from(
        "# Edges\n\n<!-- Generated from the table of edges: UPDATE=1 cargo test -p quipu-history -->\n\n\
         What follows from events is nodes and edges between them.\n\
         Each has the time for which it is true, from `valid_at` or `ts` of the event that says so, \
         and the numbers of the events between which it was believed.\n\
         An event that changes what is believed ends a row and adds another; nothing is overwritten.\n\n",
    );
    for row in EDGES {
        writeln!(page, "## {}\n\n{}\n", row.name, row.doc).unwrap();
        writeln!(page, "- From: {}", nodes(row.from)).unwrap();
        writeln!(page, "- To: {}", nodes(row.to)).unwrap();
        if !row.attrs.is_empty() {
            let attrs: Vec<_> = row.attrs.iter().map(|attr| format!("`{attr}`")).collect();
            writeln!(page, "- Attributes: {}", attrs.join(", ")).unwrap();
        }
        let begun_by = match row.begun_by {
            By::Every => "every event of a run".to_string(),
            By::Kinds(kinds) => events(kinds),
        };
        writeln!(page, "- Begun by: {begun_by}").unwrap();
        let ended_by =
            if row.ended_by.is_empty() { "nothing".to_string() } else { events(row.ended_by) };
        writeln!(page, "- Ended by: {ended_by}\n").unwrap();
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn nodes(kinds: &[NodeKind]) -> String {
    if kinds == NodeKind::ALL {
        return "any node".to_string();
    }
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

fn events(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| format!("`{}`", kind.name())).collect::<Vec<_>>().join(", ")
}
