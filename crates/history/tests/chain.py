"""Recomputes every hash of an export, from docs/history.md alone.

Reads an export from standard input and prints `ok`, or what is wrong, one line for each.
It is a second opinion: it must share nothing with the Rust code.
"""

import base64
import hashlib
import json
import sys


# Canonical form


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{text(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return number(value)
    return {None: "null", True: "true", False: "false"}[value]


def text(value):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    parts = (short.get(c) or (c if c >= " " else f"\\u{ord(c):04x}") for c in value)
    return '"' + "".join(parts) + '"'


def number(value):
    """As ECMAScript prints a 64-bit float; Python knows the digits, but places the point otherwise."""
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def parse(line):
    """The value of a line that is in canonical form; numbers are 64-bit floats."""

    def members(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a member is given twice")
        return dict(pairs)

    value = json.loads(line, parse_int=float, parse_float=float, object_pairs_hook=members)
    if canonical(value) != line:
        raise ValueError("it is not in canonical form")
    return value


# Hashes


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def genesis(stream):
    return sha256(b"\x00", stream.encode())


def link_of(stream, seq, previous, event_id):
    place = seq.to_bytes(8, "big")
    return sha256(b"\x01", genesis(stream), place, previous, bytes.fromhex(event_id)).hex()


def id_of(event):
    body = {name: value for name, value in event.items() if name != "event_id"}
    return sha256(canonical(body).encode()).hex()


# Checks


class Export:
    def __init__(self):
        self.wrong = []
        self.streams = {}  # name -> {seq -> line}
        self.names = {}  # name -> [line]
        self.order = []

    def read(self, number, line):
        try:
            value = parse(line)
            members = set(value)
            if members == {"event", "link", "seq", "stream"}:
                events = self.streams.setdefault(value["stream"], {})
                value["seq"] = int(value["seq"])
                self.order.append((0, value["stream"].encode(), value["seq"]))
                events[value["seq"]] = value
                self.same(number, "event_id", value["event"]["event_id"], id_of(value["event"]))
            elif members == {"id", "operation"}:
                name = value["operation"]["name"]
                moves = self.names.setdefault(name, [])
                self.order.append((1, name.encode(), len(moves)))
                previous = moves[-1]["id"] if moves else None
                self.same(number, "previous", value["operation"].get("previous"), previous)
                moves.append(value)
                computed = sha256(canonical(value["operation"]).encode()).hex()
                self.same(number, "id", value["id"], computed)
            elif members in ({"blob", "text"}, {"blob", "base64"}):
                self.order.append((2, value["blob"].encode(), 0))
                held = value["text"].encode() if "text" in value else base64.b64decode(value["base64"], validate=True)
                self.same(number, "blob", value["blob"], sha256(held).hex())
            else:
                self.wrong.append(f"line {number}: no such line: {sorted(members)}")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self.wrong.append(f"line {number}: {error}")

    def same(self, number, what, claimed, computed):
        if claimed != computed:
            self.wrong.append(f"line {number}: `{what}` is {claimed}, but should be {computed}")

    def origin(self, stream):
        """Where a fork goes on from: the line there, or nothing if it is not in the export."""
        events = self.streams[stream]
        first = min(events)
        start = events[first]["event"].get("from")
        if not stream.startswith("run:") or not start or start["seq"] != first - 1:
            raise ValueError(f"{stream} begins at {first}, and no event says why")
        parent = "run:" + start["run_id"]
        # A run's parents' events count as its own.
        while parent in self.streams and min(self.streams[parent]) >= first:
            up = self.streams[parent][min(self.streams[parent])]["event"]["from"]
            parent = "run:" + up["run_id"]
        line = self.streams.get(parent, {}).get(first - 1)
        if line and line["event"]["event_id"] != start["event_id"]:
            raise ValueError(f"{stream} goes on from another event than {parent} has there")
        if parent in self.streams and not line:
            raise ValueError(f"{stream} goes on from {parent}@{first - 1}, which is not there")
        return line

    def check_links(self):
        for stream, events in self.streams.items():
            try:
                first = min(events)
                before = self.origin(stream) if first > 0 else None
                for seq in range(first, first + len(events)):
                    if seq not in events:
                        raise ValueError(f"{stream}@{seq} is missing")
                    line = events[seq]
                    # Without the parent, the first link of a fork has to be believed.
                    if before or seq == 0:
                        previous = bytes.fromhex(before["link"]) if before else bytes(32)
                        computed = link_of(stream, seq, previous, line["event"]["event_id"])
                        self.same(f"of {stream}@{seq}", "link", line["link"], computed)
                    before = line
            except (ValueError, TypeError, KeyError) as error:
                self.wrong.append(str(error))

    def check_names(self):
        for name, moves in self.names.items():
            for move in moves:
                operation = move["operation"]
                events = self.streams.get(operation.get("stream"))
                if events and "link" in operation:
                    line = events.get(int(operation["seq"]))
                    if not line or line["link"] != operation["link"]:
                        self.wrong.append(f"`{name}` was moved to an event that is not there")

    def check(self):
        if self.order != sorted(set(self.order)):
            self.wrong.append("the lines are not in order")
        self.check_links()
        self.check_names()
        return self.wrong


def main():
    export = Export()
    lines = sys.stdin.buffer.read().decode().split("\n")
    if lines.pop():
        export.wrong.append("the last line does not end")
    for number, line in enumerate(lines, 1):
        export.read(number, line)
    print("\n".join(export.check()) or "ok")


main()
