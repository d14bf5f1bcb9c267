"""Runs blocks with CPython: one JSON document per line in, one out."""

import ast
import contextlib
import io
import json
import sys


class State:
    pass


for line in sys.stdin:
    case = json.loads(line)
    function = ast.parse("def block(state): pass")
    body = ast.parse(case["code"]).body
    function.body[0].body = body + ast.parse("return block").body
    names = {"json": json}
    exec(compile(ast.fix_missing_locations(function), "block", "exec"), names)
    state = State()
    state.data = case["data"]
    answer = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            answer["returned"] = names["block"](state) is not names["block"]
        except Exception as error:
            answer["raised"] = type(error).__name__
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            answer["line"] = trace.tb_lineno
            answer["message"] = str(error)
    if "raised" not in answer:
        answer["data"] = state.data
    answer["printed"] = printed.getvalue()
    print(json.dumps(answer), flush=True)
