//! What a block does with `state.data`, and whom it calls.

use expect_test::expect;
use logic::read;

use super::check;

#[test]
fn a_block_of_a_real_spec() {
    check(
        r#"
items = state.data.get("queue", [])
if items:
    state.data["current"] = items[0]
    print(f"    Next: {state.data['current']['title'][:80]}")
else:
    state.data["_done"] = True
"#,
        expect![[r#"
            reads: queue, current
            writes: current, _done
            is: may end
        "#]],
    );
}

#[test]
fn every_way_to_write() {
    check(
        r#"
state.data["a"] = state.data["b"] = 1
state.data["c"]: int = 1
state.data.update({"d": 1, "e": 2}, f=3)
state.data.update(dict(g=1))
state.data.setdefault("h", []).append(1)
state.data["i"]["x"]["y"] = 1
state.data["j"].append(1)
state.data.get("k", []).extend([1])
state.data.pop("l", None)
"#,
        expect![[r#"
            reads: h, i, j, k, l
            needs: i at `state.data["i"]`, j at `state.data["j"]`
            writes: a, b, c, d, e, f, g, h, i, j, k, l
        "#]],
    );
    check(
        "for state.data['a'] in x: pass\nwith y as state.data['b']: pass\n(state.data['c'], [state.data['d'], *z]) = w",
        expect![[r#"
            writes: a, b, c, d
            outside: x, y, w
            Unsupported: `state.data['a']`: an item or attribute cannot be one of several targets, or of a loop
              help: unpack into names, then assign each
            Unsupported: `state.data['b']`: an item or attribute cannot be one of several targets, or of a loop
              help: unpack into names, then assign each
            Unsupported: `state.data['c']`: an item or attribute cannot be one of several targets, or of a loop
              help: unpack into names, then assign each
            Unsupported: `state.data['d']`: an item or attribute cannot be one of several targets, or of a loop
              help: unpack into names, then assign each
        "#]],
    );
}

#[test]
fn other_names_for_the_data_and_what_is_in_it() {
    check(
        "d = state.data\nd['a'] = d['b']\nd.update({'c': 1})\nd |= {'d': 1}",
        expect![[r#"
            reads: b
            needs: b at `d['b']`
            writes: a, c, d
            Unsupported: `d |= {'d': 1}`: `|` does not join dicts here
              help: use `{**a, **b}`, or `a.update(b)`
        "#]],
    );
    check(
        "s = state\ns.data['a'] = 1\nd = s.data if s else {}\nd['b'] = 1",
        expect![[r#"
            writes: a, b
            is: reads all
        "#]],
    );
    check(
        "tasks = state.data['tasks']\ntasks.append(1)\nn = state.data.get('n', 0)\nn += 1",
        expect![[r#"
            reads: tasks, n
            needs: tasks at `state.data['tasks']`
            writes: tasks
        "#]],
    );
    check(
        "for t in state.data['tasks']:\n  t['done'] = True",
        expect![[r#"
            reads: tasks
            needs: tasks at `state.data['tasks']`
            writes: tasks
        "#]],
    );
    check(
        "for i, t in enumerate(sorted(state.data['tasks'])):\n  t['done'] = True",
        expect![[r#"
            reads: tasks
            needs: tasks at `state.data['tasks']`
            writes: tasks
        "#]],
    );
    check(
        "open_ = [t for t in state.data['tasks'] if t]\nopen_.append(1)\nopen_[0]['x'] = 1",
        expect![[r#"
            reads: tasks
            needs: tasks at `state.data['tasks']`
            writes: tasks
        "#]],
    );
    check(
        "copy = list(state.data['tasks'])\ncopy.append(1)\nx = state.data['a'][:]\nx.sort()",
        expect![[r#"
            reads: tasks, a
            needs: tasks at `state.data['tasks']`, a at `state.data['a']`
        "#]],
    );
    check(
        "a, b = state.data['x'], state.data['y']\nb.append(1)",
        expect![[r#"
            reads: x, y
            needs: x at `state.data['x']`, y at `state.data['y']`
            writes: y
        "#]],
    );
    check("d = state.data\nd = {}\nd['a'] = 1", expect![]);
    check(
        "d = state.data\nx = [d for d in y]\nd['a'] = 1",
        expect![[r#"
            writes: a
            outside: y
        "#]],
    );
}

#[test]
fn reading_everything_is_exact() {
    for code in [
        "for k in state.data: print(k)",
        "for k, v in state.data.items(): print(k, v)",
        "x = dict(state.data)",
        "import json\nx = json.dumps(state.data)",
        "x = {**state.data, 'a': 1}",
        "print(state.data, len(state.data))",
        "x = f'{state.data}'",
        "x = state.data[k]",
        "x = state.data.get(k)",
        "x = k in state.data",
        "x = 'hello {a}'.format(**state.data)",
        "x = {k: v for k, v in state.data.items() if v}",
        "x = state.data.copy()\nx['a'] = 1",
    ] {
        let block = read(code);
        assert!(block.reads_all && !block.inexact, "{code}");
    }
}

#[test]
fn what_cannot_be_followed_is_inexact() {
    for code in [
        "state.data[k] = 1",
        "state.data[k].append(1)",
        "state.data.update(x)",
        "state.data.update({k: 1})",
        "state.data.update(**x)",
        "state.data.clear()",
        "state.data = {}",
        "state.iteration = 0",
        "f(state)",
        "f(state.data)",
        "f(x=state.data)",
        "x = [state.data]",
        "x['a'] = state.data",
        "state = f()",
        "setattr(state, 'data', {})",
        "f = state.data.update",
        "for k, v in state.data.items(): v.append(1)",
        "x.append(state)",
    ] {
        assert!(read(code).inexact, "{code}");
    }
    for code in [
        "return state",
        "x = state",
        "print(state)",
        "x = state.iteration",
        "if state.data: pass",
        "state",
    ] {
        assert!(!read(code).inexact, "{code}");
    }
}

#[test]
fn stores_and_names_from_outside() {
    check(
        "hits = state.memory.read(state.data['query'], top_k=3)\nstate.memory.write(hits)\nstate.log.write('x')\n\
         reply = call_llm('model', hits)\nif undefined: helper(json.dumps(hits), len(hits))\ndef helper(a): return a\n\
         x = [y for y in hits]\nfor z, (w, *v) in x: print(z, w, v)\ntry: pass\nexcept Exception as e: print(e)",
        expect![[r#"
            reads: query
            needs: query at `state.data['query']`
            stores: Read memory, Write memory, Write log
            outside: call_llm(), undefined
            implied: json
        "#]],
    );
    check(
        "time.sleep(1)",
        expect![[r#"
            implied: time
            Unsupported: `time`: module `time` is not there
              help: use `datetime.datetime.now()`
        "#]],
    );
}

#[test]
fn returning_early() {
    check(
        "if state.data.get('a'):\n    return state\nstate.data['b'] = 1",
        expect![[r#"
            reads: a
            writes: b
            is: returns early
        "#]],
    );
    check(
        "def f():\n    return 1\nstate.data['b'] = f()",
        expect![[r#"
            writes: b
        "#]],
    );
}
