//! Diagnostics as text for people and as values for programs.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use value::Value;

use crate::codes::Rule;
use crate::{Anchor, Diagnostic, Fix, Severity, Source, Span, is_plain};

/// Whether text may carry colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No colours: reads the same in a file.
    Plain,
    /// Colours for a terminal.
    Coloured,
}

/// `file:line:col: error[CODE]: message`.
pub fn line(source: &Source, diagnostic: &Diagnostic) -> String {
    let start = diagnostic.at.span().start;
    let (file, at) = (source.file_at(start), source.position(start));
    format!("{file}:{}:{}: {}", at.line, at.col, headline(diagnostic))
}

/// `error[CODE]: message`, without the place.
pub fn headline(diagnostic: &Diagnostic) -> String {
    let word = diagnostic.severity.word();
    format!("{word}[{}]: {}", diagnostic.code.id, diagnostic.message)
}

/// The finding with the lines it is about.
pub fn text(source: &Source, diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let main = Excerpt::of(source, &diagnostic.at);
    let others: Vec<_> =
        diagnostic.labels.iter().map(|label| Excerpt::of(source, &label.at)).collect();
    let mut group =
        Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.id))
            .element(main.origin(source));
    let mut snippet = main.snippet().annotation(AnnotationKind::Primary.span(main.mark.clone()));
    let mut apart = Vec::new();
    for (label, excerpt) in diagnostic.labels.iter().zip(&others) {
        if excerpt.lines_of == main.lines_of {
            snippet = snippet.annotation(
                AnnotationKind::Context.span(excerpt.mark.clone()).label(label.message.as_str()),
            );
        } else {
            apart.push((label, excerpt));
        }
    }
    group = group.element(snippet);
    for (label, excerpt) in apart {
        group = group.element(excerpt.origin(source)).element(excerpt.snippet().annotation(
            AnnotationKind::Context.span(excerpt.mark.clone()).label(label.message.as_str()),
        ));
    }
    let path = format!("the path: {}", shorten(&diagnostic.path));
    if !diagnostic.path.is_empty() {
        group = group.element(Level::NOTE.message(path.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(&**help));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    // The renderer replaces most of what would move a terminal, but not all of it.
    let is_shown = |character: char| matches!(character, '\n' | '\u{1b}') || is_plain(character);
    let rendered = renderer.render(&[group]).replace(|character| !is_shown(character), "\u{fffd}");
    without_empty_origins(&rendered)
}

/// A snippet that follows its own origin is announced a second time, without a name.
fn without_empty_origins(rendered: &str) -> String {
    let is_announcement = |line: &&str| {
        let mut in_escape = false;
        let visible = line.chars().filter(|letter| {
            let was_in_escape = in_escape;
            in_escape = match letter {
                '\u{1b}' => true,
                'm' => false,
                _ => in_escape,
            };
            !was_in_escape && !in_escape && !letter.is_whitespace()
        });
        visible.eq(":::".chars())
    };
    rendered.lines().filter(|line| !is_announcement(line)).collect::<Vec<_>>().join("\n")
}

/// Long witnesses keep both of their ends.
fn shorten(path: &[String]) -> String {
    const SHOWN: usize = 12;
    if path.len() <= SHOWN {
        return path.join(" -> ");
    }
    let (head, tail) = (&path[..SHOWN / 2], &path[path.len() - SHOWN / 2..]);
    let omitted = path.len() - SHOWN;
    format!("{} -> ({omitted} more) -> {}", head.join(" -> "), tail.join(" -> "))
}

/// The lines around a span, cut where they are too long to read: a whole document may be one
/// line. Cost does not depend on the size of the source.
struct Excerpt {
    text: String,
    line: usize,
    /// The whole lines this was cut from, to see whether two places can share one picture.
    lines_of: std::ops::Range<usize>,
    mark: std::ops::Range<usize>,
    start: Span,
}

impl Excerpt {
    fn of(source: &Source, at: &Anchor) -> Excerpt {
        const WIDTH: usize = 140;
        const CONTEXT: usize = 50;
        let span = at.span();
        let line = source.position(span.start).line;
        let whole = source.line_around(span.start);
        let start = span.range().start.min(whole.end);
        let end = span.range().end.clamp(start, whole.end);
        let end = cut(source, end.min(start + WIDTH - CONTEXT));
        let (from, to) = if whole.len() <= WIDTH {
            (whole.start, whole.end)
        } else {
            let from = cut(source, start.saturating_sub(CONTEXT).max(whole.start));
            (from, cut(source, (from + WIDTH).min(whole.end)))
        };
        let before = if from > whole.start { "..." } else { "" };
        let after = if to < whole.end { "..." } else { "" };
        // A carriage return or a tab would spoil the picture.
        let shown = source.text[from..to].replace(['\r', '\t'], " ");
        let mark = before.len() + start - from..before.len() + end - from;
        Excerpt {
            text: format!("{before}{shown}{after}"),
            line,
            lines_of: if before.is_empty() && after.is_empty() { whole } else { start..end },
            mark,
            start: span,
        }
    }

    fn origin<'a>(&self, source: &'a Source) -> Origin<'a> {
        let at = source.position(self.start.start);
        Origin::path(&**source.file_at(self.start.start)).line(at.line).char_column(at.col)
    }

    fn snippet<'a, T: Clone>(&'a self) -> Snippet<'a, T> {
        Snippet::source(self.text.as_str()).line_start(self.line).fold(false)
    }
}

