//! Mermaid flowcharts. Ids say only positions; all other text is quoted as in
//! [`mermaid`](super::super::mermaid).

use std::collections::BTreeMap;

use super::super::mermaid::quoted;
use super::super::text::cut;
use super::picture::{Dash, Kind, Line, Link, Node, Picture, Tie};

const TITLE_COLUMNS_MAX: usize = 40;
const LINE_COLUMNS_MAX: usize = 48;
const LABEL_COLUMNS_MAX: usize = 44;
/// Only schemas have more lines that matter.
const LINES_MAX: usize = 40;

/// Paints a picture.
pub(super) fn paint(picture: &Picture) -> String {
    let direction = if picture.subject.is_across() { "LR" } else { "TD" };
    let mut out = format!("flowchart {direction}\n");
    if picture.nodes.is_empty() {
        out += &format!("  none[{}]\n", quoted(picture.nothing()));
    }
    for (at, node) in picture.nodes.iter().enumerate() {
        let (open, close) = shape(node.kind);
        out += &format!("  n{at}{open}{}{close}:::is_{}\n", text(node), class(node.kind));
    }
    let mut styles: BTreeMap<Tie, Vec<String>> = BTreeMap::new();
    for (at, link) in picture.links.iter().enumerate() {
        out += &format!("  n{} {}{} n{}\n", link.from, arrow(link.kind), label(link), link.to);
        styles.entry(link.kind).or_default().push(at.to_string());
    }
    for kind in picture.kinds() {
        let colour = kind.colour();
        let (fill, text) = match kind {
            Kind::Start | Kind::End | Kind::Fork | Kind::Join | Kind::Failure => {
                (colour.line(), "#ffffff")
            }
            _ => (colour.light(), "#1f2933"),
        };
        let (class, line) = (class(kind), colour.line());
        let more = match kind {
            Kind::Protocol | Kind::Handler | Kind::Missing => ",stroke-dasharray:5 4",
            Kind::Team => ",stroke-width:3px",
            _ => "",
        };
        out += &format!("  classDef is_{class} fill:{fill},stroke:{line},color:{text}{more}\n");
    }
    for (tie, links) in styles {
        let dashes = match tie.dash() {
            Dash::Solid => "",
            Dash::Dashed => ",stroke-dasharray:6 4",
            Dash::Dotted => ",stroke-dasharray:2 4",
        };
        out += &format!("  linkStyle {} stroke:{}{dashes}\n", links.join(","), tie.colour().line());
    }
    out
}

fn class(kind: Kind) -> String {
    kind.word().replace(' ', "_")
}

fn shape(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Start => ("((", "))"),
        Kind::End | Kind::Failure => ("(((", ")))"),
        Kind::Gate => ("{", "}"),
        Kind::Checkpoint => ("[/", "\\]"),
        Kind::Spawn => ("[[", "]]"),
        Kind::Agent | Kind::Team => ("([", "])"),
        Kind::Tool => ("{{", "}}"),
        Kind::Store => ("[(", ")]"),
        Kind::Channel => ("[/", "/]"),
        Kind::Policy => (">", "]"),
        Kind::Person | Kind::Conversation | Kind::World | Kind::Outside => ("(", ")"),
        Kind::Step | Kind::Protocol | Kind::Fork | Kind::Join | Kind::Config => ("[", "]"),
        Kind::Handler | Kind::Schema | Kind::Missing | Kind::Rule => ("[", "]"),
        Kind::Facts => ("[(", ")]"),
    }
}

/// Lines are quoted one by one; only the break between them is ours.
fn text(node: &Node) -> String {
    let title = if node.title.is_empty() { node.kind.word() } else { &node.title };
    let mut lines = vec![cut(title, TITLE_COLUMNS_MAX)];
    let said = node.lines.iter().take(LINES_MAX).map(|line| match line {
        Line::Words(text) | Line::Remark(text) => text.clone(),
        Line::Pair(name, what) => format!("{name}: {what}"),
    });
    lines.extend(said.map(|line| cut(&line, LINE_COLUMNS_MAX)));
    if node.lines.len() > LINES_MAX {
        lines.push(format!("and {} more", node.lines.len() - LINES_MAX));
    }
    if let Some((worst, _)) = node.marks.first() {
        lines.push(match node.marks.len() {
            1 => format!("! {}", worst.word()),
            count => format!("! {count} findings"),
        });
    }
    broken(&lines)
}

fn label(link: &Link) -> String {
    let mut lines = vec![link.words()];
    if !link.note.is_empty() {
        lines.push(link.note.clone());
    }
    lines.retain(|line| !line.is_empty());
    if lines.is_empty() && !link.kind.is_control() && link.kind != Tie::Names {
        lines.push(link.kind.word().to_string());
    }
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|line| cut(line, LABEL_COLUMNS_MAX)).collect();
    format!("|{}|", broken(&lines))
}

fn broken(lines: &[String]) -> String {
    let quoted: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
    let inner: Vec<&str> = quoted.iter().map(|line| line.trim_matches('"')).collect();
    format!("\"{}\"", inner.join("<br/>"))
}

fn arrow(kind: Tie) -> &'static str {
    match (kind.dash(), kind.has_arrow()) {
        (Dash::Solid, true) => "-->",
        (Dash::Solid, false) => "---",
        (Dash::Dashed | Dash::Dotted, true) => "-.->",
        (Dash::Dashed | Dash::Dotted, false) => "-.-",
    }
}
