"""The hashes of a compiled document, computed from docs/hashing.md alone.

Reads documents from standard input, one after another, and prints for each a line of JSON with
the text and the hash of everything in it.
It is a second opinion: it must share nothing with the Rust code, and reads its tables of ops,
ports and kinds of declarations from the page itself.
"""

import decimal
import hashlib
import json
import math
import pathlib
import re
import sys
import unicodedata

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "hashing.md"
METHODS = {"G": "GET", "P": "POST", "U": "PUT", "D": "DELETE", "L": "LIST", "H": "HEAD"}


# Canonical JSON


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{text(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return ecmascript(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def text(value):
    # Python escapes what the page says, and nothing else, once it may leave ASCII.
    return json.dumps(value, ensure_ascii=False)


def ecmascript(number):
    """Number::toString of ECMAScript. Python finds the same digits, and sets them otherwise."""
    if number == 0:
        return "0"
    sign, digits, exponent = decimal.Decimal(repr(number)).as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        printed = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        printed = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        printed = "0." + "0" * -point + digits
    else:
        fraction = "." + digits[1:] if len(digits) > 1 else ""
        printed = f"{digits[0]}{fraction}e{point - 1:+d}"
    return "-" * sign + printed


def digest(covered):
    return "sha256:" + hashlib.sha256(covered.encode("utf-8")).hexdigest()


def whole(digits):
    number = int(digits)
    if digits == "-0" or not -(2**63) <= number < 2**63:
        return float(digits)
    return number


def first_of_each(members):
    found = {}
    for name, value in members:
        found.setdefault(name, value)
    return found


# The tables of the page


def generated(page, name):
    return page.split(f"<!-- generated: {name} -->")[1].split("<!-- end -->")[0]


def quoted(cell):
    return re.findall("`([^`]*)`", cell)


class Page:
    def __init__(self):
        page = PAGE.read_text(encoding="utf-8")
        self.ports = quoted(generated(page, "ports"))
        self.kinds = quoted(generated(page, "kinds"))
        self.ops = {}
        for row in generated(page, "ops").strip().splitlines()[2:]:
            _, op, ports, slots, _ = row.split("|")
            self.ops[quoted(op)[0]] = (quoted(ports), dict(map(slot, slots.split(";"))))

    def rank(self, op, port):
        own = self.ops[op][0] if op in self.ops else []
        order = own + [other for other in self.ports if other not in own]
        return order.index(port)


def slot(cell):
    name, *words = quoted(cell)
    kind = cell.split("`")[2].strip(" :")
    return name, (kind, words)


# Conditions


JOINS = ("and", "or", "not")
SIGN = r"==|!=|<=|>=|&&|[|][|]|[=!<>?()\[\],]"
QUOTED = r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'"
WORD = r"(?:[^\s()\[\],=<>!&|?\"']|(?<=[^\W_])')+"


def condition(written):
    """The canonical text, or nothing for what cannot be read."""
    if len(written.encode()) > 10000:
        return None
    try:
        printed = Condition(written).whole()
    except Unreadable:
        return None
    return printed if len(printed.encode()) <= 10000 else None


class Unreadable(Exception):
    pass


class Condition:
    """Each method reads a part; those that join give back how tightly it binds, and items."""

    def __init__(self, written):
        self.pieces, self.depth, at = [], 0, 0
        written = written.strip()
        while at < len(written):
            found = re.compile(f"({QUOTED})|({SIGN})|({WORD})").match(written, at)
            if not found or (written[at] in "\"'" and not found[1]):
                raise Unreadable
            self.pieces.append(("quoted sign word".split()[found.lastindex - 1], found[0], at))
            at = re.compile(r"\s*").match(written, found.end()).end()
        self.pieces.reverse()

    def next(self, *wanted, back=1):
        """Whether a sign or word comes next, or after that."""
        kind, text, _ = self.pieces[-back] if len(self.pieces) >= back else ("end", "", 0)
        return kind in ("sign", "word") and text in wanted

    def take(self, *wanted):
        return self.next(*wanted) and self.pieces.pop()

    def need(self, kind):
        if not self.pieces or self.pieces[-1][0] != kind:
            raise Unreadable
        return self.pieces.pop()[1]

    def whole(self):
        binding, items = self.any()
        if self.pieces:
            raise Unreadable
        return joined(binding, items)

    def any(self):
        return self.join("or", "OR", "||", self.all)

    def all(self):
        return self.join("and", "AND", "&&", self.single)

    def join(self, word, capitals, sign, part):
        parts = [part()]
        while self.take(word, capitals, sign):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]
        items = []
        for binding, inner in parts:
            # What is joined by the same word is one row; `or` within `and` needs parentheses.
            needs = word == "and" and binding == "or"
            items += inner if binding == word else ["(" * needs + joined(binding, inner) + ")" * needs]
        return word, items

    def single(self):
        if self.take("not", "NOT", "!"):
            binding, items = self.deeper(self.single)
            inner = joined(binding, items)
            return "", ["not " + (f"({inner})" if binding else inner)]
        if self.take("("):
            found = self.deeper(self.any)
            if not self.take(")"):
                raise Unreadable
            return found
        return "", [self.comparison()]

    def deeper(self, part):
        self.depth += 1
        if self.depth > 64:
            raise Unreadable
        found = part()
        self.depth -= 1
        return found

    def comparison(self):
        left = self.part(None)
        if self.take("?"):
            return left + "?"
        if self.take("is", "IS"):
            negation = "not " if self.take("not", "NOT") else ""
            quality = self.need("word").lower().replace("none", "null")
            if quality not in ("empty", "true", "false", "null"):
                raise Unreadable
            return f"{left} is {negation}{quality}"
        if self.next("not", "NOT") and self.next("in", "IN", back=2):
            self.pieces.pop()
            self.pieces.pop()
            word = "not in"
        else:
            found = self.take("=", "==", "!=", "<", "<=", ">", ">=", "in", "IN", "contains", "CONTAINS")
            if not found:
                return left
            word = "=" if found[1] == "==" else found[1].lower()
        return f"{left} {word} {self.part(word)}"

    def part(self, word):
        if word in ("=", "!=", "in", "not in") and self.take("["):
            return self.items()
        if self.pieces and self.pieces[-1][0] == "quoted":
            return in_quotes(unquoted(self.need("quoted")))
        _, _, at = self.pieces[-1] if self.pieces else ("", "", 0)
        written = self.need("word")
        if written.lower() in JOINS and written in (written.lower(), written.upper()):
            raise Unreadable
        if self.next("(") and (written == "len" or self.pieces[-1][2] == at + len(written)):
            self.pieces.pop()
            measured = self.need("word").removeprefix("$")
            if written != "len" or not is_path(measured) or not self.take(")"):
                raise Unreadable
            return measured + ".length"
        takes_text = word in ("=", "!=", "contains")
        if written.startswith("$"):
            return self.variable(written[1:], takes_text)
        found = constant(written)
        if found is not None:
            return found
        if takes_text:
            is_length = written.endswith(".length") and is_path(written.removesuffix(".length"))
            return written if is_length else in_quotes(written)
        return "true" if written == "always" else self.variable(written, False)

    def variable(self, name, marked):
        if name.endswith(".length") and is_path(name.removesuffix(".length")):
            return name
        if not is_path(name):
            raise Unreadable
        is_join = name.lower() in JOINS and name in (name.lower(), name.upper())
        is_taken = is_join or name == "always" or constant(name) is not None
        return "$" + name if marked or is_taken else name

    def items(self):
        items = []
        if self.take("]"):
            return "[]"
        while True:
            if self.pieces and self.pieces[-1][0] == "quoted":
                items.append(in_quotes(unquoted(self.need("quoted"))))
            else:
                written = self.need("word")
                if written.startswith("$"):
                    raise Unreadable
                items.append(constant(written) or in_quotes(written))
            if self.take("]"):
                return "[" + ", ".join(items) + "]"
            if not self.take(","):
                raise Unreadable


def joined(binding, items):
    return f" {binding} ".join(items) if binding else items[0]


def is_path(written):
    parts = written.split(".")
    return all(map(is_name, parts)) and (len(parts) == 1 or parts[-1] != "length")


def constant(written):
    words = {"True": "true", "False": "false", "None": "null", "none": "null"}
    if written in ("true", "false", "null"):
        return written
    if written in words:
        return words[written]
    if re.match("-?0[0-9]", written):
        return None
    if re.fullmatch("-?[0-9]{1,15}", written):
        return str(int(written))
    if re.fullmatch("-?([0-9]|[.][0-9])[-0-9.eE+]*", written) and not re.fullmatch("-?[0-9]+", written):
        try:
            number = float(written)
        except ValueError:
            return None
        if math.isfinite(number):
            digits = ecmascript(number)
            return digits if not re.fullmatch("-?[0-9]{16,}", digits) else with_exponent(digits)
    return None


def with_exponent(digits):
    sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
    first, rest = digits[0], digits[1:].rstrip("0")
    return f"{sign}{first}{'.' + rest if rest else ''}e{len(digits) - 1}"


def unquoted(written):
    return written[1:-1].replace(written[0] * 2, written[0])


def in_quotes(inner):
    if '"' not in inner:
        return f'"{inner}"'
    return f"'{inner}'" if "'" not in inner else '"' + inner.replace('"', '""') + '"'


def is_name(written):
    # Python does not know which marks are Alphabetic (such as some vowel signs), so names with
    # one of these are beyond this script.
    kinds = ["L" if letter == "_" else unicodedata.category(letter) for letter in written]
    letters = [kind[0] == "L" or kind == "Nl" for kind in kinds]
    digits = [kind in ("Nd", "No") for kind in kinds]
    return letters[:1] == [True] and all(map(max, letters, digits))


# A node


def hash_node(page, node):
    op, data = op_of(node), member(node, "data", dict, {})
    if op in page.ops:
        given, operands = member(node, "operands", dict, {}), {}
        for name, (kind, words) in page.ops[op][1].items():
            if name in given:
                fitting = fit(kind, words, given[name])
                operands[name] = {"odd": given[name]} if fitting is None else fitting
            elif kind != "edge" and data.get(name) is not None:
                if kind not in ("first", "bind") or data[name] != "":
                    operands[name] = {"odd": data[name]}
    else:
        operands = {name: data[name] for name in data if name not in ("op", "lineno", "raw")}
    return canonical({"op": op, "operands": operands})


def op_of(node):
    return member(node, "op", str, member(member(node, "data", dict, {}), "op", str, ""))


def fit(kind, words, operand):
    """The operand as it is covered, or nothing where the slot cannot hold it."""
    if kind == "values":
        items = operand if isinstance(operand, list) else [None]
        fitting = [fit("value", [], item) for item in items]
        return None if None in fitting else fitting
    if not isinstance(operand, dict) or len(operand) != 1:
        return None
    [(form, value)] = operand.items()
    is_text = isinstance(value, str)
    if form == "lit":
        fits = {
            "adapter": is_text,
            "name": is_text,
            "value": True,
            "first": value != "",
            "condition": isinstance(value, bool),
            "word": is_text and value in words,
            "number": isinstance(value, int) and not isinstance(value, bool),
            "literal": True,
        }
        return operand if fits.get(kind, False) else None
    if form == "expr" and kind == "condition" and is_text:
        printed = condition(value)
        return None if printed is None else {"expr": printed}
    forms = {"value": "var", "first": "var", "bind": "var", "callee": "label"}
    if not is_text or forms.get(kind) != form or (form == "var" and not is_name(value)):
        return None
    return operand


def member(value, name, kind, default):
    found = value.get(name)
    return found if isinstance(found, kind) else default


def objects(value, name):
    return [item for item in member(value, name, list, []) if isinstance(item, dict)]


# A label


class Edge:
    def __init__(self, page, edge, find, labels):
        to, to_kind = member(edge, "to", str, ""), edge.get("to_kind")
        if to_kind not in ("node", "label"):
            to_kind = "label" if find(to) is None and to in labels else "node"
        self.source = find(member(edge, "from", str, ""))
        self.port = edge["port"] if edge.get("port") in page.ports else None
        self.label = to if to_kind == "label" else None
        self.node = find(to) if to_kind == "node" else None
        self.followed = edge.get("analysis_only") is not True


def hash_label(page, label, labels):
    nodes = objects(label, "nodes")
    ids = [member(node, "id", str, "") for node in nodes]

    def find(name):
        number = re.fullmatch("n([1-9][0-9]*)", name)
        place = int(number[1]) - 1 if number and len(name) < 12 else len(ids)
        if place < len(ids) and ids[place] == name:
            return place
        return ids.index(name) if name != "" and name in ids else None

    edges = [Edge(page, edge, find, labels) for edge in objects(label, "edges")]
    leaving = [[] for _ in nodes]
    for edge in edges:
        if edge.source is not None and edge.followed:
            leaving[edge.source].append(edge)
    first = next((name for name in ids if name != ""), "")
    entry = find(member(label, "entry", str, first))
    order = walk(page, nodes, leaving, entry)
    position = {node: place for place, node in enumerate(order)}
    covered = []
    for place, node in enumerate(order):
        op, rows = op_of(nodes[node]), []
        for edge in leaving[node]:
            if edge.port is None or (edge.label is None and edge.node is None):
                continue
            to = position[edge.node] if edge.label is None else edge.label
            rank = page.rank(op, edge.port) if op in page.ops else 0
            rows.append((rank, [place, edge.port, to]))
        covered += [row for _, row in sorted(rows, key=lambda row: row[0])]
    texts = [hash_node(page, node) for node in nodes]
    hashes = [digest(covered_text) for covered_text in texts]
    label_text = canonical(
        {
            "edges": covered,
            "entry": None if entry is None else 0,
            "nodes": [hashes[node] for node in order],
        }
    )
    listed = [
        {"id": name, "text": covered_text, "hash": found}
        for name, covered_text, found in zip(ids, texts, hashes)
    ]
    return {"nodes": listed, "text": label_text, "id_hash": digest(label_text)}


def walk(page, nodes, leaving, entry):
    order, taken = [], set()
    waiting = [] if entry is None else [entry]
    while waiting:
        node = waiting.pop()
        if node in taken:
            continue
        taken.add(node)
        order.append(node)
        edges, op = leaving[node], op_of(nodes[node])
        if op in page.ops:
            last = len(page.ports) * 2
            rank = lambda edge: last if edge.port is None else page.rank(op, edge.port)
            edges = sorted(edges, key=rank)
        waiting += [edge.node for edge in reversed(edges) if edge.node is not None]
    return order + [node for node in range(len(nodes)) if node not in taken]


# The graph


def hash_graph(page, document):
    labels = member(document, "labels", dict, {})
    labels = {name: label for name, label in labels.items() if isinstance(label, dict)}
    hashes = {name: hash_label(page, label, labels) for name, label in labels.items()}
    policy = dict(member(document, "runtime_policy", dict, {}))
    policy.update(execution_mode="graph", unknown_op_policy="error")
    declared = member(document, "declarations", dict, {})
    declared = {kind: member(declared, kind, dict, {}) for kind in page.kinds}
    covered = canonical(
        {
            "capabilities": member(document, "capabilities", dict, {}),
            "crons": by_bytes(member(document, "crons", list, [])),
            "declarations": {kind: names for kind, names in declared.items() if names},
            "endpoints": by_bytes(endpoints(document)),
            "labels": {name: found["id_hash"] for name, found in hashes.items()},
            "policy": policy,
        }
    )
    return {"labels": hashes, "text": covered, "graph_semantic_checksum": digest(covered)}


def by_bytes(items):
    return sorted(items, key=lambda item: canonical(item).encode("utf-8"))


def endpoints(document):
    core = member(member(document, "services", dict, {}), "core", dict, {})
    found = []
    for path, methods in member(core, "eps", dict, {}).items():
        for method, endpoint in methods.items() if isinstance(methods, dict) else []:
            if isinstance(endpoint, dict):
                found.append(
                    {
                        "label": member(endpoint, "label_id", str, None),
                        "method": method_word(method),
                        "path": path,
                        "return": endpoint.get("return_var"),
                    }
                )
    return found


def method_word(method):
    upper = method.upper() if method.isascii() else method
    if upper in METHODS.values():
        return upper
    return METHODS.get(upper, method)


def main():
    written = sys.stdin.buffer.read().decode("utf-8").strip()
    decoder = json.JSONDecoder(parse_int=whole, object_pairs_hook=first_of_each)
    page = Page()
    while written:
        document, end = decoder.raw_decode(written)
        found = json.dumps(hash_graph(page, document), ensure_ascii=False)
        sys.stdout.buffer.write(found.encode("utf-8") + b"\n")
        written = written[end:].lstrip()


main()
