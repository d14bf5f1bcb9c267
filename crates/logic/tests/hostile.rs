//! Text that is made to break its reader: deep, long, cut off, or random.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use logic::{Block, read};
use proptest::prelude::*;

/// As much stack as a thread gets on the systems we know, or less.
const STACK_BYTES: usize = 1 << 20;

fn read_on_small_stack(code: String) -> Block {
    let reading = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || read(&code));
    reading.unwrap().join().unwrap()
}

/// Ways to nest, and what closes them again.
const NESTING: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("{0:", "}"),
    ("f(", ")"),
    ("a[", "]"),
    ("[*", "]"),
    ("f'{", "}'"),
    ("f'{a:{", "}}'"),
    ("-", ""),
    ("~", ""),
    ("not ", ""),
    ("await ", ""),
    ("lambda: ", ""),
    ("lambda a, b=", ": 0"),
    ("lambda a, b=1, c=", ": 0"),
    ("a if b else ", ""),
    ("a + ", ""),
    ("a ** ", ""),
    ("a and not ", ""),
    ("a or b and ", ""),
    ("a < ", ""),
    ("a.", ""),
    ("(a := ", ")"),
    ("[x for x in ", "]"),
    ("yield ", ""),
    ("(yield ", ")"),
    ("(]", ""),
    ("([", ")"),
    ("state.data[", "]"),
    ("a = ", ""),
    ("a: ", ""),
    ("'", ""),
    ("if a:\n ", ""),
    ("*", ""),
    ("**", ""),
    ("@", ""),
];

#[test]
fn nesting_does_not_overflow_the_stack() {
    for (open, close) in NESTING {
        for times in [90, 180, 480, 990, 25_000, 100_000] {
            let code = format!("{}a{}", open.repeat(times), close.repeat(times));
            let block = read_on_small_stack(code);
            assert!(times < 1_000 || !block.problems.is_empty(), "{open} {times}");
        }
    }
}

#[test]
fn chains_do_not_overflow_the_stack() {
    for link in [
        ".a",
        "()",
        "[0]",
        " + a",
        " and a",
        ", a",
        " < a",
        "\n",
        "; a",
        "['x'].y(0)",
        " 'a'",
        " is not a",
    ] {
        for times in [180, 990, 20_000] {
            read_on_small_stack(format!("a{}", link.repeat(times)));
        }
    }
}

#[test]
fn statements_nested_deeply_do_not_overflow_the_stack() {
    for header in [
        "if a:",
        "for a in b:",
        "while a:",
        "try:",
        "with a:",
        "def f():",
        "class A:",
        "match a:",
        "case a:",
    ] {
        for times in [20, 150, 400, 1_200] {
            let lines = (0..times).map(|depth| format!("{}{header}\n", " ".repeat(depth)));
            let code: String = lines.chain([format!("{}pass", " ".repeat(times))]).collect();
            read_on_small_stack(code);
        }
    }
    let patterns = format!("match a:\n case {}b{}: pass", "[".repeat(900), "]".repeat(900));
    read_on_small_stack(patterns);
    let clauses = format!("if a:\n pass\n{}", "elif a:\n pass\n".repeat(5_000));
    assert!(
        read_on_small_stack(clauses)
            .problems
            .iter()
            .any(|found| found.message.contains("too deep"))
    );
}

#[test]
fn what_is_too_long_is_refused() {
    let block = read(&"a = 1\n".repeat(20_000));
    assert_eq!(block.problems[0].message, "this block has 120000 bytes; 100000 is the most");
    assert!(block.inexact);
}

#[test]
fn long_and_flat_is_fine() {
    let members: String =
        (0..3_000).map(|number| format!("\"key{number}\": {number},\n")).collect();
    let block = read_on_small_stack(format!("state.data.update({{{members}}})"));
    assert_eq!((block.writes.len(), block.problems.len()), (3_000, 0));
    let lines: String =
        (0..2_000).map(|n| format!("state.data['k{n}'] = f(x, y).z[{n}]\n")).collect();
    let block = read_on_small_stack(lines);
    assert_eq!((block.writes.len(), block.problems.len()), (2_000, 0));
}

#[test]
fn many_names_and_keys_take_no_more_than_their_share() {
    let started = std::time::Instant::now();
    read(&(0..4_000).map(|n| format!("a{n} = state.data['k{n}']\n")).collect::<String>());
    read(&"[d for d in e]\n".repeat(6_000));
    read(&"if a: state.data['x'] = 1\n".repeat(3_800));
    read(&format!("x = {}", "f(".repeat(400)).repeat(100));
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

const BLOCKS: [&str; 4] = [
    "import json\nif state.data.get('a'):\n    \
     state.data[\"b\"] = json.dumps(state.data['a'], indent=2)[:10]\nreturn state\n",
    "for i, t in enumerate(state.data[\"tasks\"]):\n  t['n'] = i\n  \
     print(f\"{t['n']:>{i}} {i!r} {{}}\")\nelse:\n  x: int = 1\n",
    "try:\n\tx, *y = [*a, *(b if c else d)]\n\
     except (KeyError, ValueError) as e:\n\traise X from e\nfinally:\n\tdel y\n",
    "  d = state.data\n  d |= {**d, 'x': (lambda a, *b, c=1, **k: a)}\n  \
     while (n := d['n']) and not n < 3 < 4: break\n  # ü “x”\n",
];

fn checked(code: &str) -> Result<(), TestCaseError> {
    let block = read(code);
    for range in block
        .problems
        .iter()
        .map(|found| &found.range)
        .chain(block.needs.iter().map(|need| &need.range))
    {
        prop_assert!(
            range.start <= range.end && code.get(range.clone()).is_some(),
            "{:?} in {:?}",
            range,
            code
        );
    }
    Ok(())
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "state", ".data", "[\"x\"]", "[", "]", "(", ")", "{", "}", ":", "=", "+=", ":=", ",", ".", "\n", "\n  ",
    "\n    ", "\t", "if ", "else", "elif ", "for ", " in ", "while ", "try", "except ", "with ", " as ", "def f",
    "class A", "lambda ", "return ", "import ", "from ", "yield ", "await ", "async ", "match ", "case ", "del ",
    "not ", " and ", "f\"", "f'''", "\"", "'", "\\", "#", "*", "**", "@", "x", "0", "1j", ".get(\"y\")",
    ".pop('y')", ".update(", "ü", "\r\n", "\u{c}", "\u{feff}", ";", "!", "->", "type ", "global ", "nonlocal ",
    "t'", "...", "_", "$", "?", "b'",
];

proptest! {
    #[test]
    fn any_text_is_read(code in "\\PC*") {
        checked(&code)?;
    }

    #[test]
    fn any_pieces_are_read(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60)) {
        checked(&pieces.concat())?;
    }

    #[test]
    fn damaged_blocks_are_read(
        block in prop::sample::select(BLOCKS.to_vec()),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, "[\\PC\n]{0,3}"), 1..5),
    ) {
        let mut letters: Vec<char> = block.chars().collect();
        for (at, length, put) in cuts {
            let at = at.index(letters.len() + 1).min(letters.len());
            let end = (at + length).min(letters.len());
            letters.splice(at..end, put.chars());
        }
        checked(&letters.into_iter().collect::<String>())?;
    }
}

#[test]
fn cut_off_blocks_are_read() {
    for block in BLOCKS {
        for (end, _) in block.char_indices() {
            checked(&block[..end]).unwrap();
            checked(&block[end..]).unwrap();
        }
    }
}
