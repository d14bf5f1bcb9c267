//! Which format a text is in, by its content.

use diagnostics::Source;
use value::json;

use crate::ainl;

/// A format that authors write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Agent Graph v1, as JSON.
    Graph,
    /// AINL source.
    Ainl,
    /// Agent Ontology, as YAML.
    Ontology,
    /// Stargraph IR.
    Stargraph,
    /// Rules, as CLIPS writes them. They are no agent.
    Rules,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] =
        [Format::Graph, Format::Ainl, Format::Ontology, Format::Stargraph, Format::Rules];

    /// The word for `--from` and in JSON output.
    pub fn word(self) -> &'static str {
        match self {
            Format::Graph => "graph",
            Format::Ainl => "ainl",
            Format::Ontology => "ontology",
            Format::Stargraph => "stargraph",
            Format::Rules => "rules",
        }
    }

    /// In words, with an article.
    pub fn description(self) -> &'static str {
        match self {
            Format::Graph => "an Agent Graph v1 document",
            Format::Ainl => "AINL source",
            Format::Ontology => "an Agent Ontology spec",
            Format::Stargraph => "a Stargraph document",
            Format::Rules => "a file of rules",
        }
    }
}

/// The format of a text, by its content. Where that tells nothing, the name of the file does.
pub fn detect(source: &Source) -> Format {
    let is_yaml = [".yaml", ".yml"].iter().any(|ending| source.file.ends_with(ending));
    match by_content(&source.text) {
        // No key that only specs have, but certainly no JSON.
        Some(Format::Ainl) | None if is_yaml => Format::Ontology,
        Some(Format::Ainl) | None if source.file.ends_with(".clp") => Format::Rules,
        None if source.file.ends_with(".ainl") => Format::Ainl,
        found => found.unwrap_or(Format::Graph),
    }
}

/// JSON with `nodes` and no `labels` is Stargraph's.
fn by_content(text: &str) -> Option<Format> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with(['{', '[']) {
        let has = |name: &str| json::first_member(start, &[name]).is_some();
        return if has("labels") {
            Some(Format::Graph)
        } else if has("nodes") {
            Some(Format::Stargraph)
        } else if has("entities") || has("processes") {
            // JSON is YAML too.
            Some(Format::Ontology)
        } else {
            None
        };
    }
    if is_rules(start) {
        return Some(Format::Rules);
    }
    let has = |key: &str| {
        start.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
    };
    let is_spec = ["entities", "processes", "entry_point"].into_iter().any(has);
    if has("ir_version") && has("nodes") {
        Some(Format::Stargraph)
    } else if is_spec || (has("name") && has("version")) {
        Some(Format::Ontology)
    } else if ainl::is_program(start) {
        Some(Format::Ainl)
    } else {
        None
    }
}

/// Whether the first thing that is no comment begins a construct: `(defrule`.
fn is_rules(text: &str) -> bool {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(';');
    let first = text.lines().map(str::trim_start).find(|line| !is_comment(line));
    let inside = first.and_then(|line| line.strip_prefix('(')).map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with("def"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides() {
        for (text, format) in [
            ("{\"labels\": {}}", Format::Graph),
            ("{\"ir_version\": \"1.0.0\", \"id\": \"x\", \"nodes\": []}", Format::Stargraph),
            ("{\"ir_version\": \"1.0.0\", \"labels\": {\"nodes\": {}}}", Format::Graph),
            ("{\"broken", Format::Graph),
            ("", Format::Graph),
            ("# c\nname: x\nentities:\n  - a\nprocesses:\n", Format::Ontology),
            ("L1:\n  J x\n", Format::Ainl),
            ("S core web /api\n", Format::Ainl),
            ("# c\r\ninclude a.ainl as a\r\n", Format::Ainl),
            ("foo.Bar\nL_start: J x\n", Format::Ainl),
            ("g:\n  out 1\n", Format::Ainl),
            ("hello: world\n", Format::Graph),
            ("; c\n\n( defrule a => )", Format::Rules),
            ("(hello)", Format::Graph),
            ("mon @cron \"* * * * *\":\n  out 1\n", Format::Ainl),
        ] {
            assert_eq!(detect(&Source::new("-", text)), format, "{text}");
        }
        for text in ["", "# later", "hello: world", "\tname: x"] {
            assert_eq!(detect(&Source::new("a.yaml", text)), Format::Ontology, "{text}");
        }
        assert_eq!(detect(&Source::new("a.yaml", "{\"labels\": {}}")), Format::Graph);
        assert_eq!(detect(&Source::new("a.ainl", "1:\n")), Format::Ainl);
        assert_eq!(detect(&Source::new("a.clp", "; later")), Format::Rules);
        assert_eq!(detect(&Source::new("a.ainl", "{\"labels\": {}}")), Format::Graph);
    }
}
