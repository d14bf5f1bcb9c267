//! Reads the inline Python of a `logic:` block without running it.
//!
//! A block is the body of a function of `state`. [`read`] says which keys of `state.data` it
//! reads, needs and writes, which stores and outside names it uses, and what in it is no
//! Python or more than the interpreter runs. Nothing here runs code or knows about graphs.
//!
//! ```
//! let block = logic::read("state.data['total'] = state.data['price'] * state.data.get('count', 1)");
//! assert_eq!(block.reads, ["price".into(), "count".into()]);
//! assert_eq!(&*block.needs[0].key, "price");
//! assert_eq!(block.writes, ["total".into()]);
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod block;
mod data;
mod interpreter;
mod nesting;
mod survey;
mod syntax;

use std::borrow::Cow;

use ruff_python_ast::Stmt;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

pub use block::{Access, Block, DONE, Need, Outside, Problem, ProblemKind};
pub use interpreter::{IMPLIED_MODULES, importable_modules};

/// Everything that can be said about a block from its text.
///
/// It never fails: what is wrong with the block is in [`Block::problems`], and the rest is
/// then as good as the text allows, with [`Block::inexact`] set.
pub fn read(code: &str) -> Block {
    let mut block = Block::default();
    let Some(indentation) = syntax::first_indentation(code) else { return block };
    if let Some(refusal) = nesting::refusal(code) {
        block.problems.push(refusal);
        block.inexact = true;
        return block;
    }
    // A body that is indented as a whole is still a body: give it something to be indented under.
    let shift = if indentation > 0 { syntax::WRAPPER.len() } else { 0 };
    let text: Cow<str> =
        if shift > 0 { format!("{}{code}", syntax::WRAPPER).into() } else { code.into() };
    let parsed = parse_unchecked(&text, ParseOptions::from(Mode::Module));
    let offsets = block::Offsets { shift, end: code.len() };
    let mut problems = syntax::problems(&parsed, code, offsets);
    let module = parsed.syntax().as_module().map(|module| &*module.body).unwrap_or_default();
    let body = match module {
        [Stmt::FunctionDef(wrapper), rest @ ..] if shift > 0 => {
            let unindented = rest.first().filter(|_| problems.is_empty());
            problems.extend(unindented.map(|statement| syntax::unindented(statement, offsets)));
            &*wrapper.body
        }
        body => body,
    };
    let is_python = problems.is_empty();
    let survey = survey::Survey::of(body, offsets);
    if !survey.too_deep {
        data::read(body, offsets, &mut block);
    }
    block.inexact |= !is_python || survey.too_deep;
    // What a half-understood text lacks is mostly what it does not say.
    if is_python || survey.too_deep {
        problems.extend(survey.problems);
        block.outside = survey.outside;
        block.implied = survey.implied;
    }
    block.returns_early = survey.returns_early;
    problems.sort_by_key(|problem| (problem.range.start, problem.range.end));
    block.problems = problems;
    block
}
