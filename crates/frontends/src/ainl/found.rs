//! What lines and words of AINL can have wrong with them.

use diagnostics::{Anchor, Diagnostic, Span, codes, nearest};
use graph::ops::{OpDef, SlotKind};

use super::declare;
use super::program;
use super::step::usage;
use super::token::{Line, Word, quote};

/// Where more than this is wrong, nobody looks for what each of it could have meant.
const NEAR_MAX: usize = 100;

/// Nor among more names than this.
const NAMES_MAX: usize = 10_000;

/// A line whose first word is no op. So much was found before it.
pub(crate) fn unknown_line(line: &Line<'_>, label: Option<&str>, before: usize) -> Diagnostic {
    let word = &*line.op.text;
    let at = Anchor::Span(line.op.span);
    let consequence = match label {
        Some(label) => format!(": label `{label}` ends here"),
        None => String::new(),
    };
    if let Some(found) = declare::about_module(line, &consequence) {
        return found;
    }
    let message = format!("`{word}` is no op, so this line means nothing{consequence}");
    let found = Diagnostic::new(&codes::UNKNOWN_LINE, at.clone(), message);
    if let Some(id) = word.strip_suffix(':').filter(|id| !id.is_empty()) {
        let label = format!("L{id}:");
        return found
            .help(format!("the name of a label begins with L: `{label}`"))
            .fix(format!("write `{label}`"), at, label)
            .unsure();
    }
    let known = program::known_words().filter(|_| before < NEAR_MAX);
    match nearest(word, known) {
        Some(near) => found.meant(near, at),
        None => found.help("`#` begins a comment; docs/ainl.md lists the ops"),
    }
}

/// A word behind a label that is no op.
pub(crate) fn no_step(word: &Word<'_>) -> Diagnostic {
    let message = format!("`{}` is no step, so it means nothing here", word.text);
    let found = Diagnostic::new(&codes::UNKNOWN_LINE, Anchor::Span(word.span), message);
    found.help("behind a label stand steps; write each on a line of its own")
}

/// A line with too few words for its op.
pub(crate) fn too_few(line: &Line<'_>, op: &str, least: usize) -> Diagnostic {
    let given = line.words.len();
    let plural = if least == 1 { "" } else { "s" };
    let message = if given < least {
        format!("`{op}` needs {least} word{plural} behind it and has {given}: it is not done")
    } else {
        format!("`{op}` names a node and nothing else: it is not done")
    };
    let found = Diagnostic::new(&codes::TOO_FEW_WORDS, Anchor::Span(line.span()), message);
    let written = graph::ops::find(op).map(usage).or_else(|| declare::usage(op));
    match written {
        Some(usage) => found.help(format!("write `{usage}`")),
        None => found,
    }
}

