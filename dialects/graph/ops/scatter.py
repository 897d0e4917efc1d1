"""Ops that write updates into a tensor at indices."""

from __future__ import annotations

from mlc.dialects.graph.elements import COMPLEX, INDEX, ORDERED
from mlc.dialects.graph.ops.movement import movement
from mlc.dialects.graph.ops.selection import check_reach, from_some, indexed_dims
from mlc.dialects.graph.shape_rules import check_axis, check_rank, merge
from mlc.dialects.graph.sizes import differ
from mlc.dialects.graph.spec import Attribute, GraphTensor, OpCall, OperandSpec, ShapeError

REDUCTION = Attribute(
    "reduction",
    "str",
    "how an element and its update are combined; on i1 `add` is or, `mul` is and",
    "none",
    ("none", "add", "mul", "min", "max"),
)
_OPERANDS = (OperandSpec("data"), OperandSpec("indices", INDEX), OperandSpec("updates", like="data"))


def _check_reduction(call: OpCall) -> None:
    element = call.data.element
    if COMPLEX.admits(element):
        if call.reduction in ("min", "max"):
            raise ShapeError("reduction", f"is {call.reduction}, but complex numbers have no order")
    elif call.reduction != "none" and not ORDERED.admits(element):
        raise ShapeError("data", f"has elements {element}, which cannot be joined: {call.data}")


def _scatter_elements(call: OpCall) -> GraphTensor:
    data, indices, updates = call.data, call.indices, call.updates
    check_axis("axis", call.axis, data.rank)
    check_rank("indices", indices, data.rank, " (as data)")
    check_rank("updates", updates, data.rank, " (as data)")
    for axis, (one, other, dim) in enumerate(zip(indices.shape, updates.shape, data.shape, strict=True)):
        count = merge("updates", one, other, f"dim {axis} of indices and of updates differ")
        if axis != call.axis:
            check_reach(axis, count, dim, call)
    _check_reduction(call)
    from_some("data", data, (data.shape[call.axis],), updates)
    return GraphTensor(data.shape, data.element)


def _scatter_nd(call: OpCall) -> GraphTensor:
    data, indices, updates = call.data, call.indices, call.updates
    if indices.rank and not isinstance(indices.shape[-1], int):
        indices = GraphTensor((*indices.shape[:-1], _tuple_length(data, indices, updates)), indices.element)
    indexed = indexed_dims("indices", data, indices)
    wanted = (*indices.shape[:-1], *data.shape[indexed:])
    check_rank("updates", updates, len(wanted), " (the dims of indices but the last, then data's others)")
    for axis, (one, other) in enumerate(zip(wanted, updates.shape, strict=True)):
        merge("updates", one, other, f"dim {axis} does not follow from data and indices")
    _check_reduction(call)
    from_some("data", data, data.shape[:indexed], updates)
    return GraphTensor(data.shape, data.element)


def _tuple_length(data: GraphTensor, indices: GraphTensor, updates: GraphTensor) -> int:
    """Returns the number of indexed dims that follows from the ranks. Raises ShapeError if the dynamic last
    dim of indices is never equal to it."""
    length = indices.shape[-1] if indices.shape else None
    count = data.rank - updates.rank + indices.rank - 1
    fault = "the last dim of its indices is not the number of dims that updates lack"
    if length is not None and differ(length, count, fault):
        raise ShapeError("indices", f"has a last dim of {length}, and the ranks ask for {count}: {indices}")
    return count


movement(
    "scatter_elements",
    "data with single elements replaced by updates, or combined with them, in order along the axis: "
    "the index replaces the position's coordinate along it; negative indices count from the end",
    "indices and updates have one shape and data's rank; no dim but the axis' is larger than data's. The "
    "result has data's type.",
    "ScatterElements, Scatter",
    _scatter_elements,
    attributes=(Attribute("axis", "int", "the indexed axis of data, in [0, rank)"), REDUCTION),
    operands=_OPERANDS,
)
movement(
    "scatter_nd",
    "data with slices replaced by updates, or combined with them, in the order of updates, "
    "at the tuples along the last dim of indices; negative ones count from the end",
    "data `[d..., e...]`, indices `[i..., number of dims d]` and updates `[i..., e...]` give data's type.",
    "ScatterND",
    _scatter_nd,
    attributes=(REDUCTION,),
    operands=_OPERANDS,
)
