//! Puts a block into the function that it is the body of.

use std::borrow::Cow;

/// The name of the function. What it returns at its end is itself, which no block has at hand, so
/// that a `return` of the block can be told from it.
const FUNCTION: &str = "__block";

/// The name of the state outside of the function: the block may give its own to something else.
pub(super) const STATE: &str = "__state";

/// A block as the interpreter takes it.
#[derive(Debug)]
pub(super) struct Wrapped {
    /// The whole text.
    pub(super) text: String,
    /// How many lines stand before the author's first one.
    pub(super) lines_before: usize,
}

/// Wraps a block that is Python. `modules` are those that it relies on without importing them.
///
/// The text yields whether the block returned, and its `state.data`.
pub(super) fn wrap(code: &str, modules: &[&str]) -> Wrapped {
    let code = code.trim_start_matches('\u{feff}');
    // To Python every end of a line is one, in texts too; the interpreter leaves that to its host.
    let code: Cow<'_, str> = match code.contains('\r') {
        true => code.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => code.into(),
    };
    let mut text = String::with_capacity(code.len() + code.len() / 8 + 160);
    for module in modules {
        text += &format!("import {module}\n");
    }
    text += &format!("def {FUNCTION}(state):\n");
    let lines_before = modules.len() + 1;
    let indentation = first_indentation(&code);
    if indentation.is_empty() {
        indent(&mut text, &code);
    } else {
        text += &code;
    }
    let indentation = if indentation.is_empty() { " " } else { indentation };
    text += &format!(
        "\n\n{indentation}return {FUNCTION}\n\
         __returned = {FUNCTION}({STATE}) is not {FUNCTION}\n\
         (__returned, {STATE}.data)\n"
    );
    Wrapped { text, lines_before }
}

/// How the first line of code is indented; nothing where there is no code.
fn first_indentation(code: &str) -> &str {
    let mut lines = code.split('\n');
    let indented = |line: &str| line.len() - line.trim_start_matches([' ', '\t', '\u{c}']).len();
    let is_code = |line: &&str| !matches!(line.as_bytes().get(indented(line)), None | Some(b'#'));
    let first = lines.find(is_code).unwrap_or("");
    &first[..indented(first)]
}

/// Indents every line by a space, except those that begin inside of a text: there the space would
/// become part of it.
fn indent(text: &mut String, code: &str) {
    let literal = inside_of_texts(code);
    let mut literal = literal.iter().peekable();
    let mut start = 0;
    while start < code.len() {
        while literal.next_if(|(_, end)| *end < start).is_some() {}
        let is_literal = literal.peek().is_some_and(|(from, end)| *from < start && start <= *end);
        if !is_literal {
            text.push(' ');
        }
        let end = code[start..].find('\n').map_or(code.len(), |at| start + at + 1);
        text.push_str(&code[start..end]);
        start = end;
    }
}

/// Where texts go over several lines, by byte, in order. What stands between the braces of an
/// f-string is code again.
fn inside_of_texts(code: &str) -> Vec<(usize, usize)> {
    // It was read before, so it parses; if it did not, the interpreter would say so.
    let Ok(parsed) = ruff_python_parser::parse_module(code) else { return Vec::new() };
    let texts = parsed.tokens().iter().filter(|token| token.string_flags().is_some());
    let ranges = texts.map(|token| {
        let (_, range) = token.as_tuple();
        (range.start().to_usize(), range.end().to_usize())
    });
    ranges.filter(|(start, end)| code[*start..*end].contains('\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(code: &str, expected: Expect) {
        expected.assert_eq(&wrap(code, &[]).text);
    }

    #[test]
    fn lines_inside_of_texts_are_not_indented() {
        check(
            "a = '''x\ny'''\nif a:\n  b = f'''\n{a}\n'''\r\nc = (1,\n2)",
            expect![[r#"
                def __block(state):
                 a = '''x
                y'''
                 if a:
                   b = f'''
                {a}
                '''
                 c = (1,
                 2)

                 return __block
                __returned = __block(__state) is not __block
                (__returned, __state.data)
            "#]],
        );
    }

    #[test]
    fn a_body_that_is_indented_stays_as_it_is() {
        check(
            "# why\n\n    a = 1\n    b = 2",
            expect![[r#"
                def __block(state):
                # why

                    a = 1
                    b = 2

                    return __block
                __returned = __block(__state) is not __block
                (__returned, __state.data)
            "#]],
        );
    }
}
