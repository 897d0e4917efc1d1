"""Primitives on loops: splitting, fusing, ordering, and binding to threads."""

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import BlockType, LoopType, TLoop, ValueType
from mlc.dialects.tloop.handles import REST, SAMPLED, sampled_fault, target_fault
from mlc.dialects.verification import verifier

TAILS = ("guard", "peel", "exact")
# The largest error of a sum of probabilities.
ROUNDING = 1e-6
# The axes of a GPU that a loop may be bound to.
AXES = tuple(f"{level}.{dim}" for level in ("block", "thread") for dim in "xyz")


def _split_fault(op: ext.Operation) -> str:
    split = views.Split(op.operation)
    factors, tail, made = list(split.factors), split.tail, len(split.loops)
    if tail not in TAILS:
        return f"tail must be one of {', '.join(TAILS)}, but is '{tail}'"
    if len(factors) < 2 or len(factors) != made:
        return f"takes one factor for each of the loops that it makes, at least 2, but {factors} make {made}"
    if factors.count(REST) > 1 or any(factor < 1 and factor not in (REST, SAMPLED) for factor in factors):
        return f"factors must be positive, with at most one {REST} for what is left, but are {factors}"
    return sampled_fault(op, "factors", factors)


def _unroll_fault(op: ext.Operation) -> str:
    factor = views.Unroll(op.operation).factor
    return "" if factor >= 2 or factor == 0 else f"factor must be at least 2, or 0 for all, but is {factor}"


def _bind_fault(op: ext.Operation) -> str:
    axis = views.Bind(op.operation).axis
    return "" if axis in AXES else f"axis must be one of {', '.join(AXES)}, but is '{axis}'"


def _order_fault(op: ext.Operation) -> str:
    count = len(op.operation.operands)
    return "" if count >= 2 else f"takes at least 2 loops, but has {count}"


def _annotate_fault(op: ext.Operation) -> str:
    if "value" not in op.attributes:
        return "value is missing"
    if not views.Annotate(op.operation).key:
        return "key is empty"
    return target_fault(op, 0)


def _perfect_tile_fault(op: ext.Operation) -> str:
    sample = views.SamplePerfectTile(op.operation)
    dim, largest = sample.dim, sample.largest
    if dim < 0 or largest < 1:
        return f"dim must not be negative and largest must be positive, but are {dim} and {largest}"
    return target_fault(op, 0)


def _categorical_fault(op: ext.Operation) -> str:
    sample = views.SampleCategorical(op.operation)
    candidates, chances = sample.candidates, list(sample.probabilities)
    if not candidates or len(candidates) != len(chances):
        return f"needs a probability per candidate, but has {len(chances)} for {len(candidates)}"
    if any(chance < 0 for chance in chances) or abs(sum(chances) - 1) > ROUNDING:
        return f"probabilities must be non-negative and sum to 1, but are {chances}"
    return ""


class GetLoopsOp(TLoop.Operation, name="get_loops"):
    """Handles to the loops around a computation, from the outermost to the innermost.

    The number of results must be the number of loops.
    """

    block: ext.Operand[BlockType]
    loops: Sequence[ext.Result[LoopType]]


class SplitOp(TLoop.Operation, name="split"):
    """Splits a loop into a nest of as many loops as there are factors.

    `factors` holds the trip count of each new loop, outermost first; one may be -1, for what the
    others leave, and -2 is the next sampled value. The outer loops step by whole inner loops.

    `tail` selects the handling of the last iterations where the factors do not divide: "guard" bounds the
    inner loop by a minimum, "peel" leaves them to a copy of the loop after the nest, which has no handle, and
    "exact" is an error.
    """

    FORMS = {"factors": "integers"}

    factors: Any
    tail: ir.StringAttr
    loop: ext.Operand[LoopType]
    values: Sequence[ext.Operand[ValueType]]
    loops: Sequence[ext.Result[LoopType]]

    verify_invariants = verifier(_split_fault, factors=ir.DenseI64ArrayAttr, tail=ir.StringAttr)


class FuseOp(TLoop.Operation, name="fuse"):
    """Fuses a perfect nest of loops, given from the outermost to the innermost, into one loop.

    The trip counts must be constant.
    """

    loops: Sequence[ext.Operand[LoopType]]
    fused: ext.Result[LoopType]

    verify_invariants = verifier(_order_fault)


class ReorderOp(TLoop.Operation, name="reorder"):
    """Brings loops of a perfect nest into the order in which they are given, outermost first.

    Loops of the nest that are not given stay where they are. No dependence may be reversed, except that the
    terms of a reduction may be summed in another order. The iteration dimensions of a structured computation
    are permuted by `interchange`.
    """

    loops: Sequence[ext.Operand[LoopType]]

    verify_invariants = verifier(_order_fault)


class ParallelOp(TLoop.Operation, name="parallel"):
    """Lets the iterations of a loop run on several threads.

    The loop must carry no dependence. It becomes `affine.parallel`, `scf.parallel`, or, on tensors,
    `scf.forall`.
    """

    loop: ext.Operand[LoopType]


class BindOp(TLoop.Operation, name="bind"):
    """Binds a loop to an axis of a GPU, "block.x" to "thread.z".

    The loop must carry no dependence. It stays a loop and gets the attribute `tloop.bind`, by which the
    lowering for GPUs replaces it.
    """

    axis: ir.StringAttr
    loop: ext.Operand[LoopType]

    verify_invariants = verifier(_bind_fault, axis=ir.StringAttr)


class UnrollOp(TLoop.Operation, name="unroll"):
    """Unrolls a loop by `factor`; 0 unrolls it completely, for which its trip count must be constant."""

    factor: ir.IntegerAttr
    loop: ext.Operand[LoopType]

    verify_invariants = verifier(_unroll_fault, factor=ir.IntegerAttr)


class AnnotateOp(TLoop.Operation, name="annotate"):
    """Sets the attribute `key` of a loop or a computation to `value`."""

    FORMS = {"value": "attribute"}

    key: ir.StringAttr
    value: Any
    target: ext.Operand[Any]

    verify_invariants = verifier(_annotate_fault, key=ir.StringAttr)


class SamplePerfectTileOp(TLoop.Operation, name="sample_perfect_tile"):
    """Samples `count` factors whose product is the trip count of a loop, or the extent of dimension
    `dim` of a structured computation.

    The last factor is at most `largest`. All ways to factor are equally likely. `tloop-sample-schedules`
    records its choice as the attribute `decision`, without which a schedule cannot be applied.
    """

    FORMS = {"decision": "integers?"}

    dim: ir.IntegerAttr
    largest: ir.IntegerAttr
    target: ext.Operand[Any]
    factors: Sequence[ext.Result[ValueType]]

    verify_invariants = verifier(_perfect_tile_fault, dim=ir.IntegerAttr, largest=ir.IntegerAttr)


class SampleCategoricalOp(TLoop.Operation, name="sample_categorical"):
    """Samples one of `candidates`, with `probabilities` that sum to 1.

    `tloop-sample-schedules` records its choice as the attribute `decision`, the candidate's position, without
    which a schedule cannot be applied.
    """

    FORMS = {"candidates": "integers", "probabilities": "floats", "decision": "integer?"}

    candidates: Any
    probabilities: Any
    value: ext.Result[ValueType]

    verify_invariants = verifier(
        _categorical_fault, candidates=ir.DenseI64ArrayAttr, probabilities=ir.DenseF64ArrayAttr
    )
