//! From a file name to a graph with its findings: the one path every command takes.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use diagnostics::{Anchor, Diagnostic, Severity, Source, Span, any_error, codes, render};
use frontends::{Format, Given, Ontology, Origins};
use graph::Graph;
use graph::policy::Rulebook;
use graph::validate::{Edges, validate};
use value::Value;

use crate::args::{FromFormat, OntologyVersion, Reading};
use crate::disk::Disk;
use crate::include::include;
use crate::{Outcome, contracts, output, rule_files};

/// A file that was read.
pub(crate) struct Loaded {
    pub(crate) source: Source,
    pub(crate) format: Format,
    /// Nothing where the text could not be read at all.
    pub(crate) graph: Option<Graph>,
    /// The rules, where the text is one of rules that can run.
    pub(crate) rules: Option<rules::Rulebook>,
    /// In the order of the text.
    pub(crate) findings: Vec<Diagnostic>,
    /// Findings that a compiled document carries, as it writes them.
    pub(crate) carried: Vec<Value>,
    /// Where the pieces of the graph come from.
    pub(crate) origins: Origins,
    /// What was found before there was a graph: no change of the graph can mend it.
    pub(crate) unmendable: Option<String>,
}

impl Loaded {
    pub(crate) fn has_errors(&self) -> bool {
        any_error(&self.findings)
    }

    /// Finds the places in the text that findings about its graph are about.
    pub(crate) fn place(&mut self) {
        place(&self.source, &self.origins, &mut self.findings);
    }
}

fn place(source: &Source, origins: &Origins, findings: &mut [Diagnostic]) {
    origins.trace(findings);
    frontends::locate(source, findings);
    for finding in &mut *findings {
        finding.narrow(source);
    }
    findings.sort_by_key(|finding| finding.at.span().start);
}

/// Says why there is no graph to work on. Text that cannot be read is a finding, no misuse.
pub(crate) fn unreadable(loaded: &Loaded, json: bool) -> Result<Outcome> {
    output::show(&loaded.source, &loaded.findings);
    if json {
        let findings = loaded.findings.iter().map(|finding| render::value(&loaded.source, finding));
        output::print_json(&Value::map([
            ("ok", false.into()),
            ("diagnostics", Value::list(findings)),
        ]))?;
    }
    Ok(Outcome::Found)
}

/// Which findings count as errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// As their codes say.
    Normal,
    /// Findings of phase 2 too.
    Strict,
}

impl Strictness {
    /// Makes errors of the findings that count as such.
    pub(crate) fn apply(self, findings: &mut [Diagnostic]) {
        for finding in findings {
            if self == Strictness::Strict && finding.code.strict {
                finding.severity = Severity::Error;
            }
        }
    }
}

