//! What each statement does: the lines of ops that it becomes.

use diagnostics::{Diagnostic, Span};

use super::super::declare;
use super::super::token::{Line, Word};
use super::blocks::Blocks;
use super::condition::{self, Asked};
use super::found;
use super::statement::{self, Statement};

/// What fails with a message.
pub(super) const FAIL: &str = "core.FAIL";

impl<'a> Blocks<'a> {
    /// Takes a statement, and says whether it was one.
    pub(super) fn statement(&mut self, line: &Line<'a>, findings: &mut Vec<Diagnostic>) -> bool {
        match statement::read(line) {
            Statement::Inputs(names) => self.inputs(line, &names, findings),
            Statement::Fields(of, words) => self.fields_of(line, of, words, findings),
            Statement::If(words, has_colon) => {
                if !has_colon {
                    findings.push(found::no_colon(line));
                }
                self.condition(line, &words, None, findings);
            }
            Statement::ElseIf(words, has_colon) => {
                if !has_colon {
                    findings.push(found::no_colon(line));
                }
                self.or_if(line, &words, findings);
            }
            Statement::Else(words, has_colon) => {
                if !has_colon {
                    findings.push(found::no_colon(line));
                } else if !words.is_empty() {
                    findings.push(found::behind_block(&words, "else:"));
                }
                let body = self.otherwise(line, findings);
                self.open(body, line, "else");
            }
            Statement::Assign(name, value) => {
                if !graph::is_name(&name.text) {
                    findings.push(found::no_name(&name, "a variable"));
                } else {
                    self.evaluate(line, name, &value, findings);
                }
            }
            Statement::Out(value) => {
                let out = Word::bare("_out", line.op.span);
                if value.is_empty() {
                    let done = Word { quoted: true, ..Word::bare("done", line.op.span) };
                    self.op(line, "Set", vec![out.clone(), done]);
                } else {
                    self.evaluate(line, out.clone(), &value, findings);
                }
                self.op(line, "J", vec![out]);
            }
            Statement::Fail(words) => self.fail(line, words, findings),
            Statement::Call(words) => self.call(line, None, &words, findings),
            Statement::Do(mut words) => {
                if words.last().and_then(Word::arrow).is_none() {
                    words.push(Word::bare("->_", line.op.span));
                }
                self.op(line, "R", words);
            }
            Statement::Op if declare::find(&line.op.text).is_some() => {
                self.declared.push(line.clone());
            }
            Statement::Op => self.push(line.clone()),
            Statement::Unknown => {
                findings.push(found::unknown(line));
                // What stands below it belongs to it, whatever it was meant to be.
                if statement::ends_in_colon(line) {
                    self.open_lost(line);
                }
                return false;
            }
        }
        true
    }

