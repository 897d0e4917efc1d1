"""Data movement: the elements stay, their places change."""

from __future__ import annotations

from .elements import ANY, INDEX
from .rules import (
    broadcast_dims,
    check_axes,
    check_axis,
    check_least,
    check_length,
    check_rank,
    merge,
    product,
    text,
)
from .sizes import differ
from .spec import (
    Attribute,
    Call,
    Dim,
    Operand,
    OpSpec,
    Shape,
    ShapeError,
    ShapeFunction,
    Tensor,
    define,
    define_family,
)

FAMILY = define_family("movement", "The elements stay as they are and move. Negative axes do not occur.")


_X = (Operand("x"),)


def movement(
    name: str,
    summary: str,
    shapes: str,
    onnx: str,
    infer: ShapeFunction,
    *,
    attributes: tuple[Attribute, ...] = (),
    operands: tuple[Operand, ...] = _X,
) -> None:
    """Define an op that moves elements of any type."""
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer, attributes))


def check_dims_operand(call: Call, count: int) -> None:
    """The optional operand `dims` is a vector of as many entries as the result has dims."""
    if call.dims is not None:
        check_rank("dims", call.dims, 1)
        merge("dims", call.dims.shape[0], count, "length and number of result dims differ")


def _open_dims(call: Call) -> Shape:
    """Attribute `shape` with None for -1."""
    check_least("shape", call.shape, -1)
    check_dims_operand(call, len(call.shape))
    return tuple(None if dim == -1 else dim for dim in call.shape)


def _reshape(call: Call) -> Tensor:
    dims = _open_dims(call)
    total, known = product(call.x.shape), product([dim for dim in dims if dim is not None])
    if None not in dims:
        _check_count(call, total, known)
    elif total is not None and dims.count(None) == 1:
        dims = tuple(_quotient(call, total, known or 0) if dim is None else dim for dim in dims)
    return Tensor(dims, call.x.element)


def _check_count(call: Call, total: Dim, known: Dim) -> None:
    """All of the shape is known: x's known dims must divide it, or equal it where all are known."""
    factor = product([dim for dim in call.x.shape if dim is not None])
    if total is not None and known is not None and differ(total, known):
        raise ShapeError("shape", f"{text(call.shape)} has {known} elements, x has {total}: {call.x}")
    if total is None and factor and known and known % factor:
        raise ShapeError(
            "shape", f"{text(call.shape)} has {known} elements, no multiple of x's known dims: {call.x}"
        )


def _quotient(call: Call, total: int, known: int) -> Dim:
    if known == 0:
        raise ShapeError("shape", f"{text(call.shape)} leaves -1 undetermined next to a dim of 0")
    if isinstance(total, int) and isinstance(known, int) and total % known:
        raise ShapeError("shape", f"{text(call.shape)} does not divide the {total} elements of x: {call.x}")
    return total // known


_DIMS = Operand("dims", INDEX, kind="optional")

movement(
    "reshape",
    "the same elements in row-major order under another shape",
    "The attribute `shape`; one -1 follows from the element count. Where several dims are not known, `shape` "
    "has -1 in their places and the operand `dims` (a vector of all result dims) says them at run time, or "
    "the attribute `graph.dims` names them.",
    "Reshape, Flatten",
    _reshape,
    attributes=(Attribute("shape", "ints", "result dims, -1 where one follows or `dims` says it"),),
    operands=(Operand("x"), _DIMS),
)


def _expand(call: Call) -> Tensor:
    dims = _open_dims(call)
    if call.x.rank > len(dims):
        raise ShapeError("shape", f"{text(call.shape)} has fewer dims than x: {call.x}")
    own = (1,) * (len(dims) - call.x.rank) + call.x.shape
    return Tensor(
        tuple(_expanded(call, one, dim) for one, dim in zip(own, dims, strict=True)), call.x.element
    )


def _expanded(call: Call, own: Dim, dim: Dim) -> Dim:
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
    "x's dim, or stands for what the operand `dims` (a vector of all dims) says at run time.",
    "Expand",
    _expand,
    attributes=(Attribute("shape", "ints", "dims to broadcast to, -1 for x's own or one that `dims` says"),),
    operands=(Operand("x"), _DIMS),
)


def _transpose(call: Call) -> Tensor:
    check_length("permutation", call.permutation, call.x.rank, "one per dim of x")
    check_axes("permutation", call.permutation, call.x.rank)
    return Tensor(tuple(call.x.shape[axis] for axis in call.permutation), call.x.element)


movement(
    "transpose",
    "reorder the dims",
    "Dim i of the result is dim `permutation[i]` of x.",
    "Transpose",
    _transpose,
    attributes=(Attribute("permutation", "ints", "x's axes in the result's order"),),
)


def _concat(call: Call) -> Tensor:
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
            dims[axis] = _joined(
                call, axis, dims[axis], dim, f"dim {axis} of inputs[0] to inputs[{position}] differs"
            )
    return Tensor(tuple(dims), first.element)


def _joined(call: Call, axis: int, one: Dim, other: Dim, what: str) -> Dim:
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
    operands=(Operand("inputs", ANY, kind="variadic"),),
)


def _squeeze(call: Call) -> Tensor:
    check_axes("axes", call.axes, call.x.rank)
    for axis in call.axes:
        dim = call.x.shape[axis]
        if dim is not None and differ(dim, 1):
            raise ShapeError("axes", f"{text(call.axes)} names dim {axis}, which is not 1: {call.x}")
    return Tensor(
        tuple(dim for axis, dim in enumerate(call.x.shape) if axis not in call.axes), call.x.element
    )


movement(
    "squeeze",
    "drop dims of 1",
    "x without the axes.",
    "Squeeze",
    _squeeze,
    attributes=(Attribute("axes", "ints", "axes of x, whose dims are 1"),),
)


def _unsqueeze(call: Call) -> Tensor:
    rank = call.x.rank + len(call.axes)
    check_axes("axes", call.axes, rank)
    rest = iter(call.x.shape)
    return Tensor(tuple(1 if axis in call.axes else next(rest) for axis in range(rank)), call.x.element)


movement(
    "unsqueeze",
    "insert dims of 1",
    "x with a 1 at each of the axes, which count in the result.",
    "Unsqueeze",
    _unsqueeze,
    attributes=(Attribute("axes", "ints", "axes of the result that are new"),),
)


def _tile(call: Call) -> Tensor:
    check_length("repeats", call.repeats, call.x.rank, "one per dim of x")
    check_least("repeats", call.repeats, 0)
    dims = zip(call.x.shape, call.repeats, strict=True)
    return Tensor(
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


def _trilu(call: Call) -> Tensor:
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
