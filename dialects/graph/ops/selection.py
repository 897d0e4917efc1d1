"""Movement that selects or adds elements: `slice`, `pad` and the gathers."""

from __future__ import annotations

from mlc.dialects.graph.elements import INDEX
from mlc.dialects.graph.ops.movement import movement
from mlc.dialects.graph.shape_rules import (
    check_axis,
    check_least,
    check_length,
    check_rank,
    check_representable,
    merge,
    product,
    text,
)
from mlc.dialects.graph.sizes import falls_below, maximum, minimum
from mlc.dialects.graph.spec import Attribute, Dim, GraphTensor, OpCall, OperandSpec, ShapeError


def _slice(call: OpCall) -> GraphTensor:
    for name in ("starts", "sizes", "steps"):
        check_length(name, call[name], call.x.rank, "one per dim of x")
    check_least("sizes", call.sizes, -1)
    if 0 in call.steps:
        raise ShapeError("steps", f"{text(call.steps)} has a step of 0")
    return GraphTensor(tuple(_slice_dim(call, axis) for axis in range(call.x.rank)), call.x.element)


def _slice_dim(call: OpCall, axis: int) -> Dim:
    dim, start, size, step = call.x.shape[axis], call.starts[axis], call.sizes[axis], call.steps[axis]
    if dim is None:
        return _slice_unknown_dim(start, size, step)
    first = start + dim if start < 0 else start
    if size == -1:
        size = maximum(0, -(-(dim - first) // step) if step > 0 else first // -step + 1)
    # With a dynamic size all elements are assumed to exist.
    if isinstance(size, int) and size and _lacks(dim, first, (size - 1) * step):
        where = f"start {start}, size {size}, step {step}"
        raise ShapeError("starts, sizes, steps", f"leave x in dim {axis} ({where}): {call.x}")
    return size


def _lacks(dim: int, first: int, distance: int) -> bool:
    """Whether a dim lacks the index `first`, or that at `distance` from it."""
    lowest, highest = sorted((0, distance))
    return falls_below(first + lowest, 0, "it takes elements before the first one") or falls_below(
        dim, first + highest + 1, "it takes elements after the last one"
    )


def _slice_unknown_dim(start: int, size: int, step: int) -> Dim:
    if size != -1:
        return size
    # To the first element backwards from a known start: the count does not depend on the dim.
    return start // -step + 1 if step < 0 <= start else None


movement(
    "slice",
    "elements at regular distances",
    "Per dim `sizes` elements from `starts` (negative: counted from the end) at distance `steps` "
    "(negative: backwards). A size of -1 goes on to the last (or first) element. All selected elements must "
    "exist: the front end clamps.",
    "Slice, Split",
    _slice,
    attributes=(
        Attribute("starts", "ints", "first index per dim"),
        Attribute("sizes", "ints", "number of elements per dim, -1 for all that follow"),
        Attribute("steps", "ints", "distance per dim, not 0"),
    ),
)


def _pad(call: OpCall) -> GraphTensor:
    for name in ("low", "high"):
        check_length(name, call[name], call.x.rank, "one per dim of x")
        check_least(name, call[name], 0)
    dims = zip(call.x.shape, call.low, call.high, strict=True)
    for axis, (dim, low, high) in enumerate(dims):
        if dim is not None and call.mode != "constant" and (low or high):
            _check_source(call, axis, dim, max(low, high))
    if call.mode == "constant":
        check_representable("value", call.value, call.x)
    dims = zip(call.x.shape, call.low, call.high, strict=True)
    return GraphTensor(
        tuple(None if dim is None else dim + low + high for dim, low, high in dims), call.x.element
    )


def _check_source(call: OpCall, axis: int, dim: int, amount: int) -> None:
    """Raises ShapeError where a mode copies more elements than the dim has."""
    least = amount + 1 if call.mode == "reflect" else 1
    if falls_below(dim, least, "it adds copies of more elements than a dim has"):
        raise ShapeError(
            "low, high", f"pad dim {axis} by {amount} in mode {call.mode}, which {call.x} is too small for"
        )


movement(
    "pad",
    "x with elements added around it",
    "Each dim plus its low and high. `reflect` needs them below the dim.",
    "Pad (constant, reflect, edge, wrap)",
    _pad,
    attributes=(
        Attribute("low", "ints", "elements added before each dim, at least 0"),
        Attribute("high", "ints", "elements added after each dim, at least 0"),
        Attribute("mode", "str", "what is added", "constant", ("constant", "reflect", "edge", "wrap")),
        Attribute("value", "scalar", "the constant of mode constant", 0.0),
    ),
)


def _gather(call: OpCall) -> GraphTensor:
    check_axis("axis", call.axis, call.data.rank)
    shape = call.data.shape
    result = GraphTensor(shape[: call.axis] + call.indices.shape + shape[call.axis + 1 :], call.data.element)
    return from_some("data", call.data, (shape[call.axis],), result)


def from_some(field: str, data: GraphTensor, indexed: tuple[Dim, ...], result: GraphTensor) -> GraphTensor:
    """Returns `result`, the tensor of elements read (or written); raises ShapeError if it has elements but
    data has none along the indexed dims."""
    count = product(result.shape or ())
    if count is not None and any(_is_empty(dim, count) for dim in indexed):
        raise ShapeError(field, f"has no elements that indices could name: {data}")
    return result


def _is_empty(dim: Dim, count: int) -> bool:
    """Whether a dim of data is 0 although there are elements to take."""
    if dim is None or (isinstance(dim, int) and dim > 0):
        return False
    least = 1 if isinstance(count, int) and count > 0 else minimum(1, count)
    return falls_below(dim, least, "its indices name elements of an axis that has none")


def _gather_elements(call: OpCall) -> GraphTensor:
    check_axis("axis", call.axis, call.data.rank)
    check_rank("indices", call.indices, call.data.rank, " (as data)")
    for axis, (count, dim) in enumerate(zip(call.indices.shape, call.data.shape, strict=True)):
        if axis != call.axis:
            check_reach(axis, count, dim, call)
    result = GraphTensor(call.indices.shape, call.data.element)
    return from_some("data", call.data, (call.data.shape[call.axis],), result)


def check_reach(axis: int, count: Dim, dim: Dim, call: OpCall) -> None:
    """Raises ShapeError where indices have more entries along another axis than data has elements."""
    fault = f"dim {axis} of its indices is larger than that of data"
    if count is not None and dim is not None and falls_below(dim, count, fault):
        raise ShapeError("indices", f"dim {axis} is larger than data's: {call.indices} against {call.data}")


def _gather_nd(call: OpCall) -> GraphTensor:
    data, indices, batch = call.data, call.indices, call.batch_dims
    if indices.rank and not 0 <= batch < min(data.rank, indices.rank):
        raise ShapeError("batch_dims", f"{batch} is outside [0, {min(data.rank, indices.rank)})")
    count = indexed_dims("indices", data, indices, batch)
    shared = [
        merge("indices", one, other, f"dim {axis} of data and of indices, a batch dim, differ")
        for axis, (one, other) in enumerate(zip(data.shape[:batch], indices.shape[:batch], strict=True))
    ]
    result = GraphTensor((*shared, *indices.shape[batch:-1], *data.shape[batch + count :]), data.element)
    return from_some("data", data, data.shape[batch : batch + count], result)


def indexed_dims(field: str, data: GraphTensor, indices: GraphTensor, batch: int = 0) -> int:
    """Returns the number of dims of data, after the batch dims, that one index has: the last dim of
    indices."""
    if not indices.shape:
        raise ShapeError(field, f"needs rank 1 or more: {indices}")
    count = indices.shape[-1]
    if not isinstance(count, int):
        raise ShapeError(field, f"needs a last dim that is known: {indices}")
    if not 1 <= count <= data.rank - batch:
        raise ShapeError(field, f"has indices of length {count} for {data.rank - batch} dims: {indices}")
    return count


_GATHER_OPERANDS = (OperandSpec("data"), OperandSpec("indices", INDEX))
_AXIS = (Attribute("axis", "int", "the indexed axis of data, in [0, rank)"),)

movement(
    "gather",
    "slices of data at indices along an axis; negative ones count from the end, those outside are clamped",
    "data `[a..., d, b...]` with d at the axis and indices `[i...]` give `[a..., i..., b...]`.",
    "Gather",
    _gather,
    attributes=_AXIS,
    operands=_GATHER_OPERANDS,
)
movement(
    "gather_elements",
    "one element of data per index: the index replaces the position's coordinate along the axis",
    "indices have data's rank, and no dim but the axis' is larger than data's; the result has their shape.",
    "GatherElements",
    _gather_elements,
    attributes=_AXIS,
    operands=_GATHER_OPERANDS,
)
movement(
    "gather_nd",
    "slices of data at the tuples along the last dim of indices; negative ones count from the end",
    "data `[b..., d..., e...]` with `batch_dims` dims b and indices `[b..., i..., number of dims d]` give "
    "`[b..., i..., e...]`.",
    "GatherND",
    _gather_nd,
    attributes=(Attribute("batch_dims", "int", "leading dims that data and indices share", 0),),
    operands=_GATHER_OPERANDS,
)
