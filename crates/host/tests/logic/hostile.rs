//! Code that nobody would write.

use std::time::Duration;

use host::LogicLimits;
use proptest::prelude::*;
use runtime::FaultKind;

use crate::run_within;

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "state", ".data", "['a']", " = ", "\n", "\n    ", "\n  ", "if ", "x", ":", "for ", " in ", "while ", "return ",
    "(", ")", "[", "]", "{", "}", ",", "'", "\"", "'''", "f'{", "}'", "\\", "#", "def f():", "lambda x: ", "f",
    "f()", "try:", "except:", "finally:", "raise ", "ValueError('x')", "import ", "json", "os", "time", "1", "0",
    "-", "**", "*", "/", "%", "<", "==", " not ", " and ", "None", "True", "class A:", "with ", "del ", "yield ",
    "global x", "async ", "await ", "print(", "@", "...", "!", ";", "\t", "\r", "\r\n", "\u{c}", "\u{feff}", "\0",
    "é", "10**9", "str(", "sorted(", "range(9)", ".append(", ".pop(", "1.5e300", "x: int", "*x", "**x", ":=",
];

fn check(code: &str) {
    let limits = LogicLimits { time: Duration::from_millis(100), ..LogicLimits::default() };
    if let Err(fault) = run_within(limits, code) {
        assert!([FaultKind::Logic, FaultKind::LogicLimit].contains(&fault.kind), "{fault}");
        assert!(!fault.message.contains("a bug in it"), "{code:?} breaks the interpreter");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn pieces_of_python_are_survived(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
    ) {
        check(&pieces.concat());
    }
}

/// What is valid as it stands must be valid, and mean the same, in the function it is put into.
#[test]
fn odd_line_ends_and_texts_stay_what_they_are() {
    for (code, expected) in [
        ("state.data['a'] = '''x\r\n  y'''\r\nif True:\r\n\tstate.data['b'] = 1", "x\n  y"),
        ("state.data['a'] = 'x\\\ny'", "xy"),
        ("state.data['a'] = f'''{1}\n{'''\n'''}\n'''", "1\n\n\n"),
        ("x = 1; \\\nstate.data['a'] = 'x'", "x"),
        ("state.data['a'] = 'x' # '''\nb = 1 # '''", "x"),
        ("state.data['a'] = rb'\\''.decode() + r'''\\\n'''", "\\'\\\n"),
    ] {
        assert_eq!(crate::value_of(code, "{}", "a"), value::Value::text(expected), "{code:?}");
    }
}
