"""Answers what CLIPS makes of a program of rules.

A line of stdin is a question, `{"constructs": [...], "asserts": [...], "limit": N}`; a line of
stdout is its answer, with `agenda_initial`, `fired`, `facts`, `printed`, `rejected` and `errors`.
A fact that was modified stands where it would had it been retracted and asserted: the one
order in which Quipu differs on purpose.

A program that makes CLIPS crash or hang ends this process. Whoever asks starts another.
"""

import ctypes
import json
import os
import resource
import signal
import sys

import clips
from clips import _clips

# clipspy declares only a part of what its library exports.
LIBRARY = ctypes.CDLL(_clips.__file__)
FIRED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
MODIFIED = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
LIBRARY.ActivationRuleName.restype = ctypes.c_char_p
LIBRARY.ActivationRuleName.argtypes = [ctypes.c_void_p]
LIBRARY.FactIndex.restype = ctypes.c_longlong
LIBRARY.FactIndex.argtypes = [ctypes.c_void_p]
for name in ("AddBeforeRuleFiresFunction", "AddModifyFunction", "AddAssertFunction"):
    function = getattr(LIBRARY, name)
    function.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
    ]

LIMIT_REACHED = "rule firing limit reached\n"
SECONDS = 2
BYTES = 2 << 30


class Output(clips.Router):
    """Keeps what is printed, and what CLIPS complains about, apart."""

    def __init__(self):
        super().__init__("answers", 50)
        self.texts = {"stdout": [], "stderr": [], "stdwrn": []}

    def query(self, name):
        return name in self.texts

    def write(self, name, message):
        self.texts[name].append(message)

    def take(self, name):
        text = "".join(self.texts[name])
        self.texts[name].clear()
        return text


class Watcher:
    """Notes which rules fire, and when each fact last changed."""

    def __init__(self, environment):
        self.fired = []
        self.changes = {}
        self.count = 0
        self.modified = None
        self.callbacks = [
            FIRED(lambda _, activation, __: self.fire(activation)),
            MODIFIED(lambda _, before, after, __: self.modify(before, after)),
            FIRED(lambda _, fact, __: self.change(fact)),
        ]
        address = int(_clips.ffi.cast("uintptr_t", environment._env))
        fired, modified, asserted = (ctypes.cast(one, ctypes.c_void_p) for one in self.callbacks)
        LIBRARY.AddBeforeRuleFiresFunction(address, b"answers", fired, 0, None)
        LIBRARY.AddModifyFunction(address, b"answers", modified, 0, None)
        LIBRARY.AddAssertFunction(address, b"answers", asserted, 0, None)

    def fire(self, activation):
        self.fired.append(LIBRARY.ActivationRuleName(activation).decode())

    def modify(self, before, after):
        """Called with the fact as it was, then with what it has become."""
        if before:
            self.modified = LIBRARY.FactIndex(before)
        elif after and LIBRARY.FactIndex(after) == self.modified:
            self.change(after)
        # Otherwise it has become like another fact, which stays where it was.

    def change(self, fact):
        self.count += 1
        self.changes[LIBRARY.FactIndex(fact)] = self.count


def text_of(environment, fact):
    """As CLIPS prints it, on one line; and with escapes in strings, which it leaves out here."""
    text = clips.facts.fact_pp_string(environment._env, fact._fact).replace(" \n   ", " ")
    for value in values_of(fact):
        if type(value) is str and ('"' in value or "\\" in value):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            text = text.replace(f'"{value}"', f'"{escaped}"', 1)
    return text


def values_of(fact):
    values = list(fact) if isinstance(fact, clips.facts.ImpliedFact) else [one for _, one in fact]
    for value in values:
        yield from value if isinstance(value, tuple) else [value]


def answer(question):
    environment = clips.Environment()
    output = Output()
    environment.add_router(output)
    for construct in question["constructs"]:
        try:
            environment.build(construct)
        except clips.CLIPSError as error:
            complaint = output.take("stderr") or str(error)
            return {"rejected": construct + "\n" + complaint.strip()}, environment
    watcher = Watcher(environment)
    environment.reset()
    for fact in question["asserts"]:
        try:
            environment.assert_string(fact)
        except clips.CLIPSError as error:
            complaint = output.take("stderr") or str(error)
            return {"rejected": fact + "\n" + complaint.strip()}, environment
    agenda = [activation.name for activation in environment.activations()]
    environment.run(question["limit"])
    facts = sorted(environment.facts(), key=lambda fact: watcher.changes.get(fact.index, 0))
    return {
        "agenda_initial": agenda,
        "fired": watcher.fired,
        "facts": [text_of(environment, fact) for fact in facts],
        "printed": output.take("stdout").removesuffix(LIMIT_REACHED),
        "errors": output.take("stderr"),
        "rejected": None,
    }, (environment, watcher)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # CLIPS writes to the process's stdout when it ends in distress; answers go their own way.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # Not caught: Python sees no signal while CLIPS loops.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for line in sys.stdin:
        signal.alarm(SECONDS)
        answered, kept = answer(json.loads(line))
        print(json.dumps(answered), file=answers, flush=True)
        del kept
        signal.alarm(0)


if __name__ == "__main__":
    main()
