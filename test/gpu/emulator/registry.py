"""The table of ops: name -> the function that executes it.

An op's function takes the unit of execution, the decoded op and the operands, and returns the result; a list
of results for several; None for none. Where it must wait for others it is a generator that yields
`BLOCKED` until it can go on, or `RUNNING` to let others run in between.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

Handler = Callable[..., Any]

RUNNING, BLOCKED = "running", "blocked"

OPS: dict[str, Handler] = {}
INTRINSICS: dict[str, Handler] = {}


def op(*names: str) -> Callable[[Handler], Handler]:
    """Registers a function for the ops called `names`."""
    return _adder(OPS, names)


def intrinsic(*names: str) -> Callable[[Handler], Handler]:
    """Registers a function for `llvm.call_intrinsic` of `names` ("llvm.nvvm.ex2.approx.f")."""
    return _adder(INTRINSICS, names)


def _adder(table: dict[str, Handler], names: tuple[str, ...]) -> Callable[[Handler], Handler]:
    def add(handler: Handler) -> Handler:
        assert not set(names) & set(table), f"twice in the table: {set(names) & set(table)}"
        table.update(dict.fromkeys(names, handler))
        return handler

    return add


def is_blocking(handler: Handler) -> bool:
    """Whether an op's function may wait."""
    return inspect.isgeneratorfunction(handler)
