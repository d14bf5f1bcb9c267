"""How long one step of a LangGraph graph takes, with each of its savers.

Prints one JSON object a line: system, figure, shape, steps, us (the median, per step).
"""

import argparse
import json
import operator
import pathlib
import sqlite3
import statistics
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.memory import MemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    count: Annotated[int, operator.add]


def count(_state):
    return {"count": 1}


def chain(steps):
    """A node for each step, one after the other."""
    graph = StateGraph(State)
    names = [f"n{number}" for number in range(steps)]
    for name in names:
        graph.add_node(name, count)
    for before, after in zip([START, *names], [*names, END]):
        graph.add_edge(before, after)
    return graph


def loop(steps):
    """One node that goes round: the cheapest shape there is."""
    graph = StateGraph(State)
    graph.add_node("again", count)
    graph.add_edge(START, "again")
    graph.add_conditional_edges(
        "again", lambda state: "again" if state["count"] < steps else END, ["again", END]
    )
    return graph


def sqlite_saver(path, synchronous):
    for old in path.parent.glob(path.name + "*"):
        old.unlink()
    connection = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute(f"PRAGMA synchronous={synchronous}")
    return saver


def savers(folder):
    """Figure, saver and durability: `sync` waits for a step's checkpoint before the next step,
    `async`, the default, only before the one after."""
    yield "bare", None, None
    yield "memory", MemorySaver(), None
    yield "sqlite", sqlite_saver(folder / "full.db", "FULL"), None
    yield "sqlite_sync", sqlite_saver(folder / "sync.db", "FULL"), "sync"
    yield "sqlite_process_crash", sqlite_saver(folder / "normal.db", "NORMAL"), None


def measure(graph, steps, saver, durability, rounds):
    app = graph.compile(checkpointer=saver)
    taken = []
    # The first round warms up and is not counted.
    for number in range(rounds + 1):
        config = {"recursion_limit": steps + 10, "configurable": {"thread_id": str(number)}}
        more = {"durability": durability} if durability else {}
        begin = time.perf_counter()
        result = app.invoke({"count": 0}, config, **more)
        taken.append(time.perf_counter() - begin)
        assert result["count"] == steps, result
    return statistics.median(taken[1:]) / steps * 1e6


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--folder", type=pathlib.Path, required=True, help="for databases")
    arguments.add_argument("--steps", type=int, nargs="+", default=[200, 1000])
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for steps in given.steps:
        for shape in (chain, loop):
            for figure, saver, durability in savers(given.folder):
                taken = measure(shape(steps), steps, saver, durability, given.rounds)
                line = {
                    "system": "langgraph",
                    "figure": figure,
                    "shape": shape.__name__,
                    "steps": steps,
                    "us": round(taken, 2),
                }
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
