"""Schedules as IR: a primitive is an op on handles to computations (`!tloop.block`) and to loops.

Names and meanings follow TVM's schedule primitives where MLIR has the same idea. `tloop-apply-schedules`
applies them. This file holds the schedule and the primitives of structured computations; the others are in
`tile_primitives.py` (loops over tiles), `loop_primitives.py` (loops) and `storage_primitives.py` (where
values are computed and kept).
"""

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import BlockType, LoopType, TLoop, ValueType
from mlc.dialects.tloop.handles import SAMPLED, is_block, is_loop, sampled_fault
from mlc.dialects.verification import report, verifier

MODES = ("parallel", "sequential")
# Every op that a schedule may hold.
PRIMITIVES = frozenset(
    f"tloop.{name}"
    for name in (
        *("get_block", "get_loops", "tile", "peel", "interchange", "pack", "rfactor", "tensorize"),
        *("split", "fuse", "reorder", "parallel", "bind", "vectorize", "unroll", "annotate", "prefetch"),
        *("compute_at", "reverse_compute_at", "compute_inline", "decompose_reduction"),
        *(
            "cache_read",
            "cache_write",
            "shift_inwards",
            "balance",
            "skip_padding",
            "stream_keys",
            "sample_perfect_tile",
            "sample_categorical",
        ),
    )
)


def _tile_fault(op: ext.Operation) -> str:
    sizes, mode = list(views.Tile(op.operation).sizes), views.Tile(op.operation).mode
    if mode not in MODES:
        return f"mode must be one of {', '.join(MODES)}, but is '{mode}'"
    if any(size < 0 and size != SAMPLED for size in sizes) or not any(sizes):
        return f"sizes must be non-negative and not all 0, but are {sizes}"
    return sampled_fault(op, "sizes", sizes)


def _interchange_fault(op: ext.Operation) -> str:
    permutation = list(views.Interchange(op.operation).permutation)
    if sorted(permutation) == list(range(len(permutation))):
        return ""
    return f"permutation must hold 0 to {len(permutation) - 1} once each, but is {permutation}"


def _pack_fault(op: ext.Operation) -> str:
    sizes = list(views.Pack(op.operation).sizes)
    if any(size < 0 for size in sizes) or not any(sizes):
        return f"sizes must be non-negative and not all 0, but are {sizes}"
    return ""


def _rfactor_fault(op: ext.Operation) -> str:
    factor = views.RFactor(op.operation).factor
    return "" if factor >= 2 else f"factor must be at least 2, but is {factor}"


def _vectorize_fault(op: ext.Operation) -> str:
    handles = list(op.operation.operands)
    if handles and (all(map(is_block, handles)) or (len(handles) == 1 and is_loop(handles[0]))):
        return ""
    return "takes blocks, or one loop"


class ScheduleOp(TLoop.Operation, name="schedule", traits=[ir.NoTerminatorTrait]):
    """The schedule of one kernel: a straight line of primitives, applied from top to bottom."""

    kernel: ir.FlatSymbolRefAttr
    body: ext.Region

    def verify_region_invariants(self) -> bool:
        """Whether the body is one block of primitives; emits an error otherwise."""
        blocks = list(self.regions[0])
        if len(blocks) != 1 or len(blocks[0].arguments):
            return report(self, "must have a body of one block without arguments")
        for op in blocks[0]:
            if op.operation.name not in PRIMITIVES:
                return report(self, f"may hold only schedule primitives, but holds '{op.operation.name}'")
        return True


class GetBlockOp(TLoop.Operation, name="get_block"):
    """Returns a handle to the kernel's computation whose attribute `tloop.block` equals `block_name`."""

    block_name: ir.StringAttr
    block: ext.Result[BlockType]


class TileOp(TLoop.Operation, name="tile"):
    """Tiles the computation's iteration space.

    `sizes` holds one tile size per iteration dimension, 0 for "not tiled"; missing ones count as 0. With mode
    "parallel" all tiled dimensions become one `scf.forall`, whose iterations may run on several threads; with
    "sequential" each becomes an `scf.for`, in the order of the dimensions; `loop` is the outermost of them,
    and `get_loops` returns all. Sizes that do not divide the extent leave a partial last tile (see `peel`). A
    size of -2 is the next sampled value.
    """

    FORMS = {"sizes": "integers"}

    sizes: Any
    mode: ir.StringAttr
    block: ext.Operand[BlockType]
    values: Sequence[ext.Operand[ValueType]]
    tiled: ext.Result[BlockType]
    loop: ext.Result[LoopType]

    verify_invariants = verifier(_tile_fault, sizes=ir.DenseI64ArrayAttr, mode=ir.StringAttr)


class InterchangeOp(TLoop.Operation, name="interchange"):
    """Permutes the iteration dimensions of a structured computation: new dimension `i` is old
    `permutation[i]`. Loops are permuted by `reorder`."""

    FORMS = {"permutation": "integers"}

    permutation: Any
    block: ext.Operand[BlockType]
    reordered: ext.Result[BlockType]

    verify_invariants = verifier(_interchange_fault, permutation=ir.DenseI64ArrayAttr)


class VectorizeOp(TLoop.Operation, name="vectorize"):
    """Turns computations, or a loop, into vector ops.

    Blocks are the innermost tiles of structured computations, given all in one step. Their sizes are static,
    or have bounds, as those of partial tiles: vectors are as large, and masks limit them to the tile. A
    contraction becomes outer products into an accumulator that stays in registers across the reduction loops
    around it, from the tile's initial value to its epilogue.

    A loop must be an innermost one over memory, with a constant trip count: its body becomes ops on
    vectors of that many elements. Every access must either not depend on the loop, or step through adjacent
    elements with it; a reduction along the loop becomes one `vector.reduction`.
    """

    targets: Sequence[ext.Operand[Any]]

    verify_invariants = verifier(_vectorize_fault)


class PackOp(TLoop.Operation, name="pack"):
    """Changes the layout of the operands of a structured computation so that tiles are contiguous.

    `sizes` holds one tile size per iteration dimension, 0 for "not packed". Each operand indexed by a packed
    dimension is copied to a packed one before the computation, and the result is copied back after it.
    """

    FORMS = {"sizes": "integers"}

    sizes: Any
    block: ext.Operand[BlockType]
    packed: ext.Result[BlockType]

    verify_invariants = verifier(_pack_fault, sizes=ir.DenseI64ArrayAttr)


class RFactorOp(TLoop.Operation, name="rfactor"):
    """Splits a structured reduction in two: `factor` partial results, which are parallel, and their
    combination.

    The computation must have one reduction dimension, whose extent `factor` divides. The sum is associated
    differently: results may differ by rounding.
    """

    factor: ir.IntegerAttr
    block: ext.Operand[BlockType]
    partial: ext.Result[BlockType]
    combined: ext.Result[BlockType]

    verify_invariants = verifier(_rfactor_fault, factor=ir.IntegerAttr)


class TensorizeOp(TLoop.Operation, name="tensorize"):
    """Replaces a structured computation by an implementation of the same computation.

    `intrinsic` names a `func.func` of the module that holds nothing but the computation, on tensors of the
    block's static shapes (the pattern), and whose attribute `tloop.implementation` names the function that
    replaces it. Both take the inputs, then the initial value of the output, and return the output. The body
    of the implementation is inlined. Ops may be in another order in the pattern, and have fewer fastmath
    flags.
    """

    intrinsic: ir.FlatSymbolRefAttr
    block: ext.Operand[BlockType]

    verify_invariants = verifier(lambda op: "", intrinsic=ir.FlatSymbolRefAttr)
