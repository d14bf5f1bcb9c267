//! `quipu fmt`

use anyhow::{Result, bail};
use diagnostics::{Diagnostic, Severity, Source, codes};
use frontends::{Format, Ontology, ainl, detect};

use crate::args::Fmt;
use crate::disk::Disk;
use crate::load::read_source;
use crate::{Outcome, output};

pub(crate) fn run(arguments: &Fmt) -> Result<Outcome> {
    let (mut differs, mut is_wrong) = (false, false);
    for file in &arguments.files {
        let source = read_source(file)?;
        if !file.ends_with(".ainl") && detect(&source) != Format::Ainl {
            bail!("`{file}` is not AINL, and nothing else is laid out");
        }
        // What a line belongs to must be clear before it is moved.
        let mut reading = frontends::read(&source, Format::Ainl, Ontology::V1);
        let is_unclear = |finding: &Diagnostic| {
            finding.severity == Severity::Error && *finding.code != codes::NOT_INCLUDED
        };
        reading.findings.retain(is_unclear);
        if !reading.findings.is_empty() {
            output::show(&source, &reading.findings);
            output::note(&format!("{file}: left as it is"));
            is_wrong = true;
            continue;
        }
        differs |= lay_out(&source, arguments.check)?;
    }
    Ok(if is_wrong || (differs && arguments.check) { Outcome::Found } else { Outcome::Fine })
}

/// Whether it was laid out otherwise.
fn lay_out(source: &Source, only_check: bool) -> Result<bool> {
    let file = &*source.file;
    let formatted = ainl::format(&source.text);
    let differs = formatted != source.text;
    match (file, only_check, differs) {
        ("-", false, _) => output::print_file(&formatted)?,
        (_, true, true) => output::note(&format!("{file}: would be laid out otherwise")),
        (_, false, true) => {
            let mut disk = Disk::default();
            let path = std::path::Path::new(file).canonicalize()?;
            disk.change(path, source.file.clone(), source.text.clone(), formatted);
            disk.write()?;
            output::note(&format!("{file}: laid out"));
        }
        (_, _, false) => {}
    }
    Ok(differs)
}