/// The nearest boundary of a character at or before a byte.
fn cut(source: &Source, mut at: usize) -> usize {
    while !source.text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The object of the command line contract. Every member is there, whatever it holds.
pub fn value(source: &Source, diagnostic: &Diagnostic) -> Value {
    let labels = diagnostic.labels.iter().map(|label| {
        Value::map([
            ("file", file(source, label.at.span())),
            ("span", span(source, label.at.span())),
            ("message", label.message.as_str().into()),
        ])
    });
    Value::map([
        ("code", diagnostic.code.id.into()),
        ("severity", diagnostic.severity.word().into()),
        ("message", diagnostic.message.as_str().into()),
        ("file", file(source, diagnostic.at.span())),
        ("span", span(source, diagnostic.at.span())),
        ("pointer", diagnostic.at.pointer().map(|pointer| pointer.as_str()).into()),
        ("rule", diagnostic.code.rule.map_or(Value::Null, rule)),
        ("gate", diagnostic.gate.clone().into()),
        ("labels", Value::list(labels)),
        ("path", Value::list(diagnostic.path.iter().map(|step| step.as_str().into()))),
        ("help", diagnostic.help.as_deref().into()),
        ("fix", diagnostic.fix.as_ref().map_or(Value::Null, |fix| fix_value(source, fix))),
    ])
}

fn rule(rule: Rule) -> Value {
    match rule {
        Rule::Numbered(number) => Value::Int(number.into()),
        other => other.word().into(),
    }
}

fn fix_value(source: &Source, fix: &Fix) -> Value {
    let edits = fix.edits.iter().map(|edit| {
        Value::map([
            ("file", file(source, edit.at.span())),
            ("span", span(source, edit.at.span())),
            ("text", edit.text.as_str().into()),
        ])
    });
    Value::map([
        ("title", fix.title.as_str().into()),
        ("edits", Value::list(edits)),
        ("safe", fix.safe.into()),
    ])
}

fn file(source: &Source, span: Span) -> Value {
    Value::Text(source.file_at(span.start).clone())
}

fn span(source: &Source, span: Span) -> Value {
    let span = source.within_file(span);
    let position = |offset: u32| {
        let at = source.position(offset);
        Value::map([("line", Value::Int(at.line as i64)), ("col", Value::Int(at.col as i64))])
    };
    Value::map([("start", position(span.start)), ("end", position(span.end))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    /// A finding in a text that was added, with a label in the first one and an edit in both.
    fn spread() -> (Source, Diagnostic) {
        let mut source = Source::new("a.ainl", "include \"b.ainl\"\n");
        let part = source.add("lib/b.ainl", "first\r\nZork x\r\n");
        let word = part.range().start + 7;
        let at = Anchor::Span(Span::new(word, word + 4));
        let mut found = Diagnostic::new(&codes::UNKNOWN_OP, at.clone(), "unknown op `Zork`")
            .label(Anchor::Span(Span::new(0, 7)), "included here")
            .fix("write `R`", at, "R");
        let edit = crate::Edit { at: Anchor::Span(Span::new(8, 16)), text: String::new() };
        found.fix.as_mut().unwrap().edits.push(edit);
        (source, found)
    }

    #[test]
    fn each_place_is_shown_in_its_own_file() {
        let (source, found) = spread();
        assert_eq!(line(&source, &found), "lib/b.ainl:2:1: error[G301]: unknown op `Zork`");
        let shown = text(&source, &found, Style::Plain);
        let expected = "\
error[G301]: unknown op `Zork`
 --> lib/b.ainl:2:1
  |
2 | Zork x
  | ^^^^
 ::: a.ainl:1:1
  |
1 | include \"b.ainl\"
  | ------- included here";
        assert_eq!(shown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"), expected);
    }

    #[test]
    fn each_place_is_told_with_its_own_file() {
        let (source, found) = spread();
        let told = value(&source, &found);
        let at = |place: &Value| {
            let number =
                |name: &str| match place.get("span").unwrap().get("start").unwrap().get(name) {
                    Some(Value::Int(number)) => *number,
                    other => panic!("{other:?}"),
                };
            let file = place.get("file").and_then(Value::as_text).unwrap();
            format!("{file}:{}:{}", number("line"), number("col"))
        };
        assert_eq!(at(&told), "lib/b.ainl:2:1");
        let items = |value: Option<&Value>| value.unwrap().as_list().unwrap().to_vec();
        assert_eq!(at(&items(told.get("labels"))[0]), "a.ainl:1:1");
        let edits = items(told.get("fix").unwrap().get("edits"));
        assert_eq!(edits.iter().map(at).collect::<Vec<_>>(), ["lib/b.ainl:2:1", "a.ainl:1:9"]);
    }
}
