//! What a person reads: what fired, what it printed, and the facts in the end.

use anyhow::Result;
use diagnostics::Source;
use rules::Memory;
use rules::explain::{Firing, Reason, WhyNot};

use crate::output;

/// Text that is printed in large pieces, as it comes to be.
pub(super) struct Told {
    text: String,
    is_silent: bool,
}

const PIECE: usize = 1 << 16;

impl Told {
    /// Nothing is told where a document is wanted.
    pub(super) fn new(is_silent: bool) -> Told {
        Told { text: String::new(), is_silent }
    }

    pub(super) fn begin(&mut self) {
        self.text.push_str("fired\n");
    }

    /// One rule, and what it printed: that is behind a bar, to be told from what we say.
    pub(super) fn firing(
        &mut self,
        number: usize,
        rule: &str,
        explained: Option<&Firing>,
        printed: &str,
    ) -> Result<()> {
        if self.is_silent {
            return Ok(());
        }
        let told = explained.map_or(rule.to_owned(), Firing::to_string);
        let mut lines = told.lines();
        self.line(&format!("  {number:<3} {}", lines.next().unwrap_or_default()));
        lines.for_each(|line| self.line(&format!("    {line}")));
        printed.lines().for_each(|line| self.line(&format!("      | {line}")));
        if self.text.len() > PIECE { self.flush() } else { Ok(()) }
    }

    /// The facts, by index.
    pub(super) fn facts(&mut self, memory: &Memory) -> Result<()> {
        if self.text == "fired\n" {
            self.line("  nothing");
        }
        self.line("facts");
        let mut any = false;
        for fact in memory.facts() {
            any = true;
            let text = memory.print(fact.id).unwrap_or_default();
            self.line(&format!("  f-{:<4} {text}", fact.index));
            if self.text.len() > PIECE {
                self.flush()?;
            }
        }
        if !any {
            self.line("  none");
        }
        Ok(())
    }

    /// Why rules did not fire, with the condition in its author's words.
    pub(super) fn why_not(&mut self, source: &Source, all: &[WhyNot]) -> Result<()> {
        for why_not in all {
            self.line(&format!("why not {}", why_not.rule));
            for (number, reason) in (1..).zip(&why_not.ways) {
                if why_not.ways.len() > 1 {
                    self.line(&format!("  alternative {number}"));
                }
                let Reason::Fails { condition, span, .. } = reason else {
                    self.line(&format!("  {reason}"));
                    continue;
                };
                let line = source.position(span.start).line;
                let words = words(source, *span);
                self.line(&format!("  condition {condition}, line {line}: {words}"));
                // Its first line says which condition it is, which is said better now.
                reason.to_string().lines().skip(1).for_each(|line| self.line(line));
            }
        }
        Ok(())
    }

    /// Prints what is left.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn flush(&mut self) -> Result<()> {
        output::print(&std::mem::take(&mut self.text))
    }
}

/// The words of a piece of the text, on one line.
pub(super) fn words(source: &Source, span: diagnostics::Span) -> String {
    let words = source.text.get(span.range()).unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
