//! Which format a text is in, by its content.

use value::json;

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
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Graph, Format::Ainl, Format::Ontology, Format::Stargraph];

    /// The word for `--from` and in JSON output.
    pub fn word(self) -> &'static str {
        match self {
            Format::Graph => "graph",
            Format::Ainl => "ainl",
            Format::Ontology => "ontology",
            Format::Stargraph => "stargraph",
        }
    }

    /// In words, with an article.
    pub fn description(self) -> &'static str {
        match self {
            Format::Graph => "an Agent Graph v1 document",
            Format::Ainl => "AINL source",
            Format::Ontology => "an Agent Ontology spec",
            Format::Stargraph => "a Stargraph document",
        }
    }
}

/// The format of a text. JSON with `nodes` and no `labels` is Stargraph's.
pub fn detect(text: &str) -> Format {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with(['{', '[']) {
        let has = |name: &str| json::first_member(start, &[name]).is_some();
        return if !has("labels") && has("nodes") { Format::Stargraph } else { Format::Graph };
    }
    let has = |key: &str| start.lines().any(|line| line.starts_with(key));
    if start.is_empty() {
        Format::Graph
    } else if has("ontology_version:") || (has("entities:") && has("processes:")) {
        Format::Ontology
    } else if has("ir_version:") && has("nodes:") {
        Format::Stargraph
    } else if looks_like_ainl(start) {
        Format::Ainl
    } else {
        Format::Graph
    }
}

/// Its first line that is no comment declares a label, a header or a service.
fn looks_like_ainl(text: &str) -> bool {
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = lines.next() else { return false };
    let word = first.split_whitespace().next().unwrap_or_default();
    first.ends_with(':')
        || word.ends_with(':')
        || matches!(word, "S" | "D" | "E" | "include" | "Ver" | "Cr" | "Pol")
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
            ("mon @cron \"* * * * *\":\n  out 1\n", Format::Ainl),
        ] {
            assert_eq!(detect(text), format, "{text}");
        }
    }
}
