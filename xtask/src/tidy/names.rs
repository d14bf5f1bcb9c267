//! Names of Rust files and their folders: each says what is inside, and only once.

use super::Finding;
use super::tree::File;

/// They say nothing, so that everything ends up there.
const BANNED: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "types"];

/// They tell how the code came about. The history knows that.
const BANNED_SUFFIXES: &[&str] = &["_old", "_v2", "_new", "_final"];

/// Files, folders below `src`, and crates that name no concept.
pub(crate) fn check(file: &File) -> Vec<Finding> {
    let Some(stem) = file.name().strip_suffix(".rs") else { return Vec::new() };
    let folders: Vec<&str> = file.path.split('/').collect();
    let folders = &folders[..folders.len() - 1];
    let below_src = folders.iter().skip_while(|folder| **folder != "src").skip(1);
    let of_crate = folders.iter().skip_while(|folder| **folder != "crates").skip(1).take(1);
    of_crate
        .chain(below_src)
        .copied()
        .chain([stem])
        .filter_map(objection)
        .map(|what| Finding::new(&file.path, 1, what))
        .collect()
}

fn objection(name: &str) -> Option<String> {
    if BANNED.contains(&name) {
        return Some(format!("`{name}` names no concept"));
    }
    let suffix = BANNED_SUFFIXES.iter().find(|suffix| name.ends_with(**suffix))?;
    Some(format!("`{name}` ends with `{suffix}`: keep one of the two"))
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    fn checked(path: &str) -> Vec<String> {
        shown(&check(&File::of(path, "")))
    }

    #[test]
    fn names_without_a_concept_are_found() {
        assert_eq!(
            checked("crates/a/src/common/types.rs"),
            [
                "crates/a/src/common/types.rs:1: `common` names no concept",
                "crates/a/src/common/types.rs:1: `types` names no concept",
            ]
        );
        for name in BANNED {
            assert_eq!(checked(&format!("crates/a/tests/{name}.rs")).len(), 1, "{name}");
            assert_eq!(checked(&format!("crates/{name}/src/lib.rs")).len(), 1, "{name}");
        }
    }

    #[test]
    fn names_that_tell_the_past_are_found() {
        assert_eq!(
            checked("crates/a/src/parse_v2.rs"),
            ["crates/a/src/parse_v2.rs:1: `parse_v2` ends with `_v2`: keep one of the two"]
        );
        for suffix in BANNED_SUFFIXES {
            assert_eq!(checked(&format!("src/parse{suffix}/mod.rs")).len(), 1, "{suffix}");
        }
    }

    #[test]
    fn other_names_are_fine() {
        assert_eq!(checked("crates/graph/src/ops/table.rs"), [""; 0]);
        assert_eq!(checked("crates/graph/src/prototypes.rs"), [""; 0]);
        assert_eq!(checked("examples/common/agent.json"), [""; 0]);
    }
}
