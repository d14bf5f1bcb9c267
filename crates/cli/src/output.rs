//! The only place that prints. Data goes to stdout, everything else to stderr.

use std::io::{self, IsTerminal, Write};

use anyhow::Result;
use diagnostics::render::{self, Style};
use diagnostics::{Diagnostic, Severity, Source};
use value::{Value, json};

/// Prints a text and the end of its line.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Prints the one JSON document of a command.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    print(&json::pretty(value))
}

/// Whether the reader of our output has gone, which is no fault of ours.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Says why a command could not do its work.
pub(crate) fn complain(error: &anyhow::Error) {
    note(&format!("error: {error:#}"));
}

/// Says something beside the data.
pub(crate) fn note(text: &str) {
    // Nobody to tell: nothing to do about it.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Shows findings with the lines they are about.
pub(crate) fn show(source: &Source, findings: &[Diagnostic]) {
    const SHOWN_MAX: usize = 50;
    let plain = std::env::var_os("NO_COLOR").is_some() || !io::stderr().is_terminal();
    let style = if plain { Style::Plain } else { Style::Coloured };
    for finding in findings.iter().take(SHOWN_MAX) {
        note(&render::text(source, finding, style));
        note("");
    }
    if findings.len() > SHOWN_MAX {
        note(&format!("... and {} more; `--json` lists all of them\n", findings.len() - SHOWN_MAX));
    }
}

/// `2 errors, 1 warning`; nothing where there is none.
pub(crate) fn count(findings: &[Diagnostic]) -> Option<String> {
    let of = |severity: Severity, word: &str| {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        (count > 0).then(|| plural(count, word))
    };
    let counts = [
        of(Severity::Error, "error"),
        of(Severity::Warning, "warning"),
        of(Severity::Note, "note"),
    ];
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// `1 node`, `2 nodes`.
pub(crate) fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
