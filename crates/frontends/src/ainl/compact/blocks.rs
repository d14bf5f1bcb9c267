//! Blocks become labels: the statements of an `if` one, what follows it another.

use std::borrow::Cow;

use diagnostics::{Diagnostic, Span};
use graph::ops::{self, SlotKind};
use value::Text;

use super::super::program::{self, Program};
use super::super::token::{Line, Word};
use super::condition;
use super::header::{self, Header};
use super::steps::FAIL;
use super::{all, found};

/// Names that are no headers, whatever stands behind them.
const KEYWORDS: &[&str] = &["in", "if", "elif", "else", "out", "err", "call", "config", "state"];

/// A program that is being read, line by line.
#[derive(Default)]
pub(super) struct Blocks<'a> {
    pub(super) declared: Vec<Line<'a>>,
    /// `D Config` and `D State`, each with the fields of all its lines.
    pub(super) fields: Vec<Line<'a>>,
    bodies: Vec<Body<'a>>,
    levels: Vec<Level<'a>>,
    /// The name in the first header, and whether there was one.
    pub(super) main: Option<Cow<'a, str>>,
    /// How many labels and results were given names so far.
    made: usize,
}

/// A label that is being filled.
struct Body<'a> {
    head: Line<'a>,
    lines: Vec<Line<'a>>,
    /// Whether it belongs to nothing, as is reported then.
    is_lost: bool,
}

/// A block that is open.
struct Level<'a> {
    /// How its lines are indented; its first one says it.
    indent: Option<&'a str>,
    /// The label that its next statement belongs to.
    body: usize,
    /// The `if` that its last statement was.
    pending: Option<Pending>,
    /// The line that opened it.
    opened: (Span, &'static str),
}

/// An `if` whose blocks are read, but not yet what follows it.
pub(super) struct Pending {
    /// The label of what follows.
    after: String,
    at: (Span, usize),
    /// The `If` that has no `else` yet: the label it stands in, and its line there.
    without_else: Option<(usize, usize)>,
    /// Labels that end without returning, so that what follows the `if` comes next.
    falls: Vec<usize>,
    /// `If`s inside of them that have no `else`.
    open: Vec<(usize, usize)>,
}

impl<'a> Blocks<'a> {
    /// Takes a line.
    pub(super) fn line(
        &mut self,
        indent: &'a str,
        line: Line<'a>,
        program: &mut Program<'a>,
        findings: &mut Vec<Diagnostic>,
    ) {
        if program::declared_label(&line.op.text).is_some() && !line.op.quoted {
            self.begin(line, findings);
            return;
        }
        let is_outside = indent.is_empty() || self.levels.is_empty();
        let header = header::read(&all(&line)).filter(|_| is_outside);
        if let Some(header) = header.filter(|header| !KEYWORDS.contains(&&*header.name.text)) {
            self.header(header, line.number, findings);
            return;
        }
        self.find_level(indent, &line, findings);
        let before = findings.len();
        let is_done = self.statement(&line, findings);
        if !is_done || findings[before..].iter().any(|found| found.code.obscures()) {
            program.keep(&line, None);
        }
    }

