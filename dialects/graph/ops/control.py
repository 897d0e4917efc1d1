"""Control flow: a choice between two bodies, a loop, and the terminator of bodies.

Bodies see the values around them. Conditions and trip counts are tensors of rank 0, as in ONNX.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.elements import BOOL, ElementClass
from mlc.dialects.graph.shape_rules import agree, check_rank
from mlc.dialects.graph.spec import (
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    RegionSignature,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "control flow",
    "Bodies are regions of one block that ends with `graph.yield`; they see the values around them. Kernels "
    "are formed inside bodies; `host-plan-memory` lowers the rest to `scf` ops. GPUs refuse it.",
)

CONTROL_LIMIT = 160
"""Most values that enter or leave a body."""

YIELD = "yield"
_COUNT = ElementClass("i64", frozenset({"i64"}))


def join(one: GraphTensor, other: GraphTensor) -> GraphTensor:
    """Returns the type that covers both tensors: dims that differ are not known, nor is the rank if that
    differs."""
    if one.shape is None or other.shape is None or len(one.shape) != len(other.shape):
        return GraphTensor(None, one.element)
    dims = zip(one.shape, other.shape, strict=True)
    return GraphTensor(tuple(dim if dim == same else None for dim, same in dims), one.element)


def _check_count(field: str, what: str, found: int, expected: int) -> None:
    if found != expected:
        raise ShapeError(field, f"{what} {found} values instead of {expected}")


def _check_fits(field: str, what: str, found: GraphTensor, expected: GraphTensor) -> None:
    """Raises ShapeError unless one value may have both types: elements agree, and shapes where they are
    known."""
    shapes = found.shape, expected.shape
    if found.element != expected.element or (None not in shapes and not agree(*shapes)):  # type: ignore[arg-type]
        raise ShapeError(field, f"{what} is {found}, which does not fit {expected}")


def _check_scalar(field: str, what: str, found: GraphTensor, element: str) -> None:
    if found != GraphTensor((), element):
        raise ShapeError(field, f"{what} is {found} instead of tensor<{element}>")


def _if(call: OpCall) -> tuple[GraphTensor, ...]:
    check_rank("condition", call.condition, 0)
    then, other = call.then_branch, call.else_branch
    for name, body in (("then_branch", then), ("else_branch", other)):
        _check_count(name, "takes", len(body.arguments), 0)
    _check_count("else_branch", "yields", len(other.yields), len(then.yields))
    for index, (one, two) in enumerate(zip(then.yields, other.yields, strict=True)):
        if one.element != two.element:
            raise ShapeError("else_branch", f"yield {index} has elements {two.element}, not {one.element}")
    return tuple(join(*pair) for pair in zip(then.yields, other.yields, strict=True))


def _check_loop_body(body: RegionSignature, initial: Sequence[GraphTensor]) -> None:
    _check_count("body", "takes", len(body.arguments), 2 + len(initial))
    _check_scalar("body", "argument 0 (the iteration)", body.arguments[0], "i64")
    _check_scalar("body", "argument 1 (the condition)", body.arguments[1], "i1")
    if len(body.yields) < 1 + len(initial):
        raise ShapeError("body", f"yields {len(body.yields)} values instead of {1 + len(initial)} or more")
    _check_scalar("body", "yield 0 (the condition)", body.yields[0], "i1")
    for index, value in enumerate(initial):
        argument = body.arguments[2 + index]
        _check_fits("initial", f"value {index}", value, argument)
        _check_fits("body", f"yield {1 + index}", body.yields[1 + index], argument)


def _loop(call: OpCall) -> tuple[GraphTensor, ...]:
    check_rank("trip_count", call.trip_count, 0)
    check_rank("condition", call.condition, 0)
    initial, yields = call.initial, call.body.yields
    _check_loop_body(call.body, initial)
    carried = [join(first, last) for first, last in zip(initial, yields[1:], strict=False)]
    scans = yields[1 + len(initial) :]
    stacked = [
        GraphTensor(None if scan.shape is None else (None, *scan.shape), scan.element) for scan in scans
    ]
    return (*carried, *stacked)


define(
    OpSpec(
        "if",
        FAMILY,
        "one of two bodies, chosen by a boolean",
        "The condition has rank 0; both branches take no arguments and yield the same number of values, of "
        "equal element types. Dims of a result are known where both branches yield the same.",
        ("If",),
        (OperandSpec("condition", BOOL),),
        _if,
        results=(),
        regions=("then_branch", "else_branch"),
        most_results=CONTROL_LIMIT,
    )
)
define(
    OpSpec(
        "loop",
        FAMILY,
        "a body that runs while its condition holds, `trip_count` times at most",
        "The body takes the iteration (i64), the condition (i1) and the carried values; it yields the next "
        "condition, the next carried values, and scanned values, which are stacked along a new first dim. "
        "Results are the carried values at the end and the stacks. Where a loop has no trip count it is the "
        "largest i64, where it has no condition that is true. Carried values keep the type that the body's "
        "arguments have; their dims may change where they are unknown there. A stack whose type has a static "
        "number of rows gets as many: if the body runs less often the others are undefined, if it runs "
        "more often all further iterations write the last row.",
        ("Loop",),
        (
            OperandSpec("trip_count", _COUNT),
            OperandSpec("condition", BOOL),
            OperandSpec("initial", variadicity="variadic", least=0, most=CONTROL_LIMIT),
        ),
        _loop,
        results=(),
        regions=("body",),
        most_results=CONTROL_LIMIT,
    )
)
define(
    OpSpec(
        YIELD,
        FAMILY,
        "the results of a body, for the op around it",
        "Ends each body of `if` and `loop`.",
        ("outputs of graph attributes",),
        (OperandSpec("values", variadicity="variadic", least=0, most=CONTROL_LIMIT),),
        lambda call: (),
        results=(),
    )
)
