"""Execution of blocks of ops by a unit, and of control flow between them.

Lanes that branch apart wait for one another where the paths meet: of the blocks of a region, the first in the
text that has lanes runs. So a loop's blocks have to stand before what follows the loop, as lowerings write
them.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from .decode import Block, Op
from .registry import RUNNING
from .values import Value, merge, spread

if TYPE_CHECKING:
    from .unit import Unit

Steps = Generator[str, None, Any]
# Where the lanes go next: block, lanes, its arguments.
Target = tuple[Block, np.ndarray, list[Value]]


def run_block(unit: Unit, block: Block) -> Generator[str, None, list[Value]]:
    """Execute the one block of a structured op's region; the operands of its terminator."""
    result: Any = None
    for op in block.ops:
        result = yield from _run_op(unit, op)
    return result if result is not None else []


def _run_op(unit: Unit, op: Op) -> Steps:
    unit.op = op
    values = [unit.env[slot] for slot in op.operands]
    result = op.handler(unit, op, *values)
    if op.blocking:
        result = yield from result
    if len(op.results) == 1:
        unit.env[op.results[0]] = result
    elif op.results:
        for slot, value in zip(op.results, result, strict=True):
            unit.env[slot] = value
    return result


def run_region(unit: Unit, blocks: tuple[Block, ...]) -> Steps:
    """Execute a function's blocks, where the last op of each says who goes where (`branch`)."""
    everyone = unit.mask
    waiting: dict[int, np.ndarray] = {blocks[0].index: unit.mask}
    while waiting:
        index = min(waiting)
        unit.mask = waiting.pop(index)
        for target, lanes, values in (yield from _run_to_branch(unit, blocks[index], everyone)):
            _pass(unit, target, lanes, values, bool(lanes.all()))
            waiting[target.index] = waiting.get(target.index, np.zeros_like(lanes)) | lanes
            if target.index <= index:
                yield RUNNING
    unit.mask = everyone


def _run_to_branch(unit: Unit, block: Block, everyone: np.ndarray) -> Generator[str, None, list[Target]]:
    """Execute `block`; lanes outside of the mask keep their values, which they may still need."""
    diverged = bool((unit.mask != everyone).any())
    result: Any = None
    for op in block.ops:
        old = [unit.env[slot] for slot in op.results] if diverged else []
        result = yield from _run_op(unit, op)
        for slot, before in zip(op.results, old, strict=False):
            if before is not None:
                unit.env[slot] = merge(unit.mask, unit.env[slot], before)
    return result if result is not None else []


def _pass(unit: Unit, target: Block, lanes: np.ndarray, values: list[Value], all_lanes: bool) -> None:
    for slot, value in zip(target.arguments, values, strict=True):
        old = unit.env[slot]
        unit.env[slot] = value if all_lanes or old is None else merge(lanes, value, old)


def branch(unit: Unit, choices: list[tuple[Block, np.ndarray, list[Value]]]) -> list[Target]:
    """The targets of a terminator: of `choices` (block, condition per lane, arguments) those that lanes
    take."""
    taken = [
        (block, unit.mask & spread(condition, unit.lanes), values) for block, condition, values in choices
    ]
    return [target for target in taken if target[1].any()]
