"""Primitives on loops over tiles of structured computations, for partial tiles and streams of tiles."""

from mlc.bindings import ext, ir
from mlc.dialects.tloop import views
from mlc.dialects.tloop.dialect import LoopType, TLoop
from mlc.dialects.verification import verifier


def _stream_fault(op: ext.Operation) -> str:
    queries, keys = views.StreamKeys(op.operation).queries, views.StreamKeys(op.operation).keys
    if queries > 0 and keys > 0:
        return ""
    return f"blocks must not be empty, but are of {queries} queries and {keys} keys"


def _balance_fault(op: ext.Operation) -> str:
    if "full" in op.attributes and not isinstance(op.attributes["full"], ir.UnitAttr):
        return "full must be a unit attribute"
    return ""


class PeelOp(TLoop.Operation, name="peel"):
    """Splits a loop's last, smaller iteration off, so that every remaining tile has a static size.

    Only sequential loops have one, and only where the step does not divide the extent.
    """

    loop: ext.Operand[LoopType]


class ShiftInwardsOp(TLoop.Operation, name="shift_inwards"):
    """Makes a loop's last tile full: where the step does not divide the extent, it begins within the tile
    before (Halide's `ShiftInwards`), and computes some elements again. A dynamic extent below the step
    has tiles of a quarter of the step, or of one point.

    Only sequential loops have one, over tiles of a structured computation that does not add to its result.
    """

    loop: ext.Operand[LoopType]


class BalanceOp(TLoop.Operation, name="balance"):
    """Splits a loop over tiles of a dynamic extent so that every tile has a static size: there are as few
    tiles of at most the loop's step as possible, whose sizes differ by at most 1; with the unit attribute
    `full` there are tiles of the step, then tiles of one point.

    There is a copy of the loop for each size, of which at most two run. Only sequential loops over tiles of
    structured computations are balanced.
    """

    FORMS = {"full": "unit"}

    loop: ext.Operand[LoopType]

    verify_invariants = verifier(_balance_fault)


class SkipPaddingOp(TLoop.Operation, name="skip_padding"):
    """Leaves out the iterations of a loop over the offsets of a window, one by one, that read padding alone.

    The loop contains a sum of products whose attribute `tloop.padding` gives the zeros that its first operand
    has before and after its elements along each dim. Its bounds become a maximum and a minimum, so that the
    rows of a window at the border of an image take as many iterations as they have rows within it. A product
    with a weight that is not finite is left out, too.
    """

    loop: ext.Operand[LoopType]


class StreamKeysOp(TLoop.Operation, name="stream_keys"):
    """Takes the keys of attention in blocks of `keys`, one after the other, for a block of queries.

    The parts of attention, which its default schedule names, are in the body of one loop, over blocks of
    `queries` queries. A block that has fewer is padded; the maxima of scores, the sums of exponentials and
    the accumulators of values, carried from one block of keys to the next, are rescaled when a maximum grows.
    The numbers of queries and keys may be dynamic, and the parts take no more memory than those of one block.
    Results may differ by rounding.
    """

    queries: ir.IntegerAttr
    keys: ir.IntegerAttr
    loop: ext.Operand[LoopType]

    verify_invariants = verifier(_stream_fault, queries=ir.IntegerAttr, keys=ir.IntegerAttr)
