"""Ops without tensor operands: constants, weights, prepared values, fills, ranges."""

from __future__ import annotations

from mlc.dialects.graph.elements import INDEX, NUMERIC, element_bytes
from mlc.dialects.graph.ops.movement import check_dims_operand
from mlc.dialects.graph.shape_rules import check_rank, check_representable, product
from mlc.dialects.graph.spec import (
    Attribute,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    ShapeFunction,
    define,
    define_family,
)

FAMILY = define_family(
    "creation",
    "Small values are `constant`, large ones `weight`: a reference to bytes in a file, which stay out of "
    "the IR.",
)

CONSTANT_LIMIT = 1024
"""Bytes that a graph.constant may hold."""


def creation(
    name: str,
    summary: str,
    shapes: str,
    onnx: str,
    infer: ShapeFunction,
    *,
    attributes: tuple[Attribute, ...] = (),
    operands: tuple[OperandSpec, ...] = (),
    given: bool = False,
) -> None:
    """Defines an op that makes a tensor; `given`: its type is written, not inferred."""
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer, attributes, result_given=given))


def stored_bytes(tensor: GraphTensor) -> int | None:
    """Returns the bytes of a tensor (i1 and narrower types one byte each), None where a dim is not known."""
    count = product(tensor.shape or ())
    try:
        return None if count is None else count * element_bytes(tensor.element)
    except KeyError:
        raise ShapeError("result", f"has elements without a stored form: {tensor}") from None


def _constant(call: OpCall) -> GraphTensor:
    size = stored_bytes(call.value)
    if size is not None and size > CONSTANT_LIMIT:
        raise ShapeError(
            "value",
            f"has {size} bytes, over the {CONSTANT_LIMIT} of a constant; use graph.weight: {call.value}",
        )
    return call.value


creation(
    "constant",
    "a tensor held in the IR, of at most 1 KiB",
    "The type of `value`.",
    "Constant, initializers up to 1 KiB",
    _constant,
    attributes=(Attribute("value", "elements", "the dense elements"),),
)


def _given_ranked(call: OpCall) -> GraphTensor:
    if call.given.shape is None:
        raise ShapeError("result", f"needs a known rank: {call.given}")
    return call.given


def _weight(call: OpCall) -> GraphTensor:
    if call.offset < 0:
        raise ShapeError("offset", f"{call.offset} is negative")
    result = _given_ranked(call)
    size = stored_bytes(result)
    if size is None:
        raise ShapeError("result", f"needs static dims: {result}")
    if size != call.size:
        raise ShapeError("size", f"{call.size} is not the result's {size} bytes: {result}")
    return result


creation(
    "weight",
    "a tensor whose bytes are stored in a weight source, row-major and little-endian",
    "The result type is given and static; `size` is its number of bytes (i1 and types below eight bits "
    "take one byte per element).",
    "initializers",
    _weight,
    attributes=(
        Attribute("source", "str", "name of the weight source"),
        Attribute("offset", "int", "first byte in the source"),
        Attribute("size", "int", "number of bytes"),
        Attribute("hash", "str", "content hash of the bytes"),
    ),
    given=True,
)


def _infer_prepared(call: OpCall) -> GraphTensor:
    if call.index < 0:
        raise ShapeError("index", f"{call.index} is negative")
    return _given_ranked(call)


creation(
    "prepared",
    "a result of @prepare, computed once at compile time",
    "The result type is given: that of @prepare's result.",
    "made by graph-split-prepare",
    _infer_prepared,
    attributes=(Attribute("index", "int", "which result of @prepare"),),
    given=True,
)


def _full(call: OpCall) -> GraphTensor:
    result = _given_ranked(call)
    check_dims_operand(call, result.rank)
    check_representable("value", call.value, result)
    return result


creation(
    "full",
    "a tensor of one value",
    "The result type is given; where it has dims that are not known, the operand `dims` (a vector of all "
    "dims) gives them, or the attribute `graph.dims` names them.",
    "ConstantOfShape",
    _full,
    attributes=(Attribute("value", "scalar", "the element; 0 or 1 for i1"),),
    operands=(OperandSpec("dims", INDEX, variadicity="optional"),),
    given=True,
)


def _range(call: OpCall) -> GraphTensor:
    for name in ("start", "limit", "delta"):
        check_rank(name, call[name], 0)
    return GraphTensor((None,), call.start.element)


creation(
    "range",
    "`start, start + delta, ...` up to `limit`, without it",
    "Three scalars of one type give a vector; its length is written in the result type where it is known.",
    "Range",
    _range,
    operands=(
        OperandSpec("start", NUMERIC),
        OperandSpec("limit", NUMERIC, like="start"),
        OperandSpec("delta", NUMERIC, like="start"),
    ),
)
