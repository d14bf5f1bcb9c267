//! Which keys a block cannot do without.

use expect_test::expect;
use logic::read;

use super::check;

#[test]
fn loads_are_needs_and_get_is_not() {
    check(
        "x = state.data['a'] + state.data.get('b', 0) + state.data.setdefault('c', 1) + state.data.pop('d', None)\n\
         y = state.data.pop('e')\nz = 'f' in state.data\nstate.data['g'] += 1\ndel state.data['h']",
        expect![[r#"
            reads: a, b, c, d, e, f, g, h
            needs: a at `state.data['a']`, e at `state.data.pop('e')`, g at `state.data['g']`, h at `state.data['h']`
            writes: c, d, e, g, h
            Unsupported: `del state.data['h']`: `del` is not supported
              help: assign `None`, or use `state.data.pop("x", None)`
        "#]],
    );
}

#[test]
fn what_was_written_before_is_no_need() {
    check(
        "state.data['a'] = 1\nprint(state.data['a'])\nprint(state.data['b'])\nstate.data['b'] = 2",
        expect![[r#"
            reads: a, b
            needs: b at `state.data['b']`
            writes: a, b
        "#]],
    );
    check(
        "if c():\n  state.data['a'] = 1\nprint(state.data['a'])",
        expect![[r#"
            reads: a
            writes: a
            outside: c()
        "#]],
    );
    check(
        "if c():\n  state.data['a'] = 1\nelse:\n  print(state.data['a'])",
        expect![[r#"
            reads: a
            needs: a at `state.data['a']`, maybe
            writes: a
            outside: c()
        "#]],
    );
    check(
        "if c():\n  state.data['a'] = 1\n  return state\nprint(state.data['a'])",
        expect![[r#"
            reads: a
            needs: a at `state.data['a']`, maybe
            writes: a
            outside: c()
            is: returns early
        "#]],
    );
    check(
        "state.data.update(f())\nprint(state.data['a'])",
        expect![[r#"
            reads: a
            outside: f()
            is: inexact
        "#]],
    );
}

#[test]
fn what_is_guarded_is_no_need() {
    for code in [
        "if 'a' in state.data:\n  print(state.data['a'])",
        "if state.data.get('a'):\n  print(state.data['a'])",
        "if not state.data.get('a', []):\n  pass\nelse:\n  print(state.data['a'])",
        "if c() and len(state.data.get('a', [])) > 0:\n  print(state.data['a'])",
        "if state.data.get('a') is not None: print(state.data['a'])",
        "if 'a' not in state.data:\n  return state\nprint(state.data['a'])",
        "if 'a' not in state.data: state.data['a'] = []\nstate.data['a'].append(1)",
        "x = state.data['a'] if 'a' in state.data else 0",
        "x = 'a' in state.data and state.data['a'] > 1",
        "x = 'a' not in state.data or state.data['a'] > 1",
        "x = [state.data['a'] for y in z if 'a' in state.data]",
        "while state.data.get('a'): print(state.data['a'])",
        "assert 'a' in state.data\nprint(state.data['a'])",
        "a = state.data.get('a')\nif a: print(state.data['a'])",
        "if (a := state.data.get('a')): print(state.data['a'])",
        "if isinstance(state.data.get('a'), dict): print(state.data['a'])",
        "try:\n  print(state.data['a'])\nexcept KeyError: pass",
        "try:\n  print(state.data['a'])\nexcept: pass",
        "def f():\n  return state.data['a']",
        "f = lambda: state.data['a']",
    ] {
        assert_eq!(read(code).needs, [], "{code}");
    }
}

#[test]
fn what_is_not_guarded_is_a_need() {
    for code in [
        "if 'a' in state.data: pass\nprint(state.data['a'])",
        "if 'b' in state.data: print(state.data['a'])",
        "if 'a' in state.data: pass\nelse: print(state.data['a'])",
        "if 'a' in state.data or c: print(state.data['a'])",
        "if state.data.get('a', True): print(state.data['a'])",
        "if state.data.get('a', 0) < 3: print(state.data['a'])",
        "if state.data.get('a') is None: print(state.data['a'])",
        "try:\n  print(state.data['a'])\nexcept ValueError: pass",
        "try:\n  pass\nexcept KeyError: print(state.data['a'])",
        "for x in state.data['a']: pass",
        "while x: print(state.data['a'])",
        "x = [y for y in state.data['a']]",
        "state.data['a']['b'] = 1",
        "print(f'{state.data[\"a\"]:>{3}}')",
        "print(f'{1:{state.data[\"a\"]}}')",
    ] {
        let needs: Vec<String> = read(code).needs.iter().map(|need| need.key.to_string()).collect();
        assert_eq!(needs, ["a"], "{code}");
    }
}

#[test]
fn a_need_says_whether_it_is_always_met() {
    check(
        "if c(): print(state.data['a'])\nif state.data['b'] or state.data['c']: pass",
        expect![[r#"
            reads: a, b, c
            needs: a at `state.data['a']`, maybe, b at `state.data['b']`, c at `state.data['c']`, maybe
            outside: c()
        "#]],
    );
    check(
        "if c(): return state\nprint(state.data['a'])",
        expect![[r#"
            reads: a
            needs: a at `state.data['a']`, maybe
            outside: c()
            is: returns early
        "#]],
    );
    check(
        "if c(): print(state.data['a'])\nx = (state.data['a'])",
        expect![[r#"
            reads: a
            needs: a at `state.data['a']`
            outside: c()
        "#]],
    );
}