    /// All lines as lines of ops: what is declared, then the labels.
    pub(super) fn finish(
        mut self,
        program: &mut Program<'a>,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<Line<'a>> {
        while !self.levels.is_empty() {
            self.close(findings);
        }
        let mut lines = self.declared;
        lines.append(&mut self.fields);
        for body in self.bodies {
            if body.is_lost {
                // What it belongs to means nothing, and is told; nothing is thrown away.
                body.lines.iter().for_each(|line| program.keep(line, Some("scope")));
                continue;
            }
            lines.push(body.head);
            lines.extend(body.lines);
        }
        lines
    }

    /// What the first header calls the program.
    pub(super) fn name(&self) -> Option<Text> {
        self.main.as_deref().map(Text::from)
    }

    fn header(&mut self, header: Header<'a>, number: usize, findings: &mut Vec<Diagnostic>) {
        let Header { name, decorator } = header;
        let label = match &self.main {
            Some(_) => format!("_{}", name.text),
            None => "_entry".to_string(),
        };
        let decorator = decorator.and_then(|(word, argument)| match (&*word.text, argument) {
            ("@cron" | "@api", Some(argument)) => Some((word, argument)),
            (_, argument) => {
                findings.push(found::decorator(&word, argument.as_ref()));
                None
            }
        });
        let at = name.span;
        let bare = |text: &str| Word::bare(text.to_string(), at);
        let declared = match (decorator, &self.main) {
            (Some((word, when)), None) if word.text == "@cron" => {
                Some(("S", vec![bare("core"), bare("cron"), when]))
            }
            (Some((word, when)), Some(_)) if word.text == "@cron" => {
                Some(("Cr", vec![bare(&format!("L{label}")), when]))
            }
            (Some((_, path)), _) => {
                let target = bare(&format!("->L{label}"));
                let endpoint = vec![path.clone(), bare("G"), target];
                self.declared.push(Line { number, op: bare("E"), words: endpoint });
                Some(("S", vec![bare("app"), bare("api"), path]))
            }
            (None, None) => Some(("S", vec![bare("app"), bare("core"), bare("noop")])),
            (None, Some(_)) => None,
        };
        if let Some((op, words)) = declared {
            self.declared.push(Line { number, op: bare(op), words });
        }
        let head = Line { number, op: bare(&format!("L{label}:")), words: Vec::new() };
        self.main.get_or_insert(name.text);
        self.begin(head, findings);
    }

    /// Begins a label outside of all blocks.
    fn begin(&mut self, head: Line<'a>, findings: &mut Vec<Diagnostic>) {
        while !self.levels.is_empty() {
            self.close(findings);
        }
        let opened = (head.span(), "");
        let body = self.body(head);
        self.levels.push(Level { indent: None, body, pending: None, opened });
    }

    fn body(&mut self, head: Line<'a>) -> usize {
        self.bodies.push(Body { head, lines: Vec::new(), is_lost: false });
        self.bodies.len() - 1
    }

    /// A label for a block, which stands where this is.
    fn label(&mut self, id: &str, (span, number): (Span, usize)) -> usize {
        let op = Word::bare(format!("L{id}:"), span);
        self.body(Line { number, op, words: Vec::new() })
    }

    pub(super) fn next(&mut self, what: &str) -> String {
        self.made += 1;
        format!("_c_{what}_{}", self.made)
    }

    /// Closes the blocks that a line does not belong to any more.
    fn find_level(&mut self, indent: &'a str, line: &Line<'a>, findings: &mut Vec<Diagnostic>) {
        loop {
            let above = self.levels.iter().rev().nth(1).and_then(|level| level.indent);
            let depth = self.levels.len();
            let Some(level) = self.levels.last_mut() else { return };
            match (level.indent, above) {
                (None, None) => {
                    level.indent = Some(indent);
                    return;
                }
                (None, Some(above)) if indent != above && indent.starts_with(above) => {
                    level.indent = Some(indent);
                    return;
                }
                (Some(own), _) if own == indent => return,
                (None, Some(_)) => self.close(findings),
                (Some(own), _) if depth > 1 && own.starts_with(indent) => self.close(findings),
                (Some(_), _) => {
                    let what = "like no block that is open";
                    findings.push(found::indentation(line, what));
                    return;
                }
            }
        }
    }

    /// Closes the innermost block: where it ends without returning, what follows comes next.
    fn close(&mut self, findings: &mut Vec<Diagnostic>) {
        let Some(level) = self.levels.pop() else { return };
        if level.indent.is_none() && !level.opened.1.is_empty() {
            findings.push(found::empty_block(level.opened.0, level.opened.1));
        }
        let (mut falls, mut open) = match level.pending {
            Some(mut pending) => {
                pending.open.extend(pending.without_else);
                (pending.falls, pending.open)
            }
            None if self.returns(level.body) => (Vec::new(), Vec::new()),
            None => (vec![level.body], Vec::new()),
        };
        let outer = self.levels.last_mut().and_then(|outer| outer.pending.as_mut());
        if let Some(outer) = outer {
            outer.falls.append(&mut falls);
            outer.open.append(&mut open);
        }
    }

    /// Whether control never comes to the end of a label.
    fn returns(&self, body: usize) -> bool {
        let Some(last) = self.bodies[body].lines.last() else { return false };
        let leaves = ops::find(&last.op.text).is_some_and(|op| {
            let jumps =
                |kind: SlotKind| matches!(kind, SlotKind::Target(port) if !port.is_failure());
            op.returns() || op.slots.iter().any(|slot| jumps(slot.kind))
        });
        leaves || last.words.first().is_some_and(|word| word.text == FAIL)
    }

    /// Adds a line to the open block: behind an `if`, to the label of what follows it.
    pub(super) fn push(&mut self, line: Line<'a>) {
        let pending = self.levels.last_mut().and_then(|level| level.pending.take());
        if let Some(pending) = pending {
            let (span, number) = pending.at;
            let after = self.label(&pending.after, pending.at);
            let arrow = || Word::bare(format!("->L{}", pending.after), span);
            for body in pending.falls {
                // In lines of ops, only an `If` goes to another label and does not come back.
                let number = self.bodies[body].lines.last().map_or(number, |last| last.number);
                let words = vec![Word::bare("true", span), arrow(), arrow()];
                let jump = Line { number, op: Word::bare("If", span), words };
                self.bodies[body].lines.push(jump);
            }
            for (body, line) in pending.open.into_iter().chain(pending.without_else) {
                self.bodies[body].lines[line].words.push(arrow());
            }
            if let Some(level) = self.levels.last_mut() {
                level.body = after;
            }
        }
        if let Some(level) = self.levels.last() {
            self.bodies[level.body].lines.push(line);
        }
    }

    pub(super) fn op(&mut self, line: &Line<'a>, op: &'static str, words: Vec<Word<'a>>) {
        let op = Word::bare(op, line.op.span);
        self.push(Line { number: line.number, op, words });
    }

    /// Adds an `If`, and opens the block of what is done where it holds. An `elif` goes on with
    /// the ends that its `if` has already.
    pub(super) fn condition(
        &mut self,
        line: &Line<'a>,
        words: &[Word<'a>],
        before: Option<Pending>,
        findings: &mut Vec<Diagnostic>,
    ) {
        let then = self.next("then");
        let before = before.unwrap_or_else(|| Pending {
            after: self.next("cont"),
            at: (line.op.span, line.number),
            without_else: None,
            falls: Vec::new(),
            open: Vec::new(),
        });
        let asked = match words {
            [] => Err(Box::new(found::nothing_behind(line, "a condition"))),
            [only] if only.quoted => Err(found::odd_condition(words, None)),
            _ => condition::read(words),
        };
        let condition = match asked {
            Ok(asked) => self.compute(line, asked),
            Err(found) => {
                findings.push(*found);
                Word::bare("false", line.op.span)
            }
        };
        let at = (line.op.span, line.number);
        let arrow = Word::bare(format!("->L{then}"), line.op.span);
        self.op(line, "If", vec![condition, arrow]);
        let Some(level) = self.levels.last_mut() else { return };
        let body = level.body;
        let made = (body, self.bodies[body].lines.len() - 1);
        level.pending = Some(Pending { without_else: Some(made), ..before });
        let body = self.label(&then, at);
        self.open(body, line, "if");
    }

    /// Opens the block below a line.
    pub(super) fn open(&mut self, body: usize, line: &Line<'a>, what: &'static str) {
        let opened = (line.span(), what);
        self.levels.push(Level { indent: None, body, pending: None, opened });
    }

    /// Opens the block below a line that means nothing.
    pub(super) fn open_lost(&mut self, line: &Line<'a>) {
        let id = self.next("lost");
        let body = self.label(&id, (line.op.span, line.number));
        self.bodies[body].is_lost = true;
        self.open(body, line, "");
    }

    /// Begins the label of what is done otherwise; without an `if` for it, it is lost.
    pub(super) fn otherwise(&mut self, line: &Line<'a>, findings: &mut Vec<Diagnostic>) -> usize {
        let id = self.next("else");
        let made = self.label(&id, (line.op.span, line.number));
        let pending = self.levels.last_mut().and_then(|level| level.pending.as_mut());
        match pending.and_then(|pending| pending.without_else.take()) {
            Some((body, at)) => {
                let arrow = Word::bare(format!("->L{id}"), line.op.span);
                self.bodies[body].lines[at].words.push(arrow);
            }
            None => {
                findings.push(found::stray_else(line));
                self.bodies[made].is_lost = true;
            }
        }
        made
    }

    /// `elif`: an `If` of its own in what is done otherwise.
    pub(super) fn or_if(
        &mut self,
        line: &Line<'a>,
        words: &[Word<'a>],
        findings: &mut Vec<Diagnostic>,
    ) {
        let body = self.otherwise(line, findings);
        if self.bodies[body].is_lost {
            self.open(body, line, "elif");
        } else if let Some(level) = self.levels.last_mut() {
            level.body = body;
            let before = level.pending.take();
            self.condition(line, words, before, findings);
        }
    }
}
