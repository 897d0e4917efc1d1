"""Data movement: elements keep their values and change their coordinates."""

from __future__ import annotations

from mlc.dialects.graph.elements import ANY, INDEX
from mlc.dialects.graph.shape_rules import (
    broadcast_dims,
    check_axes,
    check_axis,
    check_least,
    check_length,
    check_rank,
    merge,
    text,
)
from mlc.dialects.graph.spec import (
    Attribute,
    Dim,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    Shape,
    ShapeError,
    ShapeFunction,
    define,
    define_family,
)

FAMILY = define_family("movement", "The elements stay as they are and move. Negative axes do not occur.")

_X = (OperandSpec("x"),)
# The result's dims, for dynamic ones.
DIMS = OperandSpec("dims", INDEX, variadicity="optional")


def movement(
    name: str,
    summary: str,
    shapes: str,
    onnx: str,
    infer: ShapeFunction,
    *,
    attributes: tuple[Attribute, ...] = (),
    operands: tuple[OperandSpec, ...] = _X,
) -> None:
    """Defines an op that moves elements of any type."""
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer, attributes))


def check_dims_operand(call: OpCall, count: int) -> None:
    """Raises ShapeError unless the optional operand `dims` is a vector of `count` entries, one per result
    dim."""
    if call.dims is not None:
        check_rank("dims", call.dims, 1)
        merge("dims", call.dims.shape[0], count, "length and number of result dims differ")


def open_dims(call: OpCall) -> Shape:
    """Returns the attribute `shape` with None for -1, checked against the operand `dims`."""
    check_least("shape", call.shape, -1)
    check_dims_operand(call, len(call.shape))
    return tuple(None if dim == -1 else dim for dim in call.shape)


def _expand(call: OpCall) -> GraphTensor:
    dims = open_dims(call)
    if call.x.rank > len(dims):
        raise ShapeError("shape", f"{text(call.shape)} has fewer dims than x: {call.x}")
    own = (1,) * (len(dims) - call.x.rank) + call.x.shape
    return GraphTensor(
        tuple(_expand_dim(call, one, dim) for one, dim in zip(own, dims, strict=True)), call.x.element
    )


def _expand_dim(call: OpCall, own: Dim, dim: Dim) -> Dim:
    if dim is None:
        # A size of named dims may be 1.
        return own if call.dims is None or (isinstance(own, int) and own != 1) else None
    try:
        return broadcast_dims(own, dim)
    except ValueError:
        raise ShapeError("shape", f"{text(call.shape)} does not broadcast with x: {call.x}") from None


movement(
    "expand",
    "broadcast to a shape",
    "x and the attribute `shape` (of x's rank or more) broadcast against each other as in NumPy. -1 keeps "
    "x's dim, or stands for the entry of the operand `dims` (a vector of all dims) at run time.",
    "Expand",
    _expand,
    attributes=(Attribute("shape", "ints", "dims to broadcast to, -1 for x's own or that of `dims`"),),
    operands=(OperandSpec("x"), DIMS),
)


def _transpose(call: OpCall) -> GraphTensor:
    check_length("permutation", call.permutation, call.x.rank, "one per dim of x")
    check_axes("permutation", call.permutation, call.x.rank)
    return GraphTensor(tuple(call.x.shape[axis] for axis in call.permutation), call.x.element)


movement(
    "transpose",
    "reorder the dims",
    "Dim i of the result is dim `permutation[i]` of x.",
    "Transpose",
    _transpose,
    attributes=(Attribute("permutation", "ints", "x's axes in the result's order"),),
)


def _concat(call: OpCall) -> GraphTensor:
    first = call.inputs[0]
    check_axis("axis", call.axis, first.rank)
    dims = list(first.shape)
    for position, other in enumerate(call.inputs[1:], 1):
        check_rank(f"inputs[{position}]", other, first.rank, " (as inputs[0])")
        if other.element != first.element:
            raise ShapeError(
                f"inputs[{position}]", f"has elements {other.element}, inputs[0] has {first.element}"
            )
        for axis, dim in enumerate(other.shape):
            dims[axis] = _join_dims(
                call, axis, dims[axis], dim, f"dim {axis} of inputs[0] to inputs[{position}] differs"
            )
    return GraphTensor(tuple(dims), first.element)


def _join_dims(call: OpCall, axis: int, one: Dim, other: Dim, what: str) -> Dim:
    if axis != call.axis:
        return merge("inputs", one, other, what)
    return None if one is None or other is None else one + other


movement(
    "concat",
    "join tensors along an axis",
    "All inputs have one rank, one element type, and the same dims but for the axis, where the result has "
    "their sum.",
    "Concat",
    _concat,
    attributes=(Attribute("axis", "int", "the joined axis, in [0, rank)"),),
    operands=(OperandSpec("inputs", ANY, variadicity="variadic"),),
)


def _tile(call: OpCall) -> GraphTensor:
    check_length("repeats", call.repeats, call.x.rank, "one per dim of x")
    check_least("repeats", call.repeats, 0)
    dims = zip(call.x.shape, call.repeats, strict=True)
    return GraphTensor(
        tuple(0 if count == 0 else None if dim is None else dim * count for dim, count in dims),
        call.x.element,
    )


movement(
    "tile",
    "repeat along every axis",
    "Each dim times its repeats.",
    "Tile",
    _tile,
    attributes=(Attribute("repeats", "ints", "copies per dim, at least 0"),),
)


def _trilu(call: OpCall) -> GraphTensor:
    if call.x.rank < 2:
        raise ShapeError("x", f"needs rank 2 or more: {call.x}")
    return call.x


movement(
    "trilu",
    "upper or lower triangle of the last two dims, the rest zero",
    "The result has x's type.",
    "Trilu",
    _trilu,
    attributes=(
        Attribute("upper", "bool", "keep the upper triangle, not the lower", True),
        Attribute("k", "int", "diagonal that bounds it: 0 the main one, positive above it", 0),
    ),
)
