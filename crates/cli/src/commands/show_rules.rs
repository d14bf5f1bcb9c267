//! `quipu show` of a file of rules: which of them feed which.

use std::collections::BTreeMap;

use graph::draw::{self, Chart, ChartKind, ChartLink, ChartNode};
use rules::feeds::{Act, Feed, Feeds, Source};
use rules::program::Program;

use crate::args::Picture;

/// So many patterns are named on one line.
const NAMED_MAX: usize = 4;

/// A picture of a program, and whether all of it could be drawn.
pub(super) fn picture(program: &Program, name: &str, picture: Picture) -> (String, bool) {
    let feeds = Feeds::of(program);
    let chart = chart(program, name, &feeds);
    let picture = match picture {
        Picture::Text => draw::chart_text(&chart),
        Picture::Mermaid => draw::chart_mermaid(&chart),
        Picture::Svg => draw::chart_svg(&chart),
    };
    (picture, !feeds.is_cut)
}

fn chart(program: &Program, name: &str, feeds: &Feeds) -> Chart {
    let mut chart = Chart { name: name.to_owned(), ..Chart::default() };
    let mut places = BTreeMap::new();
    let mut add = |chart: &mut Chart, source: Source, kind: ChartKind, name: &str| {
        places.insert(source, chart.nodes.len());
        chart.nodes.push(ChartNode { kind, name: name.to_owned(), remarks: Vec::new() });
    };
    if feeds.edges.iter().any(|edge| edge.from == Source::Outside) {
        add(&mut chart, Source::Outside, ChartKind::Outside, "outside");
    }
    for (at, facts) in (0..).zip(&program.facts) {
        add(&mut chart, Source::Initial(at), ChartKind::Facts, &facts.name);
    }
    for (at, rule) in (0..).zip(&program.rules) {
        add(&mut chart, Source::Rule(at), ChartKind::Rule, &rule.name);
    }
    for edge in &feeds.edges {
        let (Some(from), Some(to)) = (places.get(&edge.from), places.get(&Source::Rule(edge.to)))
        else {
            continue;
        };
        let (label, retracts) = (label(edge), edge.act == Act::Retracts);
        if from == to && retracts {
            // Most rules take away what made them fire: an arrow for that would hide the others.
            chart.nodes[*to].remarks.push(format!("retracts {label}"));
        } else {
            let remark = if edge.absent { "in a not" } else { "" }.to_owned();
            chart.links.push(ChartLink { from: *from, to: *to, retracts, label, remark });
        }
    }
    chart
}

fn label(edge: &Feed) -> String {
    let named = &edge.patterns[..edge.patterns.len().min(NAMED_MAX)];
    let mut label = named.join(", ");
    if edge.patterns.len() > NAMED_MAX {
        label += &format!(" and {} more", edge.patterns.len() - NAMED_MAX);
    }
    label
}
