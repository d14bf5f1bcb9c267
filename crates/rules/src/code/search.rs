//! Patterns in texts. One that is only known when code runs is compiled then, which takes far longer
//! than to look for it: the machine keeps the last few.

use std::sync::Arc;

use ::regex::Regex;
use diagnostics::Span;

use super::machine::Running;
use super::{Fault, World};
use crate::field::Field;
use crate::functions::regex;

/// How many patterns are kept.
const KEPT: usize = 8;

/// The last patterns that were compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    /// The one that was used last stands last.
    kept: Vec<(Arc<str>, Arc<Regex>)>,
}

impl Patterns {
    fn find(&mut self, pattern: &str) -> Option<Arc<Regex>> {
        let at = self.kept.iter().position(|(known, _)| **known == *pattern)?;
        self.kept[at..].rotate_left(1);
        self.kept.last().map(|(_, compiled)| compiled.clone())
    }

    fn keep(&mut self, pattern: &str, compiled: &Arc<Regex>) {
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push((pattern.into(), compiled.clone()));
    }
}

impl<W: World> Running<'_, W> {
    /// Whether a text has a pattern that is compiled.
    pub(super) fn has(&mut self, text: &Field, pattern: &Regex, span: Span) -> Result<bool, Fault> {
        let Some(searched) = text.lexeme() else {
            return Err(wrong(&regex::no_text(text, 1), span));
        };
        self.charge(regex::searching(searched), span)?;
        Ok(pattern.is_match(searched))
    }

    /// Whether a text has a pattern. One that was kept does not count as compiled.
    pub(super) fn search(
        &mut self,
        pattern: &Field,
        text: &Field,
        span: Span,
    ) -> Result<bool, Fault> {
        let Some(wanted) = pattern.lexeme() else {
            return Err(wrong(&regex::no_text(pattern, 0), span));
        };
        let compiled = match self.machine.patterns.find(wanted) {
            Some(compiled) => compiled,
            None => {
                self.charge(regex::compiling(wanted), span)?;
                let compiled = regex::compiled(wanted).map_err(|why| wrong(&why, span))?;
                let compiled = Arc::new(compiled);
                self.machine.patterns.keep(wanted, &compiled);
                compiled
            }
        };
        self.has(text, &compiled, span)
    }
}

fn wrong(why: &str, span: Span) -> Fault {
    Fault { span, message: format!("`regex-match`: {why}") }
}
