//! What is no Python, and where a block begins.

use expect_test::expect;

use super::check;

#[test]
fn indented_and_empty_blocks() {
    check("", expect![]);
    check("  # nothing\n\n", expect![]);
    check("pass", expect![]);
    check(
        "  state.data['a'] = 1\n  x = state.data['b']\n",
        expect![[r#"
            reads: b
            needs: b at `state.data['b']`
            writes: a
        "#]],
    );
    check(
        "    if x:\n        y = )\n",
        expect![[r#"
            is: inexact
            Syntax: `)`: a value is missing here
        "#]],
    );
    check(
        "  a = 1\nb = 2\n",
        expect![[r#"
            is: inexact
            Syntax: `b = 2`: this line is indented less than the first one
              help: indent all lines of the block alike
        "#]],
    );
}

#[test]
fn syntax_in_our_words() {
    check(
        "if x\n  pass",
        expect![[r#"
            is: inexact
            Syntax: ``: `:` is missing at the end of this line
        "#]],
    );
    check(
        "if x:\npass",
        expect![[r#"
            is: inexact
            Syntax: `pass`: expected an indented block after `if` statement
              help: indent this line, or write `pass` above it
        "#]],
    );
    check(
        "x = [1, 2\ny = 3",
        expect![[r#"
            is: inexact
            Syntax: `[`: `[` is never closed
              help: close it
        "#]],
    );
    check(
        "x = 'abc\ny = 1",
        expect![[r#"
            is: inexact
            Syntax: `'abc`: this text has no closing quote
              help: add the quote
        "#]],
    );
    check(
        "x = f'{a'",
        expect![[r#"
            is: inexact
            Syntax: `'`: `{` of this f-string has no `}`
        "#]],
    );
    check(
        "x = f'a}'",
        expect![[r#"
            is: inexact
            Syntax: `}`: `}` of this f-string has no `{`; write `}}` for the character
        "#]],
    );
    check(
        "a = 1\n  b = 2",
        expect![[r#"
            is: inexact
            Syntax: `  `: this line is indented more than the one before
              help: only the lines under one that ends with `:` are indented further
        "#]],
    );
    check(
        "if a:\n    b = 1\n  c = 2",
        expect![[r#"
            is: inexact
            Syntax: `  `: this line is indented like none of the lines above it
              help: indent it like the line it belongs with
        "#]],
    );
    check(
        "state.data['a'] = = 1",
        expect![[r#"
            writes: a
            is: inexact
            Syntax: `=`: a value is missing here
        "#]],
    );
    check(
        "f(x) = 1",
        expect![[r#"
            is: inexact
            Syntax: `f(x)`: this cannot be assigned to
              help: assign to a name or to `state.data["key"]`; `==` compares
        "#]],
    );
    check(
        "x = “a”",
        expect![[r#"
            is: inexact
            Syntax: `“`: this is a typographic quote
              help: use `"` or `'`
        "#]],
    );
    check(
        "x = !y",
        expect![[r#"
            is: inexact
            Syntax: `!`: `!` is no operator
              help: write `not`
        "#]],
    );
    check(
        "print 'a'",
        expect![[r#"
            is: inexact
            Syntax: `'a'`: two statements stand on one line
              help: put them on two lines, or an operator, comma or quote is missing between them
        "#]],
    );
    check(
        "x = state.data[]",
        expect![[r#"
            is: reads all, inexact
            Syntax: `]`: a key or an index is missing between `[` and `]`
        "#]],
    );
    check(
        "f(a, [b",
        expect![[r#"
            is: inexact
            Syntax: `[`: `[` is never closed
              help: close it
        "#]],
    );
    check(
        "  a = 1\nelse:\n  b = 2",
        expect![[r#"
            is: inexact
            Syntax: `else`: expected a statement
            Syntax: `  `: this line is indented more than the one before
              help: only the lines under one that ends with `:` are indented further
        "#]],
    );
    check(
        "x = a && b\ny = c || d",
        expect![[r#"
            is: inexact
            Syntax: `&`: `&&` is no operator
              help: write `and`
            Syntax: `|`: `||` is no operator
              help: write `or`
        "#]],
    );
    check(
        "x = a &&",
        expect![[r#"
            is: inexact
            Syntax: `&`: `&&` is no operator
              help: write `and`
        "#]],
    );
    check(
        "break",
        expect![[r#"
            Syntax: `break`: `break` stands outside a loop
              help: use `return state` to leave the block
        "#]],
    );
    check(
        "x = await f()",
        expect![[r#"
            outside: f()
            Syntax: `await f()`: `await` stands outside an `async` function
              help: leave it out
        "#]],
    );
}
