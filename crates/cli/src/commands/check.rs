//! `quipu check`

use std::collections::BTreeMap;

use anyhow::Result;
use diagnostics::render;
use value::{Text, Value};

use super::fix::{Fixed, Fixing, fix};
use crate::Outcome;
use crate::args::Check;
use crate::changed_lines::changed_lines;
use crate::disk::Disk;
use crate::load::{Loaded, load_from};
use crate::output;
use crate::policies::{Policies, config_beside};

pub(crate) fn run(arguments: &Check) -> Result<Outcome> {
    let mut policies = Policies::default();
    let named = policies.named(&arguments.policy)?;
    let mut own = BTreeMap::new();
    for file in &arguments.files {
        own.insert(&**file, policies.of_workspace(config_beside(file).as_deref())?);
    }
    let read = |disk: &Disk, file: &str| {
        let own = own.get(file).into_iter().flatten();
        let books: Vec<_> = named.iter().chain(own).flat_map(|policy| policy.books()).collect();
        load_from(disk, file, &arguments.reading, arguments.strict.into(), &books)
    };
    let (files, told) = match arguments.fix {
        true => fixed(arguments, read)?,
        false => {
            let disk = Disk::default();
            let mut files: Vec<Loaded> = Vec::with_capacity(arguments.files.len());
            for file in &arguments.files {
                let loaded = read(&disk, file)?;
                // A contract file that is wrong is one finding, for however many it is needed.
                let is_known = |other: &Loaded| other.source.file == loaded.source.file;
                if *loaded.source.file == **file || !files.iter().any(is_known) {
                    files.push(loaded);
                }
            }
            (files, Vec::new())
        }
    };
    for policy in named.iter().filter(|policy| policy.books().is_empty()) {
        output::note(&format!(
            "note: a policy in {} decides about calls of a run only, which `check` does not make",
            policy.language().described()
        ));
    }
    report(arguments, &files, &policies, told)
}

/// What a check tells besides its findings.
type Told = Vec<(&'static str, Value)>;

/// Fixes what can be fixed. What is left is in the files.
fn fixed(
    arguments: &Check,
    read: impl Fn(&Disk, &str) -> Result<Loaded>,
) -> Result<(Vec<Loaded>, Told)> {
    let Fixing { files, fixed, disk } = fix(arguments, read)?;
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
    Ok((files, told))
}

fn report(arguments: &Check, files: &[Loaded], policies: &Policies, more: Told) -> Result<Outcome> {
    let ok = !files.iter().any(Loaded::has_errors) && !policies.has_errors();
    if arguments.format.is_json() {
        let files = Value::list(files.iter().map(describe));
        let members = [("ok", ok.into()), ("files", files)].into_iter();
        let policies = policies.described().map(|policies| ("policies", policies));
        output::print_json(&Value::map(members.chain(policies).chain(more)))?;
    } else {
        policies.show();
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
        (None, None) => match &file.rules {
            Some(book) => {
                let program = book.program();
                let rules = output::plural(program.rules.len(), "rule");
                let templates = program.templates.iter().filter(|template| !template.ordered);
                let templates = output::plural(templates.count(), "template");
                format!("{name}: ok ({rules}, {templates})")
            }
            None => format!("{name}: nothing to check"),
        },
    }
}
