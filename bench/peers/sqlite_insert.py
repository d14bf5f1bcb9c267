"""How long one bare insert into SQLite takes: what no durable step can be faster than.

Only Python's own `sqlite3`; prints lines like `langgraph_steps.py`.
"""

import argparse
import json
import pathlib
import sqlite3
import statistics
import time

ROW = "x" * 400


def measure(path, synchronous, rows):
    for old in path.parent.glob(path.name + "*"):
        old.unlink()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, body TEXT)")
    taken = []
    for _ in range(rows):
        begin = time.perf_counter()
        connection.execute("INSERT INTO event (body) VALUES (?)", (ROW,))
        taken.append(time.perf_counter() - begin)
    connection.close()
    return statistics.median(taken) * 1e6


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--folder", type=pathlib.Path, required=True, help="for databases")
    arguments.add_argument("--rows", type=int, default=1000)
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for figure, synchronous in (("sqlite_sync", "FULL"), ("sqlite_process_crash", "NORMAL")):
        taken = measure(given.folder / "insert.db", synchronous, given.rows)
        line = {
            "system": "sqlite insert",
            "figure": figure,
            "shape": "insert",
            "steps": given.rows,
            "us": round(taken, 2),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
