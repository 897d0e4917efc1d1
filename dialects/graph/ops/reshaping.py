"""The ops `reshape`, `squeeze` and `unsqueeze`: the same elements, in the same order, under another shape."""

from __future__ import annotations

from mlc.dialects.graph.ops.movement import DIMS, movement, open_dims
from mlc.dialects.graph.shape_rules import check_axes, product, text
from mlc.dialects.graph.sizes import differ
from mlc.dialects.graph.spec import Attribute, Dim, GraphTensor, OpCall, OperandSpec, ShapeError


def _reshape(call: OpCall) -> GraphTensor:
    dims = open_dims(call)
    total, known = product(call.x.shape), product([dim for dim in dims if dim is not None])
    if None not in dims:
        _check_count(call, total, known)
    elif total is not None and dims.count(None) == 1:
        dims = tuple(_quotient(call, total, known or 0) if dim is None else dim for dim in dims)
    return GraphTensor(dims, call.x.element)


def _check_count(call: OpCall, total: Dim, known: Dim) -> None:
    """Raises ShapeError unless x's known dims divide the shape, or equal it where all are known."""
    factor = product([dim for dim in call.x.shape if dim is not None])
    if total is not None and known is not None and differ(total, known):
        raise ShapeError("shape", f"{text(call.shape)} has {known} elements, x has {total}: {call.x}")
    if total is None and factor and known and known % factor:
        raise ShapeError(
            "shape", f"{text(call.shape)} has {known} elements, no multiple of x's known dims: {call.x}"
        )


def _quotient(call: OpCall, total: int, known: int) -> Dim:
    if known == 0 and call.dims is not None:
        return None
    if known == 0:
        raise ShapeError("shape", f"{text(call.shape)} leaves -1 undetermined next to a dim of 0")
    if isinstance(total, int) and isinstance(known, int) and total % known:
        raise ShapeError("shape", f"{text(call.shape)} does not divide the {total} elements of x: {call.x}")
    return total // known


movement(
    "reshape",
    "the same elements in row-major order under another shape",
    "The attribute `shape`; one -1 follows from the element count. Where several dims are not known, `shape` "
    "has -1 for them and the operand `dims` (a vector of all result dims) gives them at run time, or "
    "the attribute `graph.dims` names them.",
    "Reshape, Flatten",
    _reshape,
    attributes=(Attribute("shape", "ints", "result dims, -1 where one follows or `dims` gives it"),),
    operands=(OperandSpec("x"), DIMS),
)


def _squeeze(call: OpCall) -> GraphTensor:
    check_axes("axes", call.axes, call.x.rank)
    for axis in call.axes:
        dim = call.x.shape[axis]
        if dim is not None and differ(dim, 1):
            raise ShapeError("axes", f"{text(call.axes)} names dim {axis}, which is not 1: {call.x}")
    return GraphTensor(
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


def _unsqueeze(call: OpCall) -> GraphTensor:
    rank = call.x.rank + len(call.axes)
    check_axes("axes", call.axes, rank)
    rest = iter(call.x.shape)
    return GraphTensor(tuple(1 if axis in call.axes else next(rest) for axis in range(rank)), call.x.element)


movement(
    "unsqueeze",
    "insert dims of 1",
    "x with a 1 at each of the axes, which count in the result.",
    "Unsqueeze",
    _unsqueeze,
    attributes=(Attribute("axes", "ints", "axes of the result that are new"),),
)
