"""Control flow: scf, branches between blocks, ends."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ..decode import Op
from ..interpreter import Steps, Target, branch, run_block
from ..registry import RUNNING, op
from ..unit import Unit
from ..values import Value, as_signed, merge, spread

_EVERYONE = np.ones(1, np.bool_)


@op("scf.yield")
def _yield(unit: Unit, op: Op, *values: Value) -> list[Value]:
    return list(values)


@op("scf.condition")
def _condition(unit: Unit, op: Op, *values: Value) -> list[Value]:
    return list(values)


@op("llvm.return", "gpu.return", "func.return")
def _return(unit: Unit, op: Op, *values: Value) -> list[Target]:
    return []


@op("llvm.br", "cf.br")
def _br(unit: Unit, op: Op, *values: Value) -> list[Target]:
    return branch(unit, [(op.successors[0], _EVERYONE, list(values))])


@op("llvm.cond_br", "cf.cond_br")
def _cond_br(unit: Unit, op: Op, *values: Value) -> list[Target]:
    (condition,), first, second = op.groups(values)
    return branch(unit, [(op.successors[0], condition, first), (op.successors[1], ~condition, second)])


@op("cf.switch", "llvm.switch")
def _switch(unit: Unit, op: Op, *values: Value) -> list[Target]:
    (flag,), default, *_ = op.groups(values)
    sizes, rest = op.attributes["case_operand_segments"], iter(values[1 + len(default) :])
    cases = np.asarray(op.attributes.get("case_values", ())).reshape(-1).astype(flag.dtype)
    matches = [flag == case for case in cases]
    arguments = [[next(rest) for _ in range(size)] for size in sizes]
    other = ~reduce(np.logical_or, matches, np.zeros(1, np.bool_))
    choices = list(zip(op.successors, [other, *matches], [default, *arguments], strict=True))
    return branch(unit, choices)


@op("llvm.unreachable")
def _unreachable(unit: Unit, op: Op) -> None:
    unit.fail("reached what the kernel calls unreachable")


def _leave(op: Op, results: list[Value]) -> Any:
    """Results in the form that the interpreter expects."""
    return results[0] if len(op.results) == 1 else results


@op("scf.if")
def _if(unit: Unit, op: Op, condition: np.ndarray) -> Steps:
    outer, condition = unit.mask, spread(condition, unit.lanes)
    results: list[Value] | None = None
    for region, lanes in zip(op.regions, (outer & condition, outer & ~condition), strict=True):
        if region and lanes.any():
            unit.mask = lanes
            values = yield from run_block(unit, region[0])
            results = (
                values if results is None else [merge(lanes, *p) for p in zip(values, results, strict=True)]
            )
    unit.mask = outer
    return _leave(op, results or [])


@op("scf.for")
def _for(unit: Unit, op: Op, low: np.ndarray, high: np.ndarray, step: np.ndarray, *initial: Value) -> Steps:
    outer, body, carried = unit.mask, op.regions[0][0], list(initial)
    index, unsigned = low, "unsignedCmp" in op.attributes and op.attributes["unsignedCmp"]
    while True:
        inside = index < high if unsigned else as_signed(index) < as_signed(high)
        unit.mask = unit.mask & inside
        if not unit.mask.any():
            break
        unit.env[body.arguments[0]] = index
        for slot, value in zip(body.arguments[1:], carried, strict=True):
            unit.env[slot] = value
        values = yield from run_block(unit, body)
        whole = bool((unit.mask == outer).all())
        carried = values if whole else [merge(unit.mask, *p) for p in zip(values, carried, strict=True)]
        index = index + step
        yield RUNNING
    unit.mask = outer
    return _leave(op, carried)


@op("scf.while")
def _while(unit: Unit, op: Op, *initial: Value) -> Steps:
    outer, (before, after), carried = unit.mask, (region[0] for region in op.regions), list(initial)
    results: list[Value] | None = None
    while True:
        for slot, value in zip(before.arguments, carried, strict=True):
            unit.env[slot] = value
        condition, *values = yield from run_block(unit, before)
        done = unit.mask if results is not None else np.ones_like(outer)
        results = [merge(done, *p) for p in zip(values, results or values, strict=True)]
        unit.mask = unit.mask & condition
        if not unit.mask.any():
            break
        for slot, value in zip(after.arguments, values, strict=True):
            unit.env[slot] = value
        carried = yield from run_block(unit, after)
        yield RUNNING
    unit.mask = outer
    return _leave(op, results)


@op("scf.execute_region")
def _execute_region(unit: Unit, op: Op) -> Steps:
    return _leave(op, (yield from run_block(unit, op.regions[0][0])))
