//! What takes too long or too much.

use std::time::{Duration, Instant};

use host::LogicLimits;
use runtime::FaultKind;

use crate::run_within;

fn short() -> LogicLimits {
    LogicLimits { time: Duration::from_millis(300), ..LogicLimits::default() }
}

#[track_caller]
fn ends(code: &str, kind: FaultKind) {
    let start = Instant::now();
    let fault = run_within(short(), code).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(20), "{code} took {:?}", start.elapsed());
    assert_eq!(fault.kind, kind, "{code}: {fault}");
}

/// Whatever it does, it does so soon, and the process is still there.
#[track_caller]
fn survives(code: &str) {
    let start = Instant::now();
    let result = run_within(short(), code);
    assert!(start.elapsed() < Duration::from_secs(20), "{code} took {:?}", start.elapsed());
    if let Err(fault) = result {
        assert!([FaultKind::Logic, FaultKind::LogicLimit].contains(&fault.kind), "{fault}");
        assert!(!fault.message.contains("bug"), "{code}: {fault}");
    }
}

#[test]
fn endless_loops_end() {
    ends("while True:\n    pass", FaultKind::LogicLimit);
    ends(
        "x = 0\nwhile True:\n    try:\n        x += 1\n    except:\n        pass",
        FaultKind::LogicLimit,
    );
    ends("from itertools import count\nx = sum(count())", FaultKind::LogicLimit);
    ends("x = [y for y in range(10**12)]", FaultKind::LogicLimit);
    ends("x = max(range(10**12))", FaultKind::LogicLimit);
    ends("x = sorted(range(10**9))", FaultKind::LogicLimit);
}

#[test]
fn huge_values_are_refused() {
    for code in [
        "x = 'x' * 10**12",
        "x = [0] * 10**10",
        "x = (1,) * 10**11",
        "x = b'x' * 10**13",
        "x = 10 ** 10 ** 10",
        "x = 1 << 10**12",
        "x = 'x'.ljust(10**12)",
        "x = 'x'.center(10**12)",
        "x = f'{1:>1000000000000}'",
        "x = ('x' * 10**6).replace('x', 'y' * 10**6)",
        "x = ('x' * 10**6).join(['y'] * 10**6)",
        "x = list(range(10**12))",
        "x = bytes(10**12)",
        "x = 'a'.zfill(10**12)",
    ] {
        ends(code, FaultKind::LogicLimit);
    }
    for code in ["import math\nx = math.factorial(10**9)", "x = '\\t'.expandtabs(10**12)"] {
        survives(code);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn growing_without_end_ends() {
    // A machine that is busy must not run out of time before it has grown.
    let time = Duration::from_secs(120);
    let limits = LogicLimits { memory_bytes: 100 << 20, time, ..LogicLimits::default() };
    for code in [
        "x = []\nwhile True:\n    x.append('y' * 1_000_000)",
        "x = []\nwhile True:\n    x.append([0] * 1_000)",
        "x = []\nwhile True:\n    try:\n        x.append('y' * 1_000_000)\n    except:\n        pass",
        "x = 'y'\nfor i in range(1_000_000):\n    state.data[str(i)] = x * 1_000",
    ] {
        let fault = run_within(limits, code).unwrap_err();
        let expected = "logic_limit: MemoryError: the process grew too much while the block ran";
        assert_eq!(fault.to_string(), expected, "{code}");
    }
}

#[test]
fn deep_recursion_ends() {
    for code in [
        "def f(x):\n    return f(x + 1)\nf(0)",
        "f = lambda x: f(x)\nf(1)",
        "def f(x):\n    return sorted([2, 1], key=f)\nf(0)",
        "def f(x):\n    return list(map(f, [x]))\nf(0)",
        "def f(x):\n    return max([x, x], key=f)\nf(0)",
        "class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())",
        "class A:\n    def __eq__(self, other):\n        return self == other\nA() == A()",
    ] {
        ends(code, FaultKind::LogicLimit);
    }
}

#[test]
fn deep_values_are_refused() {
    let deep = |levels| format!("a = []\nfor i in range({levels}):\n    a = [a]\n");
    for rest in
        ["repr(a)", "import json\njson.dumps(a)", "b = [a]\na == b", "str(a)", "hash(str(a))"]
    {
        survives(&format!("{}{rest}", deep(100_000)));
    }
    ends(&format!("{}state.data['x'] = a", deep(2_000)), FaultKind::Logic);
    survives("import json\njson.loads('[' * 100_000)");
}

#[test]
fn what_is_printed_is_cut() {
    let bounded = |printed_bytes| LogicLimits { printed_bytes, ..LogicLimits::default() };
    let done = run_within(bounded(11), "print('äöüäöü')\nprint('x')").unwrap();
    assert_eq!(done.printed, "äöüäö\n... (only the first 11 bytes are kept)\n");
    let done = run_within(bounded(2), "print('x')").unwrap();
    assert_eq!(done.printed, "x\n");
    let done =
        run_within(LogicLimits::default(), "for i in range(50_000):\n    print('x')").unwrap();
    let bytes = done.printed.len();
    assert!((65_536..65_700).contains(&bytes), "{bytes}");
}

#[test]
fn patterns_cannot_search_forever() {
    for code in [
        "import re\nx = re.match('(a+)+$', 'a' * 40 + 'b')",
        "import re\nx = re.match('(a|aa)+$', 'a' * 60 + 'b')",
        "import re\nx = re.match(r'(a+)+\\1$', 'a' * 60 + 'b')",
        "import re\nx = re.match('(?:(?=(a+))a)+$', 'a' * 50 + 'b')",
        "import re\nx = re.compile('(' * 5000 + ')' * 5000)",
        "import re\nx = re.compile('(((a{1000}){1000}){1000}){1000}')",
    ] {
        survives(code);
    }
}