    fn inputs(&mut self, line: &Line<'a>, names: &[Word<'a>], findings: &mut Vec<Diagnostic>) {
        if names.is_empty() {
            findings.push(found::missing_name(line, "inputs"));
        }
        for word in names {
            // Commas between them mean nothing.
            for (at, name) in parts(&word.text) {
                let name = word.part(at..at + name.len());
                if name.quoted || !graph::is_name(&name.text) {
                    findings.push(found::no_name(&name, "an input"));
                    continue;
                }
                let given = Word::bare(format!("${}", name.text), name.span);
                self.op(line, "Set", vec![name, given]);
            }
        }
    }

    fn fields_of(
        &mut self,
        line: &Line<'a>,
        of: &'static str,
        words: Vec<Word<'a>>,
        findings: &mut Vec<Diagnostic>,
    ) {
        if words.is_empty() {
            findings.push(found::missing_name(line, "fields"));
            return;
        }
        match self.fields.iter_mut().find(|known| known.words[0].text == of) {
            Some(known) => known.words.extend(words),
            None => {
                let bare = |text: &'static str| Word::bare(text, line.op.span);
                let words = std::iter::once(bare(of)).chain(words).collect();
                self.fields.push(Line { number: line.number, op: bare("D"), words });
            }
        }
    }

    /// Stores a value under a name.
    fn evaluate(
        &mut self,
        line: &Line<'a>,
        name: Word<'a>,
        value: &[Word<'a>],
        findings: &mut Vec<Diagnostic>,
    ) {
        match value {
            [] => {
                findings.push(found::nothing_behind(line, "a value"));
                self.unknown_value(line, name);
            }
            [first, ..] if statement::is_call(first) => {
                self.bound(line, "R", value.to_vec(), Some(name));
            }
            [first, rest @ ..] if first.text == "call" && !first.quoted && !rest.is_empty() => {
                self.call(line, Some(name), rest, findings);
            }
            _ => match condition::value(value) {
                Ok(Asked::Operand(word)) => self.op(line, "Set", vec![name, word]),
                Ok(Asked::Function(function, parts)) => {
                    self.function(line, name, function, parts);
                }
                Err(found) => {
                    findings.push(*found);
                    self.unknown_value(line, name);
                }
            },
        }
    }

    /// Stores nothing under a name, so that reading it is no second finding.
    fn unknown_value(&mut self, line: &Line<'a>, name: Word<'a>) {
        let null = Word::bare("null", line.op.span);
        self.op(line, "Set", vec![name, null]);
    }

    /// Adds what computes a condition; the word that holds it.
    pub(super) fn compute(&mut self, line: &Line<'a>, asked: Asked<'a>) -> Word<'a> {
        match asked {
            Asked::Operand(word) => word,
            Asked::Function(function, parts) => {
                // Comes first, as the name of the whole does where there is only one.
                let parts = parts.into_iter().map(|part| self.compute(line, part)).collect();
                let name = Word::bare(format!("_cmp{}", self.next("cmp")), line.op.span);
                self.apply(line, name.clone(), function, parts);
                name
            }
        }
    }

    fn function(
        &mut self,
        line: &Line<'a>,
        name: Word<'a>,
        function: &'static str,
        parts: Vec<Asked<'a>>,
    ) {
        let parts = parts.into_iter().map(|part| self.compute(line, part)).collect();
        self.apply(line, name, function, parts);
    }

    fn apply(
        &mut self,
        line: &Line<'a>,
        name: Word<'a>,
        function: &'static str,
        parts: Vec<Word<'a>>,
    ) {
        let mut words = vec![name, Word::bare(function, line.op.span)];
        words.extend(parts);
        self.op(line, "X", words);
    }

    /// Adds a call whose result goes to a name.
    fn bound(
        &mut self,
        line: &Line<'a>,
        op: &'static str,
        mut words: Vec<Word<'a>>,
        name: Option<Word<'a>>,
    ) {
        let Some(name) = name else { return self.op(line, op, words) };
        // Behind an arrow, such a name would be a label.
        let is_label = name.text.starts_with('L');
        let bound = if is_label { format!("_{}", name.text) } else { name.text.to_string() };
        words.push(Word::bare(format!("->{bound}"), name.span));
        self.op(line, op, words);
        if is_label {
            let bound = Word::bare(bound, name.span);
            self.op(line, "Set", vec![name, bound]);
        }
    }

    fn call(
        &mut self,
        line: &Line<'a>,
        bound: Option<Word<'a>>,
        words: &[Word<'a>],
        findings: &mut Vec<Diagnostic>,
    ) {
        let Some((name, rest)) = words.split_first() else {
            findings.push(found::missing_name(line, "label"));
            return;
        };
        let is_main = self.main.as_ref() == Some(&name.text);
        let label = if is_main { "L_entry".to_string() } else { format!("L_{}", name.text) };
        let mut words = vec![Word::bare(label, name.span)];
        words.extend(rest.iter().cloned());
        self.bound(line, "Call", words, bound);
    }

    /// `err`: an author means that the run fails with this message.
    fn fail(&mut self, line: &Line<'a>, words: Vec<Word<'a>>, findings: &mut Vec<Diagnostic>) {
        let message = match words.as_slice() {
            [] => {
                findings.push(found::nothing_behind(line, "the message"));
                return;
            }
            [only] => only.clone(),
            [first, .., last] => {
                let span = Span { start: first.span.start, end: last.span.end };
                let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
                Word { text: texts.join(" ").into(), span, quoted: true }
            }
        };
        let call = Word::bare(FAIL, line.op.span);
        self.op(line, "R", vec![call, message, Word::bare("->_", line.op.span)]);
    }
}

/// The parts of a text between commas that are not empty, and where they begin.
fn parts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let parts = text.split(',').map(move |part| {
        let begin = at;
        at += part.len() + 1;
        (begin, part)
    });
    parts.filter(|(_, part)| !part.is_empty())
}
