"""Primitives that choose where values are computed and stored."""

from mlc.bindings import ext, ir
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import BlockType, LoopType, TLoop
from mlc.dialects.verification import verifier


def _operand_fault(operand: int) -> str:
    return "" if operand >= 0 else f"operand must not be negative, but is {operand}"


def _cache_read_fault(op: ext.Operation) -> str:
    return _operand_fault(views.CacheRead(op.operation).operand)


def _prefetch_fault(op: ext.Operation) -> str:
    prefetch = views.Prefetch(op.operation)
    wrong = "" if prefetch.distance >= 1 else f"distance must be positive, but is {prefetch.distance}"
    return _operand_fault(prefetch.operand) or wrong


def _compute_at_fault(op: ext.Operation) -> str:
    if "rolling" in op.attributes and not isinstance(op.attributes["rolling"], ir.UnitAttr):
        return "rolling must be a unit attribute"
    return ""


class ComputeAtOp(TLoop.Operation, name="compute_at"):
    """Moves a producer into the loop, next to its consumer: each iteration computes only what it needs.

    With the unit attribute `rolling` (loops over memory only) the producer's results stay in a circular
    buffer of the size of the consumer's window, from one iteration to the next: each iteration computes only
    what the window gains. The loop then has to be sequential.
    """

    FORMS = {"rolling": "unit"}

    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]
    moved: ext.Result[BlockType]

    verify_invariants = verifier(_compute_at_fault)


class ReverseComputeAtOp(TLoop.Operation, name="reverse_compute_at"):
    """Moves a consumer into the producer's loop: each iteration consumes what it has produced.

    For loops over memory; a structured consumer is tiled, and its producer moved into the loop by
    `compute_at`.
    """

    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]
    moved: ext.Result[BlockType]


class ComputeInlineOp(TLoop.Operation, name="compute_inline"):
    """Recomputes an elementwise producer in each consumer, and removes it."""

    block: ext.Operand[BlockType]


class DecomposeReductionOp(TLoop.Operation, name="decompose_reduction"):
    """Moves a computation, such as the initial value of a reduction, out of the loop, into a separate nest
    before it.

    What is left in the loop may then be a perfect nest. For loops over memory; in a structured reduction the
    initial value is a separate computation already.
    """

    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]
    moved: ext.Result[BlockType]


class CacheReadOp(TLoop.Operation, name="cache_read"):
    """Copies what each iteration of a loop reads of an input of the computation into a separate buffer.

    `operand` is the input's position: of a structured computation among its inputs, else among the buffers
    that the block reads, in the order of its loads. `block_name` names the copy.
    """

    operand: ir.IntegerAttr
    block_name: ir.StringAttr
    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]
    cache: ext.Result[BlockType]

    verify_invariants = verifier(_cache_read_fault, operand=ir.IntegerAttr, block_name=ir.StringAttr)


class CacheWriteOp(TLoop.Operation, name="cache_write"):
    """Lets each iteration of a loop compute the result of the block in a separate buffer, which is copied
    to the result at the end of the iteration. `block_name` names that copy."""

    block_name: ir.StringAttr
    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]
    cache: ext.Result[BlockType]

    verify_invariants = verifier(lambda op: "", block_name=ir.StringAttr)


class PrefetchOp(TLoop.Operation, name="prefetch"):
    """Fetches into the cache what the block will read of an input `distance` iterations of the loop later.

    `operand` is the input's position, as in `cache_read`. For loops over memory.
    """

    operand: ir.IntegerAttr
    distance: ir.IntegerAttr
    block: ext.Operand[BlockType]
    loop: ext.Operand[LoopType]

    verify_invariants = verifier(_prefetch_fault, operand=ir.IntegerAttr, distance=ir.IntegerAttr)
