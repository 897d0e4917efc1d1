"""Schedules as IR: a primitive is an op on handles to computations (`!tloop.block`) and to loops.

Names and meanings follow TVM's schedule primitives where MLIR has the same idea. `tloop-apply-schedules`
applies them.
"""

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop.dialect import BlockType, LoopType, TLoop, report, verifier

MODES = ("parallel", "sequential")
PRIMITIVES = frozenset(
    f"tloop.{name}" for name in ("get_block", "tile", "compute_at", "peel", "reorder", "vectorize", "unroll")
)


def _tile_fault(op: ext.Operation) -> str:
    sizes, mode = list(op.attributes["sizes"]), op.attributes["mode"].value
    if mode not in MODES:
        return f"mode must be one of {', '.join(MODES)}, but is '{mode}'"
    if any(size < 0 for size in sizes) or not any(sizes):
        return f"sizes must be non-negative and not all 0, but are {sizes}"
    if mode == "sequential" and sum(size != 0 for size in sizes) != 1:
        return f"a sequential tile has exactly one size that is not 0, but sizes are {sizes}"
    return ""


def _reorder_fault(op: ext.Operation) -> str:
    permutation = list(op.attributes["permutation"])
    if sorted(permutation) == list(range(len(permutation))):
        return ""
    return f"permutation must hold 0 to {len(permutation) - 1} once each, but is {permutation}"


def _unroll_fault(op: ext.Operation) -> str:
    factor = op.attributes["factor"].value
    return "" if factor >= 2 else f"factor must be at least 2, but is {factor}"


class Schedule(TLoop.Operation, name="schedule", traits=[ir.NoTerminatorTrait]):
    """The schedule of one kernel: a straight line of primitives, applied from top to bottom."""

    kernel: ir.FlatSymbolRefAttr
    body: ext.Region

    def verify_region_invariants(self) -> bool:
        blocks = list(self.regions[0])
        if len(blocks) != 1 or len(blocks[0].arguments):
            return report(self, "must have a body of one block without arguments")
        for op in blocks[0]:
            if op.operation.name not in PRIMITIVES:
                return report(self, f"may hold only schedule primitives, but holds '{op.operation.name}'")
        return True


class GetBlock(TLoop.Operation, name="get_block"):
    """A handle to the kernel's computation whose attribute `tloop.block` equals `name`."""

    block_name: ir.StringAttr
    block: ext.Result[BlockType]


class Tile(TLoop.Operation, name="tile"):
    """Tiles the computation's iteration space.

    `sizes` holds one tile size per iteration dimension, 0 for "not tiled"; missing ones count as 0. With mode
    "parallel" all tiled dimensions become one `scf.forall`, whose iterations may run on several threads; with
    "sequential" exactly one size is not 0 and the loop is an `scf.for`. Sizes that do not divide the extent
    leave a smaller last tile (see `peel`).
    """

    sizes: Any
    mode: ir.StringAttr
    block: ext.Operand[BlockType]
    tiled: ext.Result[BlockType]
    loop: ext.Result[LoopType]

    verify_invariants = verifier(_tile_fault, sizes=ir.DenseI64ArrayAttr, mode=ir.StringAttr)


class ComputeAt(TLoop.Operation, name="compute_at"):
    """Moves a producer into the loop, next to its consumer: each iteration computes only what it needs."""

    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]
    moved: ext.Result[BlockType]


class Peel(TLoop.Operation, name="peel"):
    """Splits a loop's last, smaller iteration off, so that every remaining tile has a static size.

    Only sequential loops have one, and only where the step does not divide the extent.
    """

    loop: ext.Operand[LoopType]


class Reorder(TLoop.Operation, name="reorder"):
    """Permutes the computation's iteration dimensions: new dimension `i` is old `permutation[i]`."""

    permutation: Any
    block: ext.Operand[BlockType]
    reordered: ext.Result[BlockType]

    verify_invariants = verifier(_reorder_fault, permutation=ir.DenseI64ArrayAttr)


class Vectorize(TLoop.Operation, name="vectorize"):
    """Turns the innermost tiles of the computations (static sizes) into vector ops, all in one step.

    A contraction becomes outer products into an accumulator that stays in registers across the reduction
    loops around it, from the tile's initial value to its epilogue.
    """

    blocks: Sequence[ext.Operand[BlockType]]


class Unroll(TLoop.Operation, name="unroll"):
    """Unrolls a loop by `factor`."""

    factor: ir.IntegerAttr
    loop: ext.Operand[LoopType]

    verify_invariants = verifier(_unroll_fault, factor=ir.IntegerAttr)