impl From<bool> for Strictness {
    fn from(strict: bool) -> Strictness {
        if strict { Strictness::Strict } else { Strictness::Normal }
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a file (`-` is standard input), makes a graph of it and checks it.
pub(crate) fn load(file: &str, reading: &Reading, strictness: Strictness) -> Result<Loaded> {
    load_under(file, reading, strictness, &[])
}

/// The same, where rules hold for what the graph may do.
pub(crate) fn load_under(
    file: &str,
    reading: &Reading,
    strictness: Strictness,
    books: &[&Rulebook],
) -> Result<Loaded> {
    let mut loaded = load_from(&Disk::default(), file, reading, strictness, books)?;
    if loaded.format == Format::Rules {
        // What is wrong with rules does not matter to whoever wants a graph.
        loaded.rules = None;
        loaded.findings = frontends::read(&loaded.source, Format::Rules, Ontology::V1).findings;
    }
    Ok(loaded)
}

/// The same, where files may have been changed and not written, and rules are read too.
pub(crate) fn load_from(
    disk: &Disk,
    file: &str,
    reading: &Reading,
    strictness: Strictness,
    books: &[&Rulebook],
) -> Result<Loaded> {
    let mut bytes = read_bytes(disk, file)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Ok(not_utf8(file, &error)),
    };
    let mut source = Source::new(file, text);
    let format = match reading.from {
        Some(FromFormat::Graph) => Format::Graph,
        Some(FromFormat::Ainl) => Format::Ainl,
        Some(FromFormat::Ontology) => Format::Ontology,
        Some(FromFormat::Stargraph) => Format::Stargraph,
        Some(FromFormat::Rules) => Format::Rules,
        None => frontends::detect(&source),
    };
    if format == Format::Rules {
        return Ok(rule_files::loaded(source, strictness));
    }
    let contracts = match contracts::known(file, reading)? {
        Ok(contracts) => contracts,
        Err(wrong) => return Ok(*wrong),
    };
    let ontology = match reading.ontology {
        OntologyVersion::V1 => Ontology::V1,
        OntologyVersion::V02 => Ontology::V02,
    };
    let wanted = |source: &Source, part: Span| frontends::includes(source, part, format);
    let files = include(&mut source, disk, Path::new(""), wanted);
    let given = Given { files, inputs: reading.inputs.clone(), contracts };
    let frontends::Reading { draft, mut findings, carried, origins } =
        frontends::read_with(&source, format, ontology, &given);
    let mut unmendable = None;
    let edges = if reading.legacy_edges { Edges::Legacy } else { Edges::Strict };
    let graph = draft.map(|draft| {
        let graph = graph::normalize_with(draft, &given.contracts, &mut findings);
        // Steps that were lowered are nodes now; everything else so far is in the text itself.
        let stays = |finding: &&Diagnostic| *finding.code != codes::LEGACY_STEPS;
        unmendable = findings.iter().find(stays).map(render::headline);
        findings.extend(validate(&graph, edges));
        // What follows from a text cannot be trusted while it is unclear what the text means.
        let is_unclear = findings.iter().any(|finding| finding.code.obscures())
            || carried.iter().any(carries_unclear);
        if !is_unclear {
            findings.extend(compiler::analyse(&graph));
            findings.extend(compiler::policy::check(&graph, books));
        }
        graph
    });
    place(&source, &origins, &mut findings);
    strictness.apply(&mut findings);
    Ok(Loaded { source, format, graph, rules: None, findings, carried, origins, unmendable })
}

/// Reads a file that is text in no format of ours, such as a patch.
pub(crate) fn read_source(file: &str) -> Result<Source> {
    let text = String::from_utf8(read_bytes(&Disk::default(), file)?);
    Ok(Source::new(file, text.with_context(|| format!("`{file}` is not UTF-8"))?))
}

fn read_bytes(disk: &Disk, file: &str) -> Result<Vec<u8>> {
    /// Positions are 32 bits wide; documents of this size are no documents.
    const SIZE_MAX: u64 = 1 << 30;
    let limited = |read: std::io::Result<Vec<u8>>| match read {
        Ok(bytes) if bytes.len() as u64 > SIZE_MAX => bail!("it is larger than 1 GiB"),
        read => Ok(read?),
    };
    if file == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().take(SIZE_MAX + 1).read_to_end(&mut bytes);
        return limited(read.map(|_| bytes)).context("cannot read standard input");
    }
    limited(disk.read(Path::new(file), SIZE_MAX)).with_context(|| format!("cannot read `{file}`"))
}

fn not_utf8(file: &str, error: &std::string::FromUtf8Error) -> Loaded {
    let valid = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Source::new(file, text);
    let at = valid.min(source.text.len());
    let width = source.text[at..].chars().next().map_or(0, char::len_utf8);
    let at = Anchor::Span(Span::new(at, at + width));
    let message = format!("the byte 0x{:02x} is not UTF-8", bytes[valid]);
    let finding = Diagnostic::new(&codes::NOT_UTF8, at, message).help("save the file as UTF-8");
    Loaded {
        source,
        format: Format::Graph,
        graph: None,
        rules: None,
        findings: vec![finding],
        carried: Vec::new(),
        origins: Origins::default(),
        unmendable: None,
    }
}

/// Whether a carried finding left it open what the text meant that the document was compiled from.
fn carries_unclear(finding: &Value) -> bool {
    let code = finding.get("code").and_then(Value::as_text).and_then(|code| codes::find(code));
    code.is_some_and(|code| code.of_source && code.obscures())
}
