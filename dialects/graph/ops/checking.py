"""Requirements of operators on dynamic data. A call whose data break one fails."""

from __future__ import annotations

from mlc.dialects.graph.elements import BOOL, INDEX, ElementClass
from mlc.dialects.graph.shape_rules import check_fills, check_rank
from mlc.dialects.graph.sizes import falls_below
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "checks",
    "A call whose data break a requirement fails: the host program checks. They stay where nothing "
    "reads what they check, which is a side effect: no rewrite of a reader loses a check. Kernels clamp "
    "indices, and give 0 for divisors of 0, so that readers need not follow these checks.",
)

CHECKS = ("check", "expect_indices", "expect_nonzero", "expect_sizes")
RELATIONS = ("equal", "at_least")
_SIZES = ElementClass("i64", frozenset({"i64"}))
_DIVISORS = ElementClass(
    "integers of 8 to 64 bits", frozenset({"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"})
)
_WHAT = Attribute("what", "str", "the operator in the message of a call that fails")


def _check(call: OpCall) -> GraphTensor:
    check_rank("truth", call.truth, 0)
    if not call.message:
        raise ShapeError("message", "is empty")
    return GraphTensor(call.x.shape, call.x.element)


define(
    OpSpec(
        "check",
        FAMILY,
        "passes x on; the call fails unless `truth` is true (GPUs refuse it)",
        "x unchanged; the call fails with `message`, which names the op that needs it, if `truth` is false. "
        "No property of x is propagated to the result, so that no rewrite bypasses the check.",
        ("made by the importer for run-time axes, steps, lengths and counts",),
        (OperandSpec("x"), OperandSpec("truth", BOOL, like="")),
        _check,
        (Attribute("message", "str", "the message of a call that fails"),),
    )
)


def _expect_indices(call: OpCall) -> tuple[GraphTensor, ...]:
    check_rank("extents", call.extents, 1)
    (count,) = call.extents.shape
    if isinstance(count, int) and count == 1:
        return ()
    if count is None or falls_below(count, 1) or not call.indices.rank:
        raise ShapeError("extents", f"needs one element, or one for each column of indices: {call.extents}")
    check_fills("extents", call.extents, call.indices, "indices")
    return ()


define(
    OpSpec(
        "expect_indices",
        FAMILY,
        "the call fails unless all indices are in range",
        "No result. Indices must be in `[-extent, extent)`, or `[0, extent)`. `extents` are the sizes of the "
        "indexed dims; if there are several, each element of the last dim of indices has its own.",
        ("made by the importer for look-ups and updates",),
        (OperandSpec("indices", INDEX), OperandSpec("extents", _SIZES)),
        _expect_indices,
        (
            Attribute("axis", "int", "the first indexed dim, in the message", 0),
            Attribute("front_only", "bool", "whether negative indices are out of range", False),
            _WHAT,
        ),
        results=(),
    )
)
define(
    OpSpec(
        "expect_nonzero",
        FAMILY,
        "the call fails if a divisor is 0",
        "No result. All divisors are checked, whether or not something is divided by them.",
        ("made by the importer for Div and Mod of integers",),
        (OperandSpec("divisors", _DIVISORS),),
        lambda _: (),
        (_WHAT,),
        results=(),
    )
)


def _expect_sizes(call: OpCall) -> tuple[GraphTensor, ...]:
    check_rank("left", call.left, 1)
    if call.left.shape != call.right.shape:
        raise ShapeError("right", f"has not the shape of left: {call.right} against {call.left}")
    return ()


define(
    OpSpec(
        "expect_sizes",
        FAMILY,
        "the call fails unless pairs of sizes are in a relation",
        "No result. Vectors of sizes, of equal length. Both sizes of a pair that is not are reported.",
        ("made by the importer for shapes that other dims or the operator ask for",),
        (OperandSpec("left", _SIZES), OperandSpec("right", _SIZES)),
        _expect_sizes,
        (
            Attribute(
                "relation", "str", "left and right are equal, or left is at least right", "equal", RELATIONS
            ),
            Attribute("fault", "str", "what is wrong otherwise, in the message"),
            _WHAT,
        ),
        results=(),
    )
)
