//! Reads just enough of `Cargo.toml` for the checks: tables, keys, and values as text.
//!
//! Strings over several lines are not understood; no manifest here has one.

/// The names of the tables that hold dependencies.
const DEPENDENCY_TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// A value and where it is.
#[derive(Debug, PartialEq)]
pub(crate) struct Entry {
    /// From 1.
    pub(crate) line: usize,
    /// The table and the key: `version.workspace` in `[package]` has three parts.
    pub(crate) path: Vec<String>,
    /// As it is written, without comments.
    pub(crate) value: String,
}

/// A crate that another one uses.
#[derive(Debug, PartialEq)]
pub(crate) struct Dependency {
    /// From 1.
    pub(crate) line: usize,
    /// Which table it is in.
    pub(crate) table: String,
    /// The name it is used by.
    pub(crate) name: String,
    /// Whether the workspace says which version it is.
    pub(crate) inherits: bool,
}

/// Every value, in order.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut table = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let line = without_comment(line);
        if line.starts_with('[') {
            table = parts(line.trim_matches(['[', ']']), '.');
            continue;
        }
        let Some(equals) = outside_strings(line).find(|(_, c)| *c == '=') else { continue };
        let mut path = table.clone();
        path.extend(parts(&line[..equals.0], '.'));
        let mut value = line[equals.0 + 1..].trim().to_owned();
        while open_brackets(&value) > 0
            && let Some((_, line)) = lines.next()
        {
            value.push_str(without_comment(line));
        }
        entries.push(Entry { line: index + 1, path, value });
    }
    entries
}

/// Every dependency, whatever table and spelling it has, in order.
pub(crate) fn dependencies(text: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    for entry in entries(text) {
        let is_table = |part: &String| DEPENDENCY_TABLES.contains(&part.as_str());
        // Only at the start, or behind `target.'cfg(..)'`: other tables may use these words too.
        let at = match entry.path.first() {
            Some(first) if first == "target" => 2,
            _ => 0,
        };
        let [table, name, rest @ ..] = entry.path.get(at..).unwrap_or_default() else { continue };
        if !is_table(table) {
            continue;
        }
        let inherits = match rest {
            [] => inline_table_inherits(&entry.value),
            [key] => key == "workspace" && entry.value == "true",
            _ => false,
        };
        match found.iter_mut().find(|known| known.table == *table && known.name == *name) {
            Some(known) => known.inherits |= inherits,
            None => found.push(Dependency {
                line: entry.line,
                table: table.clone(),
                name: name.clone(),
                inherits,
            }),
        }
    }
    found
}

fn inline_table_inherits(value: &str) -> bool {
    let Some(inside) = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')) else {
        return false;
    };
    inside
        .split(',')
        .filter_map(|item| item.split_once('='))
        .any(|(key, value)| key.trim() == "workspace" && value.trim() == "true")
}

fn without_comment(line: &str) -> &str {
    let end = outside_strings(line).find(|(_, c)| *c == '#').map_or(line.len(), |(at, _)| at);
    line[..end].trim()
}

fn open_brackets(value: &str) -> isize {
    let steps = outside_strings(value).map(|(_, c)| match c {
        '[' | '{' => 1,
        ']' | '}' => -1,
        _ => 0,
    });
    steps.sum()
}

/// Splits at a character that is not in a string, and takes the quotes off each part.
fn parts(text: &str, at: char) -> Vec<String> {
    let mut cuts: Vec<usize> =
        outside_strings(text).filter(|(_, c)| *c == at).map(|(index, _)| index).collect();
    cuts.push(text.len());
    let mut start = 0;
    let mut parts = Vec::new();
    for cut in cuts {
        parts.push(text[start..cut].trim().trim_matches(['"', '\'']).to_owned());
        start = cut + at.len_utf8();
    }
    parts
}

/// The characters with their places, leaving out what is between quotes.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut escaped = false;
    text.char_indices().filter(move |(_, c)| {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if *c == '\\' => escaped = true,
            Some(open) if *c == open => quote = None,
            None if *c == '"' || *c == '\'' => quote = Some(*c),
            None => return true,
            Some(_) => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, String, String)> {
        let entry = |entry: Entry| (entry.line, entry.path.join(" "), entry.value);
        entries(text).into_iter().map(entry).collect()
    }

    #[test]
    fn values_are_read_with_their_tables() {
        let text = "a = 1 # one\n[b.c]\n\"d.e\".f = \"x # = ['\"\n# g = 2\n\n[[h]]\ni = true\n";
        assert_eq!(
            read(text),
            [
                (1, "a".to_owned(), "1".to_owned()),
                (3, "b c d.e f".to_owned(), "\"x # = ['\"".to_owned()),
                (7, "h i".to_owned(), "true".to_owned()),
            ]
        );
    }

    #[test]
    fn a_value_may_take_several_lines() {
        let text = "a = [\n  \"]\", # not yet\n  2,\n]\nb = 1\n";
        assert_eq!(
            read(text),
            [(1, "a".to_owned(), "[\"]\",2,]".to_owned()), (5, "b".to_owned(), "1".to_owned()),]
        );
    }

    #[test]
    fn every_spelling_of_a_dependency_is_read() {
        let text = "\
[package]
version.workspace = true
[dependencies]
a.workspace = true
b = { workspace = true, features = [\"x\"] }
c = \"1\"
d = { version = \"1\" }
[dev-dependencies]
a = { path = \"../a\" }
[target.'cfg(unix)'.dependencies]
e.workspace = true
[build-dependencies.f]
features = [\"x\"]
workspace = true
[package.metadata.dependencies]
g = \"1\"
";
        let shown: Vec<String> = dependencies(text)
            .into_iter()
            .map(|d| format!("{} {} {} {}", d.line, d.table, d.name, d.inherits))
            .collect();
        assert_eq!(
            shown,
            [
                "4 dependencies a true",
                "5 dependencies b true",
                "6 dependencies c false",
                "7 dependencies d false",
                "9 dev-dependencies a false",
                "11 dependencies e true",
                "13 build-dependencies f true",
            ]
        );
    }
}
