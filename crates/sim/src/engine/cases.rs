//! Cases in Markdown: a graph, what it is given, and what it comes to. The same cases are for
//! every interpreter.
//!
//! A case is a section: its heading is its name, then come blocks. `graph` is a [`Sketch`] or,
//! where it begins with `{`, a document. `declarations`, `capabilities`, `inputs`, `world`
//! (see [`World::scripted`]) and `limits` are JSON and may be left out. `outcome` is what
//! [`Outcome`] shows.

use graph::Graph;
use value::{Map, Value, json};

use super::{Limits, Outcome, Sketch, World, read};

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its heading.
    pub name: String,
    /// What runs.
    pub graph: Graph,
    /// What it is given.
    pub inputs: Map,
    /// Who answers.
    pub world: World,
    /// What it may take.
    pub limits: Limits,
    /// What it comes to, as written.
    pub outcome: String,
}

/// All cases of a page. A case that cannot be read says why.
pub fn cases(page: &str) -> Result<Vec<Case>, String> {
    let mut found = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let name = section.lines().next().unwrap_or_default().trim();
        found.push(case(name, section).map_err(|why| format!("{name}: {why}"))?);
    }
    Ok(found)
}

fn case(name: &str, section: &str) -> Result<Case, String> {
    let written = block(section, "graph").ok_or("there is no graph")?;
    let mut document = match written.starts_with('{') {
        true => json::parse(written).map_err(|why| format!("{why:?}"))?,
        false => Sketch::read(written)?.document(),
    };
    for member in ["declarations", "capabilities"] {
        let Some(written) = block(section, member) else { continue };
        let Value::Map(members) = &mut document else { return Err("no document".into()) };
        std::sync::Arc::make_mut(members).insert(member.into(), map(written)?.into());
    }
    let script = block(section, "world").map_or(Ok(Map::default()), map)?;
    let given = block(section, "limits").map_or(Ok(Map::default()), map)?;
    let limit = |name: &str, usual: usize| match given.get(name) {
        Some(Value::Int(limit)) => usize::try_from(*limit).unwrap_or(usual),
        _ => usual,
    };
    let usual = Limits::default();
    Ok(Case {
        name: name.to_string(),
        graph: read(&document)?,
        inputs: block(section, "inputs").map_or(Ok(Map::default()), map)?,
        world: World::scripted(script),
        limits: Limits {
            visits: limit("visits", usual.visits),
            steps: limit("steps", usual.steps),
            depth: limit("depth", usual.depth),
            fibers: limit("fibers", usual.fibers),
        },
        outcome: block(section, "outcome").unwrap_or_default().to_string(),
    })
}

fn map(text: &str) -> Result<Map, String> {
    match json::parse(text) {
        Ok(Value::Map(map)) => Ok((*map).clone()),
        other => Err(format!("`{text}` is no object: {other:?}")),
    }
}

/// What stands in the first block of this kind.
fn block<'a>(section: &'a str, kind: &str) -> Option<&'a str> {
    let (_, from) = section.split_once(&format!("```{kind}\n"))?;
    // The last line of a block ends with it; a fence inside a line is content.
    let end = from.find("\n```")? + 1;
    Some(&from[..end])
}

/// The page with what its cases came to, for `UPDATE=1`. `outcomes` are in the order of cases.
pub fn with_outcomes(page: &str, outcomes: &[Outcome]) -> String {
    let mut sections = page.split("\n## ");
    let mut text = sections.next().unwrap_or_default().to_string();
    for (section, outcome) in sections.zip(outcomes) {
        text.push_str("\n## ");
        match section.split_once("```outcome\n") {
            Some((before, rest)) => {
                let after = rest.split_once("```").map_or("", |(_, after)| after);
                text.push_str(&format!("{before}```outcome\n{outcome}```{after}"));
            }
            None => text.push_str(&format!("{}\n\n```outcome\n{outcome}```\n", section.trim_end())),
        }
    }
    text
}
