//! The list of steps in `docs/ainl.md` is generated from the op table. `UPDATE=1 cargo test`
//! writes it.

use std::path::Path;

use graph::ops::OPS;

const MARK: &str = "<!-- Generated from the op table: UPDATE=1 cargo test -p quipu-frontends -->\n";

#[test]
fn the_steps_are_those_of_the_op_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ainl.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (before, _) = written.split_once(MARK).expect("the page has the mark");
    let mut fresh = format!("{before}{MARK}\n| line | what it does |\n|---|---|\n");
    for op in OPS.iter().filter(|op| op.standard) {
        let line = frontends::ainl::usage(op).replace('|', "\\|");
        fresh.push_str(&format!("| `{line}` | {} |\n", op.doc));
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/ainl.md is not what the op table says: UPDATE=1 cargo test");
}
