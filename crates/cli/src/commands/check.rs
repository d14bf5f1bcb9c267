//! `quipu check`

use anyhow::Result;
use diagnostics::render;
use value::{Text, Value};

use super::fix::{Fixed, Fixing, fix};
use crate::Outcome;
use crate::args::Check;
use crate::changed_lines::changed_lines;
use crate::load::{Loaded, load};
use crate::output;

pub(crate) fn run(arguments: &Check) -> Result<Outcome> {
    if arguments.fix {
        return fixed(arguments);
    }
    let mut files = Vec::with_capacity(arguments.files.len());
    for file in &arguments.files {
        files.push(load(file, &arguments.reading, arguments.strict.into())?);
    }
    report(arguments, &files, Vec::new())
}

/// Fixes what can be fixed, then says what is left.
fn fixed(arguments: &Check) -> Result<Outcome> {
    let Fixing { files, fixed, disk } = fix(arguments)?;
    let mut told = vec![("fixed", Value::list(fixed.iter().map(Fixed::value)))];
    if arguments.dry_run {
        let changes = disk.changed();
        let diff: String = changes
            .map(|changed| changed_lines(&changed.name, &changed.before, &changed.after))
            .collect();
        match arguments.format.is_json() {
            true => told.push(("diff", diff.into())),
            false if diff.is_empty() => {}
            false => output::print(&diff)?,
        }
    } else {
        disk.write()?;
    }
    let mut counts: Vec<(&Text, usize)> = Vec::new();
    for Fixed { file, .. } in &fixed {
        match counts.iter_mut().find(|(known, _)| *known == file) {
            Some((_, count)) => *count += 1,
            None => counts.push((file, 1)),
        }
    }
    let word = if arguments.dry_run { "would fix" } else { "fixed" };
    for (file, count) in counts {
        output::note(&format!("{word} {} in {file}", output::plural(count as u64, "finding")));
    }
    report(arguments, &files, told)
}

fn report(
    arguments: &Check,
    files: &[Loaded],
    more: Vec<(&'static str, Value)>,
) -> Result<Outcome> {
    let ok = !files.iter().any(Loaded::has_errors);
    if arguments.format.is_json() {
        let files = Value::list(files.iter().map(describe));
        let members = [("ok", ok.into()), ("files", files)].into_iter().chain(more);
        output::print_json(&Value::map(members))?;
    } else {
        for file in files {
            output::show(&file.source, &file.findings);
            output::note(&summary(file));
        }
    }
    Ok(if ok { Outcome::Fine } else { Outcome::Found })
}

fn describe(file: &Loaded) -> Value {
    let findings = file.findings.iter().map(|finding| render::value(&file.source, finding));
    Value::map([
        ("file", Value::Text(file.source.file.clone())),
        ("format", file.format.word().into()),
        ("diagnostics", Value::list(findings)),
    ])
}

fn summary(file: &Loaded) -> String {
    let name = &file.source.file;
    match (&file.graph, output::count(&file.findings)) {
        (_, Some(counts)) => {
            let worst = file.findings.iter().min_by_key(|finding| finding.severity);
            let code = worst.map_or("", |finding| finding.code.id);
            format!("{name}: {counts} (`quipu explain {code}` says more)")
        }
        (Some(graph), None) => {
            let nodes: usize = graph.labels.values().map(|label| label.nodes.len()).sum();
            let labels = output::plural(graph.labels.len(), "label");
            format!("{name}: ok ({labels}, {})", output::plural(nodes, "node"))
        }
        (None, None) => format!("{name}: nothing to check"),
    }
}