/// Words that no slot of the op takes.
pub(crate) fn surplus(op: &OpDef, words: &[Word<'_>]) -> Option<Diagnostic> {
    let found = surplus_words(op.name, &usage(op), words)?;
    let asks = op.slot_of(SlotKind::Condition).is_some();
    let help = "a condition is one word, `n>2`, or stands in quotes: `\"n > 2\"`";
    Some(if asks { found.help(help) } else { found })
}

/// Words that nothing on their line takes.
pub(crate) fn surplus_words(op: &str, usage: &str, words: &[Word<'_>]) -> Option<Diagnostic> {
    let (first, last) = (words.first()?, words.last()?);
    let span = Span { start: first.span.start, end: last.span.end };
    let (is, it) = if words.len() == 1 { ("is", "it") } else { ("are", "them") };
    let texts: Vec<String> = words.iter().map(|word| format!("`{}`", word.text)).collect();
    let message = format!("{} {is} not read: `{op}` takes no more words", texts.join(", "));
    let found = Diagnostic::new(&codes::SURPLUS_WORDS, Anchor::Span(span), message);
    Some(found.help(format!("take {it} away, or quote what belongs together: `{usage}`")))
}

/// A step that stands in no label.
pub(crate) fn outside_of_labels(line: &Line<'_>) -> Diagnostic {
    let message = format!("`{}` stands in no label, so that nothing leads to it", line.op.text);
    Diagnostic::new(&codes::OUTSIDE_OF_LABELS, Anchor::Span(line.op.span), message)
        .help("put it, and what follows, below a label: `L1:`")
}

/// A declaration in the middle of a label.
pub(crate) fn closes_label(line: &Line<'_>, label: &str) -> Diagnostic {
    let message = format!("`{}` declares something, and so ends label `{label}`", line.op.text);
    Diagnostic::new(&codes::LABEL_CLOSED, Anchor::Span(line.op.span), message)
        .help("put declarations before the first label")
}

/// A label that is declared again.
pub(crate) fn declared_twice(line: &Line<'_>, id: &str, first: Span) -> Diagnostic {
    let message = format!("label `{id}` is declared twice: its steps are added to the first");
    Diagnostic::new(&codes::LABEL_TWICE, Anchor::Span(line.op.span), message)
        .label(Anchor::Span(first), "it is declared here")
        .help("give one of them another name")
}

/// `->Leads` at the end of a call.
pub(crate) fn swallowed(word: &Word<'_>, instead: &str) -> Diagnostic {
    let name = word.arrow().unwrap_or_default();
    let other = name.replacen('L', "l", 1);
    let message = format!("`->{name}` is read as a label, so that the result goes to `{instead}`");
    Diagnostic::new(&codes::SWALLOWED_OUTPUT, Anchor::Span(word.span), message)
        .help("names that begin with a capital L cannot be outputs; use another name")
        .fix(format!("write `->{other}`"), Anchor::Span(word.span), format!("->{other}"))
        .unsure()
}

/// `->name` where no output stands.
pub(crate) fn misplaced_output(word: &Word<'_>) -> Diagnostic {
    let message = format!("`{}` is an argument here, and no output", word.text);
    Diagnostic::new(&codes::MISPLACED_OUTPUT, Anchor::Span(word.span), message)
        .help("the output stands at the end of the line; quote it where text is meant")
}

/// A word behind a call that should be its output.
pub(crate) fn no_arrow(word: &Word<'_>) -> Diagnostic {
    let name = &word.text;
    let message = format!("`{name}` is not read: an output is written `->{name}`");
    let at = Anchor::Span(word.span);
    Diagnostic::new(&codes::MISPLACED_OUTPUT, at.clone(), message)
        .help(format!("write `->{name}`"))
        .fix(format!("write `->{name}`"), at, format!("->{name}"))
        .unsure()
}

/// A bare word that could be a variable, and is none. So much was found before it.
pub(crate) fn bare_word<'n>(
    word: &Word<'_>,
    slot: &str,
    names: impl Iterator<Item = &'n str>,
    before: usize,
) -> Diagnostic {
    let text = &*word.text;
    let at = Anchor::Span(word.span);
    let message = format!("nothing writes `{text}`, so that `{slot}` is the text \"{text}\"");
    let found = Diagnostic::new(&codes::BARE_WORD, at.clone(), message);
    let is_looked_for = before < NEAR_MAX;
    match nearest(text, names.take(if is_looked_for { NAMES_MAX } else { 0 })) {
        Some(near) => found.meant(near, at),
        None => {
            let found = found
                .help(format!(
                    "quote it if text is meant; if it is an input, declare it: `Set {text} ${text}`"
                ))
                .fix("add the quotes", at, quote(text));
            // It may be a slip that nobody has looked for.
            if is_looked_for { found } else { found.unsure() }
        }
    }
}

/// A name that a condition asks about. So much was found before it.
pub(crate) fn unwritten_name<'n>(
    word: &Word<'_>,
    name: &str,
    names: impl Iterator<Item = &'n str>,
    before: usize,
) -> Option<Diagnostic> {
    let at = Anchor::Span(word.span);
    let message = format!("nothing writes `{name}`, so that the condition never sees a value");
    let found = Diagnostic::new(&codes::BARE_WORD, at, message).about(name);
    // A slip is told of the graph.
    if nearest(name, names.take(if before < NEAR_MAX { NAMES_MAX } else { 0 })).is_some() {
        return None;
    }
    Some(
        found.help(format!("write it before; if it is an input, declare it: `Set {name} ${name}`")),
    )
}

/// `total,` or `order.price`, where the first part is a variable.
pub(crate) fn joined(word: &Word<'_>, name: &str) -> Diagnostic {
    let text = &*word.text;
    let message = format!("`{text}` is text, although `{name}` is a variable");
    let found = Diagnostic::new(&codes::ODD_VARIABLE, Anchor::Span(word.span), message);
    match text[name.len()..].strip_prefix('.').filter(|member| graph::is_name(member)) {
        Some(member) => {
            found.help(format!("read the member first: `X {member} get {name} \"{member}\"`"))
        }
        None => found.help(format!("write `{name}` alone, or quote it if text is meant")),
    }
}

/// `$a.b`, which is no variable.
pub(crate) fn odd_variable(word: &Word<'_>) -> Diagnostic {
    let text = &*word.text;
    let message = format!("`{text}` names no variable, so that it is text");
    let found = Diagnostic::new(&codes::ODD_VARIABLE, Anchor::Span(word.span), message);
    match text.trim_start_matches('$').split_once('.') {
        Some((whole, member)) => {
            found.help(format!("read the member first: `X {member} get {whole} \"{member}\"`"))
        }
        None => found.help("a variable is `$` and a name; quote it if text is meant"),
    }
}

/// JSON that is not in quotes.
pub(crate) fn inline_json(word: &Word<'_>) -> Diagnostic {
    let message = "JSON that is not in quotes is cut at its own quotes and spaces";
    Diagnostic::new(&codes::INLINE_JSON, Anchor::Span(word.span), message)
        .help("write it in single quotes and read it: `R core.PARSE '{\"a\": 1}' ->value`")
}
