//! The outline for a terminal: what there is, one after the other, and where it leads.
//!
//! ```text
//! generate       step  generator(Task) -> Draft
//!                      next -> check_quality
//! check_quality  gate  score >= 7 -> finalize  (polarity)
//!                      else -> generate        (loop)
//! ```

use std::collections::BTreeMap;

use super::super::text::{columns, cut};
use super::picture::{Kind, Line, Link, Node, Picture, Tie};

const ID_COLUMNS_MAX: usize = 28;
const WHAT_COLUMNS_MAX: usize = 72;
const REMARK_COLUMNS_MAX: usize = 60;

/// Paints a picture.
pub(super) fn paint(picture: &Picture) -> String {
    let shown = || picture.nodes.iter().enumerate().filter(|(_, node)| is_shown(node));
    if shown().next().is_none() {
        return format!("{}\n", picture.nothing());
    }
    let widest = |width: fn(&Node) -> usize| shown().map(|(_, node)| width(node)).max();
    let id_width = widest(|node| columns(&node.id)).unwrap_or(0).min(ID_COLUMNS_MAX);
    let kind_width = widest(|node| node.kind.word().len()).unwrap_or(0);
    let links = by_actor(picture);
    let mut out = String::new();
    for (at, node) in shown() {
        let mut rows: Vec<(String, String)> = node.lines.iter().map(line_row).collect();
        let own = links.get(&at).map_or(&[][..], |own| own);
        // What it uses, then where it goes.
        for is_way in [false, true] {
            let some = own.iter().filter(|link| is_control(picture, link) == is_way);
            rows.extend(some.filter_map(|link| row(picture, &links, at, link)));
        }
        for (severity, text) in &node.marks {
            rows.push((format!("! {}: {text}", severity.word()), String::new()));
        }
        if rows.is_empty() {
            rows.push(Default::default());
        }
        let widths = rows.iter().filter(|(_, remark)| !remark.is_empty());
        let width = widths.map(|(what, _)| columns(what)).max().unwrap_or(0).min(WHAT_COLUMNS_MAX);
        for (place, (what, remark)) in rows.into_iter().enumerate() {
            let (id, kind) = if place == 0 {
                (cut(&node.id, ID_COLUMNS_MAX), node.kind.word())
            } else {
                Default::default()
            };
            let mut line = padded(&id, id_width) + "  " + &padded(kind, kind_width) + "  ";
            if remark.is_empty() {
                line += &cut(&what, WHAT_COLUMNS_MAX + REMARK_COLUMNS_MAX);
            } else {
                line += &padded(&cut(&what, WHAT_COLUMNS_MAX), width);
                line += &format!("  ({})", cut(&remark, REMARK_COLUMNS_MAX));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

fn is_shown(node: &Node) -> bool {
    !node.beside && !node.kind.is_sign()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

type ByActor<'a> = BTreeMap<usize, Vec<&'a Link>>;

/// The links of whoever acts, in the order of the picture.
fn by_actor(picture: &Picture) -> ByActor<'_> {
    let mut links: ByActor<'_> = BTreeMap::new();
    for link in &picture.links {
        let beside = link.beside(&picture.nodes).map(|(node, _)| node);
        links.entry(beside.unwrap_or(link.roles().0)).or_default().push(link);
    }
    links
}

fn line_row(line: &Line) -> (String, String) {
    let text = match line {
        Line::Words(text) | Line::Remark(text) => text.clone(),
        Line::Pair(name, what) => format!("{name}: {what}"),
    };
    (text, String::new())
}

/// Whether control goes along a link, and not only a word.
fn is_control(picture: &Picture, link: &Link) -> bool {
    link.kind.is_control() && link.beside(&picture.nodes).is_none()
}

/// What a link says of the node that it belongs to, and a remark on that.
fn row(picture: &Picture, links: &ByActor<'_>, at: usize, link: &Link) -> Option<(String, String)> {
    let (from, to) = (&picture.nodes[link.from], &picture.nodes[link.to]);
    let other = if link.from == at { to } else { from };
    if is_control(picture, link) {
        return way(picture, links, link);
    }
    if let Tie::Asserts | Tie::Retracts = link.kind {
        let (word, what) = (link.kind.word(), &link.label);
        return Some((format!("{word} {what} -> {}", to.id), link.note.clone()));
    }
    let remarks = [&link.note, &link.source].into_iter().filter(|text| !text.is_empty());
    let remarks = remarks.map(|text| &**text).collect::<Vec<_>>().join("; ");
    let (takes, gives) = &link.carries;
    let gives = if gives.is_empty() { String::new() } else { format!(" -> {gives}") };
    let what = match link.kind {
        Tie::Invoke => {
            let label =
                if link.label.is_empty() { String::new() } else { format!(" {}", link.label) };
            format!("{}({takes}){gives}{label}", other.id)
        }
        Tie::Names => return None,
        Tie::Governs if link.from == at => format!("for {}", other.id),
        Tie::Governs => format!("{} {}", other.kind.word(), other.id),
        _ => {
            let toward = if link.to == at && !link.kind.is_inward() { "from " } else { "" };
            let words = link.words();
            let words = if words.is_empty() { words } else { format!(" ({words})") };
            format!("{} {toward}{}{words}", link.kind.word(), other.id)
        }
    };
    Some((what, remarks))
}

/// A way of control. Signs are passed: what counts is where they lead.
fn way(picture: &Picture, links: &ByActor<'_>, link: &Link) -> Option<(String, String)> {
    let to = &picture.nodes[link.to];
    let target = match to.kind {
        Kind::End => "end".to_string(),
        Kind::Failure => "fail".to_string(),
        Kind::Missing => format!("{} (missing)", to.id),
        Kind::Fork => {
            let branches = links.get(&link.to).into_iter().flatten();
            let ids: Vec<&str> = branches.map(|branch| &*picture.nodes[branch.to].id).collect();
            ids.join(", ")
        }
        _ => to.id.clone(),
    };
    // Beside ways that something decides, the one that nothing does is the rest.
    let siblings = links.get(&link.from).into_iter().flatten();
    let is_decided = siblings
        .filter(|way| way.kind != Tie::Call)
        .any(|way| is_control(picture, way) && way.kind != Tie::Error && !way.label.is_empty());
    let word = match (link.kind, to.kind) {
        (_, Kind::Fork) => "fork",
        (Tie::Error, _) if link.label.is_empty() => "on error",
        (Tie::Flow | Tie::Loop, _) if link.label.is_empty() && is_decided => "else",
        (Tie::Flow | Tie::Loop, _) if link.label.is_empty() => "next",
        (kind, _) if link.label.is_empty() => kind.word(),
        _ => &link.label,
    };
    let is_loop = (link.kind == Tie::Loop).then_some("loop");
    let texts = [&*link.note, &*link.source].into_iter().filter(|text| !text.is_empty());
    let remarks: Vec<&str> = texts.chain(is_loop).collect();
    Some((format!("{word} -> {target}"), remarks.join("; ")))
}
