"""Rules for reductions, windows and look-ups that cost less as something else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import as_result, constant_array, is_float, splat
from mlc.passes.graph.simplify.copy_rules import window_of_one
from mlc.passes.graph.simplify.slice_rules import Part, slice_of

_REDUCE = "graph.reduce_"


def _reduces_units(op: ir.Operation) -> bool:
    shape = graph.shape_of(op.operands[0])
    return all(shape[axis] == 1 for axis in graph.attribute(op, "axes"))


def _without_axes(op: ir.Operation, value: ir.Value) -> ir.Value:
    """A value of the reduction's operand's shape in the shape of its result."""
    axes = graph.attribute(op, "axes")
    return (
        value
        if graph.attribute(op, "keepdims") or not axes
        else graph.build("squeeze", [value], {"axes": axes})
    )


def _abs(x: ir.Value) -> ir.Value:
    return graph.build("abs", [x])


# What reductions of one element are. Sums begin with 0, which turns -0.0 into 0.0.
_ONE_EXACT: dict[str, Callable[[ir.Value], ir.Value]] = {
    **dict.fromkeys(("max", "min", "prod"), lambda x: x),
    "l1": _abs,
    "sum_square": lambda x: graph.build("mul", [x, x]),
}
_ONE_ROUNDING: dict[str, Callable[[ir.Value], ir.Value]] = {
    **dict.fromkeys(("sum", "mean", "log_sum_exp"), lambda x: x),
    "l2": _abs,
    "log_sum": lambda x: graph.build("log", [x]),
}


def extreme_of_one(op: ir.Operation) -> ir.Value | None:
    """Drops max, min, product, l1 and sum of squares over dims of 1."""
    if not _reduces_units(op):
        return None
    return _without_axes(op, _ONE_EXACT[op.name.removeprefix(_REDUCE)](op.operands[0]))


@rounding
def sum_of_one(op: ir.Operation) -> ir.Value | None:
    """Sums, means, l2 and logarithms of sums over dims of 1; roots and logarithms of floats only."""
    whole = op.name in (f"{_REDUCE}sum", f"{_REDUCE}mean")
    if not _reduces_units(op) or not (whole or is_float(op.operands[0])):
        return None
    return _without_axes(op, _ONE_ROUNDING[op.name.removeprefix(_REDUCE)](op.operands[0]))


def _merge_reductions(op: ir.Operation) -> ir.Value | None:
    """Merges `reduce(reduce(x))` of the same op, where both keep their dims or both drop them."""
    inner = defining_op(op.operands[0], op.name)
    if inner is None or not has_one_use(op.operands[0]):
        return None
    keeps = graph.attribute(op, "keepdims")
    if keeps != graph.attribute(inner, "keepdims"):
        return None
    x, first, second = inner.operands[0], graph.attribute(inner, "axes"), graph.attribute(op, "axes")
    left = range(x.type.rank) if keeps else [axis for axis in range(x.type.rank) if axis not in first]
    axes = sorted({*first, *(left[axis] for axis in second)})
    return graph.build(op.name, [x], {"axes": axes, "keepdims": keeps}, op.results[0].type)


def extreme_of_extremes(op: ir.Operation) -> ir.Value | None:
    """The largest of the largest elements, the smallest of the smallest."""
    return _merge_reductions(op)


@rounding
def sum_of_sums(op: ir.Operation) -> ir.Value | None:
    """Sums of sums, products of products, means of means; means of integers are rounded each."""
    return _merge_reductions(op) if op.name != f"{_REDUCE}mean" or is_float(op.operands[0]) else None


def reduction_before_units(op: ir.Operation) -> ir.Value | None:
    """Reduces the dims of 1 after the last reduced one, too: what is reduced is contiguous then."""
    x, result, axes = op.operands[0], op.results[0], list(graph.attribute(op, "axes"))
    shape = graph.shape_of(x)
    units = list(range(max(axes) + 1, len(shape))) if axes else []
    if not units or any(shape[axis] != 1 for axis in units):
        return None
    attributes = {"axes": [*axes, *units], "keepdims": graph.attribute(op, "keepdims")}
    reduced = graph.build(op.name, [x], attributes)
    return (
        as_result(op, reduced) if attributes["keepdims"] else graph.reshape_to(reduced, graph.dims_of(result))
    )


def _index_range(indices: np.ndarray) -> range | None:
    """A vector of indices as a range that does not cross zero."""
    flat = [int(index) for index in indices.flat]
    if not flat or min(flat) < 0 <= max(flat):
        return None
    step = flat[1] - flat[0] if len(flat) > 1 else 1
    found = range(flat[0], flat[0] + step * len(flat), step) if step else range(0)
    return found if list(found) == flat else None


def _exists(index_range: range, length: int | None) -> bool:
    """Whether a dim has all of the indices, if its length is known; negative ones count from its end."""
    return length is None or all(-length <= item < length for item in (index_range[0], index_range[-1]))


def gather_of_range(op: ir.Operation) -> ir.Value | None:
    """Look-up at one constant index, or at indices at regular distances: a slice."""
    gather = graph.Gather(op)
    data, indices, axis = gather.data, constant_array(gather.indices), gather.axis
    index_range = _index_range(indices) if indices is not None and indices.ndim < 2 else None
    if index_range is None or indices is None:
        return None
    dims = graph.shape_of(data)
    if not _exists(index_range, dims[axis]):
        return None
    taken = [Part(0, -1 if dim is None else dim, 1) for dim in dims]
    taken[axis] = Part(index_range.start, len(index_range), index_range.step)
    part = slice_of(data, taken)
    return part if indices.ndim else graph.build("squeeze", [part], {"axes": [axis]}, gather.result.type)


def choice_by_constant(op: ir.Operation) -> ir.Value | None:
    """Replaces `where` of a constant condition by the operand that it chooses."""
    condition, x, y = op.operands
    chosen = splat(condition)
    return None if chosen is None else as_result(op, x if chosen else y)


@rounding
def mean_window_of_one(op: ir.Operation) -> ir.Value | None:
    """Mean over windows of one element, each of them: the operand."""
    return window_of_one(op)


@rounding
def mean_over_everything(op: ir.Operation) -> ir.Value | None:
    """Mean over a window as large as the image: reduce_mean."""
    average_pool = graph.AveragePool(op)
    x, kernel = average_pool.x, list(average_pool.kernel)
    if average_pool.layout != "NCHW" or graph.shape_of(x)[2:] != kernel:
        return None
    if any(average_pool.pads):
        return None
    axes = list(range(2, 2 + len(kernel)))
    return graph.build("reduce_mean", [x], {"axes": axes, "keepdims": True})


RULES: Rules = {
    **{f"{_REDUCE}{name}": (extreme_of_one, reduction_before_units) for name in _ONE_EXACT},
    **{f"{_REDUCE}{name}": (sum_of_one, reduction_before_units) for name in _ONE_ROUNDING},
    **dict.fromkeys(
        (f"{_REDUCE}max", f"{_REDUCE}min"), (extreme_of_one, extreme_of_extremes, reduction_before_units)
    ),
    **dict.fromkeys((f"{_REDUCE}sum", f"{_REDUCE}mean"), (sum_of_one, sum_of_sums, reduction_before_units)),
    f"{_REDUCE}prod": (extreme_of_one, sum_of_sums, reduction_before_units),
    graph.Gather.NAME: (gather_of_range,),
    graph.Where.NAME: (choice_by_constant,),
    graph.AveragePool.NAME: (mean_window_of_one, mean_over_everything),
}
