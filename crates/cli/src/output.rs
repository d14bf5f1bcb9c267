//! The only place that prints. Data goes to stdout, everything else to stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use diagnostics::render::{self, Style};
use diagnostics::{Diagnostic, Severity, Source, is_plain, plain};
use value::{Value, json};

/// Prints lines of text. Whatever they were made from, they leave the terminal alone.
pub(crate) fn print(text: &str) -> Result<()> {
    write(&text.split('\n').map(plain).collect::<Vec<_>>().join("\n"))
}

/// Prints what is to be a file: byte for byte, unless a terminal would act on it.
pub(crate) fn print_file(text: &str) -> Result<()> {
    if io::stdout().is_terminal() { print(text) } else { write(text) }
}

fn write(text: &str) -> Result<()> {
    leave_prompt(&mut io::stderr().lock());
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
    write(&visible(json::pretty(value)))
}

/// The same JSON, with escapes for what would move a terminal or hide.
pub(crate) fn visible(json: String) -> String {
    let is_shown = |character: char| character == '\n' || is_plain(character);
    if json.chars().all(is_shown) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            shown if is_shown(shown) => escaped.push(shown),
            // All of them have four digits.
            hidden => escaped.push_str(&format!("\\u{:04x}", u32::from(hidden))),
        }
    }
    escaped
}

/// Whether the reader of our output has gone, which is no fault of ours.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(is_broken)
}

/// Says why a command could not do its work.
pub(crate) fn complain(error: &anyhow::Error) {
    note(&format!("error: {}", told(error)));
}

/// An error with its causes, each said once: many errors repeat what caused them.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(|cause| cause.to_string()) {
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
    }
    text
}

/// Says something beside the data.
pub(crate) fn note(text: &str) {
    say(&text.split('\n').map(plain).collect::<Vec<_>>().join("\n"));
}

fn say(text: &str) {
    let mut out = io::stderr().lock();
    leave_prompt(&mut out);
    // Nobody to tell: nothing to do about it.
    let _ = writeln!(out, "{text}");
}

/// Whether a prompt stands on the last line of the terminal.
static IS_PROMPTED: AtomicBool = AtomicBool::new(false);

/// Asks for a line. Whatever is said before it comes begins on a line of its own.
pub(crate) fn prompt(text: &str) {
    let mut out = io::stderr().lock();
    leave_prompt(&mut out);
    let _ = write!(out, "{text}");
    IS_PROMPTED.store(true, Ordering::Relaxed);
}

/// The line came, and ended the prompt's.
pub(crate) fn entered() {
    IS_PROMPTED.store(false, Ordering::Relaxed);
}

fn leave_prompt(out: &mut io::StderrLock<'_>) {
    if IS_PROMPTED.swap(false, Ordering::Relaxed) {
        let _ = writeln!(out);
    }
}

/// A piece of what somebody else says, faint, and as it comes. It leaves the terminal alone.
pub(crate) fn piece(text: &str) {
    let mut out = io::stderr().lock();
    leave_prompt(&mut out);
    let is_faint = std::env::var_os("NO_COLOR").is_none() && out.is_terminal();
    let text = text.split('\n').map(plain).collect::<Vec<_>>().join("\n");
    let _ = match is_faint {
        true => write!(out, "\u{1b}[2m{text}\u{1b}[0m"),
        false => write!(out, "{text}"),
    };
    let _ = out.flush();
}

/// Shows findings with the lines they are about.
pub(crate) fn show(source: &Source, findings: &[Diagnostic]) {
    const SHOWN_MAX: usize = 50;
    let plain = std::env::var_os("NO_COLOR").is_some() || !io::stderr().is_terminal();
    let style = if plain { Style::Plain } else { Style::Coloured };
    for finding in findings.iter().take(SHOWN_MAX) {
        say(&render::text(source, finding, style));
        say("");
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
pub(crate) fn plural<N: std::fmt::Display + PartialEq + From<u8>>(count: N, word: &str) -> String {
    format!("{count} {word}{}", if count == N::from(1) { "" } else { "s" })
}

/// What is printed piece by piece, without a system call for each.
pub(crate) type Page = io::BufWriter<io::StdoutLock<'static>>;

/// A page on standard output.
pub(crate) fn page() -> Page {
    io::BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// What a piece of text is, for terminals with colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Faint,
    Intent,
    Transition,
    Bad,
}

/// Colours text where standard output is a terminal that wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    pub(crate) fn stdout() -> Paint {
        let is_wanted = std::env::var_os("NO_COLOR").is_none();
        Paint { is_on: is_wanted && io::stdout().is_terminal() }
    }

    pub(crate) fn text(self, ink: Ink, text: &str) -> String {
        let text = plain(text);
        let code = match ink {
            Ink::Plain => return text.into_owned(),
            _ if !self.is_on => return text.into_owned(),
            Ink::Faint => "2",
            Ink::Intent => "36",
            Ink::Transition => "33",
            Ink::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// The same, filled up to a width.
    pub(crate) fn cell(self, ink: Ink, text: &str, width: usize) -> String {
        let fill = width.saturating_sub(text.chars().count());
        format!("{}{}", self.text(ink, text), " ".repeat(fill))
    }
}

/// Says how far long work is, on a terminal only.
pub(crate) struct Progress(indicatif::ProgressBar);

impl Progress {
    pub(crate) fn new(unit: &str) -> Progress {
        let bar = indicatif::ProgressBar::no_length();
        let style = indicatif::ProgressStyle::with_template(&format!(
            "{{spinner}} {{human_pos}} {unit}, {{per_sec}}, {{elapsed}}"
        ));
        Progress(bar.with_style(style.expect("the template is right")))
    }

    pub(crate) fn at(&mut self, position: u64) {
        self.0.set_position(position);
    }

    pub(crate) fn finish(self) {
        self.0.finish_and_clear();
    }
}

/// Rows whose columns are as wide as they need to be.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let rows: Vec<_> = rows.iter().map(|row| row.each_ref().map(|cell| plain(cell))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &[Cow<'_, str>; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| filled(cell, *width));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A text filled up to a width. The width of a format is at most 65,535, and a cell can be wider.
pub(crate) fn filled(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(fill))
}

/// The word of a choice, as a user writes it.
pub(crate) fn word(choice: impl clap::ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}
