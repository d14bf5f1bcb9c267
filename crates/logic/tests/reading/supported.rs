//! What the interpreter lacks, and what it does not.

use expect_test::expect;
use logic::read;

use super::check;

#[test]
fn statements_that_are_not_supported() {
    check(
        "del x[0]",
        expect![[r#"
            outside: x
            Unsupported: `del x[0]`: `del` is not supported
              help: assign `None`, or use `state.data.pop("x", None)`
        "#]],
    );
    check(
        "def f():\n  yield 1",
        expect![[r#"
            Unsupported: `yield 1`: `yield` is not supported
              help: collect the values in a list
        "#]],
    );
    check(
        "match x:\n  case 1: pass",
        expect![[r#"
            outside: x
            Unsupported: `match x`: `match` is not supported
              help: use `if` and `elif`
        "#]],
    );
    check(
        "class A(Exception):\n  x = 1\n  @property\n  def y(self): pass\n  def __len__(self): return 1",
        expect![[r#"
            Unsupported: `(Exception)`: classes with base classes are not supported
              help: use a dict, or a class without bases; raise a built-in exception
            Unsupported: `@property`: decorated methods are not supported
              help: use a plain method, or a function
            Unsupported: `__len__`: this special method is never called
              help: give it a name and call it
        "#]],
    );
    check(
        "a, x['b'] = 1, 2\nfor y.z in w: pass",
        expect![[r#"
            outside: x, y, w
            Unsupported: `x['b']`: an item or attribute cannot be one of several targets, or of a loop
              help: unpack into names, then assign each
            Unsupported: `y.z`: an item or attribute cannot be one of several targets, or of a loop
              help: unpack into names, then assign each
        "#]],
    );
    check(
        "x[1:2] = [3]",
        expect![[r#"
            outside: x
            Unsupported: `x[1:2]`: assigning to a slice is not supported
              help: build a new list: `a[:i] + new + a[j:]`
        "#]],
    );
    check(
        "try:\n  pass\nexcept* ValueError: pass",
        expect![[r#"
            Unsupported: `except* ValueError`: `except*` is not supported
              help: use `except`
        "#]],
    );
    check(
        "state.data |= {'a': 1}",
        expect![[r#"
            writes: a
            Unsupported: `state.data |= {'a': 1}`: `|` does not join dicts here
              help: use `{**a, **b}`, or `a.update(b)`
        "#]],
    );
}

#[test]
fn expressions_that_are_not_supported() {
    check(
        "x = '%s' % y\nz = {} | w\nv = 1j + a @ b",
        expect![[r#"
            outside: y, w, a, b
            Unsupported: `'%s' % y`: `%` does not format text here
              help: use an f-string, or `.format(..)`
            Unsupported: `{} | w`: `|` does not join dicts here
              help: use `{**a, **b}`, or `a.update(b)`
            Unsupported: `1j`: complex numbers are not supported
              help: keep the two parts apart
            Unsupported: `a @ b`: `@` is not supported
              help: use a loop
        "#]],
    );
    check(
        "x = sorted(y, key=str.lower)\nz = max(d, key=d.get)\nw = next((a for a in b), None)",
        expect![[r#"
            outside: y, d, b
            Unsupported: `str.lower`: a method of a built-in type can only be called on a value
              help: use `lambda x: x.method()`, or call it on the value
            Unsupported: `d.get`: a built-in method can only be called here, not passed on
              help: wrap it: `lambda x: ..`
            Unsupported: `(a for a in b)`: `next` does not take a generator expression here
              help: use `next(iter([..]), default)` with a list
        "#]],
    );
    check(
        "import re, json\nx = re.sub('a', lambda m: 'b', y)\nz = json.dumps(x, default=str)",
        expect![[r#"
            outside: y
            Unsupported: `lambda m: 'b'`: `re.sub` takes no function here
              help: build the text with `re.finditer(..)`
            Unsupported: `default=str`: `json.dumps` has no `default` here
              help: convert the values first, with `str(..)`
        "#]],
    );
    check(
        "import sys\nprint('a', file=sys.stderr)\nraise ValueError('a', 1)",
        expect![[r#"
            Unsupported: `file=sys.stderr`: `print` has no `file` here
              help: leave `file` out
            Unsupported: `ValueError('a', 1)`: an exception takes one text here
              help: put everything into one f-string
        "#]],
    );
    check(
        "from datetime import datetime\nx = datetime.utcnow()\ny = 'a'.translate(z)\nw = x.__class__",
        expect![[r#"
            outside: z
            Unsupported: `utcnow`: `.utcnow` is not there
              help: use `datetime.now(timezone.utc)`
            Unsupported: `translate`: `.translate` is not there
              help: use `.replace(..)`
            Unsupported: `__class__`: `.__class__` is not there
              help: use `type(x)`
        "#]],
    );
    check(
        "x = eval('1')\ny = open('a').read()\nz = input()\nexit()\nw = unknown(1)",
        expect![[r#"
            outside: unknown()
            Unsupported: `eval`: `eval` is not there
              help: write the code out, or use a tool
            Unsupported: `open`: `open` is not there
              help: a block has no files: use a tool or `state.data`
            Unsupported: `input`: `input` is not there
              help: ask in a step of its own
            Unsupported: `exit`: `exit` is not there
              help: use `return state`, or set `state.data["_done"]`
        "#]],
    );
}

#[test]
fn modules_that_are_not_there() {
    check(
        "import yaml as _yaml\nfrom agent_ontology.lint import lint\nimport os.path",
        expect![[r#"
            Unsupported: `yaml`: module `yaml` is not there
              help: use `json`, or give the work to a tool
            Unsupported: `agent_ontology.lint`: module `agent_ontology.lint` is not there
              help: only `asyncio`, `base64`, `binascii`, `collections`, `dataclasses`, `datetime`, `functools
            Unsupported: `os.path`: module `os.path` is not there
              help: give the work to a tool
        "#]],
    );
    check(
        "import random, json\nx = random.choice(y)",
        expect![[r#"
            outside: y
            Unsupported: `random`: module `random` is not there
              help: choose by something in `state.data`: a run must be repeatable
        "#]],
    );
    check(
        "from itertools import chain, groupby\nimport math as m\nx = m.prod([1]) + m.pi",
        expect![[r#"
            Unsupported: `groupby`: `itertools.groupby` is not there
              help: collect the groups in a `defaultdict(list)`
            Unsupported: `prod`: `math.prod` is not there
              help: use `functools.reduce(..)`
        "#]],
    );
    check(
        "import os\nos.remove('a')\nx = os.environ['A']",
        expect![[r#"
            Unsupported: `remove`: `os.remove` is not there
              help: a block has no files and no environment: use a tool or `state.data`
            Unsupported: `environ`: `os.environ` is not there
              help: a block has no files and no environment: use a tool or `state.data`
        "#]],
    );
    check(
        "from math import *\nfrom . import a",
        expect![[r#"
            Unsupported: `*`: `import *` is not supported
              help: name what you import
            Unsupported: `from . import a`: relative imports are not supported
              help: a block stands alone
        "#]],
    );
    check("try:\n  import yaml\nexcept ImportError:\n  yaml = None", expect![]);
}

#[test]
fn what_is_supported_is_not_reported() {
    for code in [
        "x = [a for a in b] + [*c]\ny = {a for a in b}\nz = {k: v for k, v in c}\nw = sum(a for a in b)",
        "a, *b = [1, 2]\n(c, (d, e)) = f",
        "with f() as g: pass",
        "def f(a, /, b=1, *c, d, **e): return a\nx = f(*y, **z)",
        "def d(f): return f\n@d\ndef g():\n  global h\n  h = 1\n  def i():\n    nonlocal x\n    x = 1\n  x = 2",
        "class A:\n  'doc'\n  x = 1\n  y: int = 2\n  def __init__(self, a): self.a = a",
        "x = '{} {:>5}'.format(1, 2)\ny = f'{x:.2f} {x!r} {x=}'",
        "try:\n  assert x, 'y'\nexcept (KeyError, ValueError) as e:\n  raise RuntimeError(f'{e}') from e",
        "try: pass\nexcept OSError: pass\nelse: pass\nfinally: pass",
        "x = 1 < y < 3\nz = y[::-1]\nx += 1; x -= 1\nw = 1 if x else 2",
        "x = sorted(y, key=lambda a: (-a['b'], a['c']), reverse=True)\nz = max(y, key=len, default=0)",
        "import json, re, datetime, math\nfrom collections import Counter, defaultdict",
        "from typing import Any, Optional",
        "x = datetime.datetime.now().isoformat()\ny = json.loads('{}')",
        "x: list[Unknown] = []\ndef f(a: Unknown) -> Unknown: return a",
        "x = dict.fromkeys(['a'])\ny = next(iter([1]), None)\nz = type(x).__name__",
        "async def f(): return await g()\ndef g(): pass",
        "while True:\n  if x: break\n  else: continue",
    ] {
        assert_eq!(read(code).problems, [], "{code}");
    }
}
