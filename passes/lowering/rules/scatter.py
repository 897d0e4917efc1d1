"""Scattered updates: loops over the updates, which are applied in their order."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import complex as complex_dialect
from mlc.bindings import ir, tensor
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import index_value, is_float, static_shape, tensor_type
from mlc.passes.common.loop_builders import Carried, Indices, nest
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, maximum, minimum, mul
from mlc.passes.lowering.rules.indexed import bounded_index

Combine = Callable[[ir.Value, ir.Value], ir.Value]

_COMBINE: dict[str, Combine] = {
    "none": lambda _old, update: update,
    "add": lambda old, update: _combine_wide(old, update, add),
    "mul": lambda old, update: _combine_wide(old, update, mul),
    "max": lambda old, update: _combine_wide(old, update, maximum),
    "min": lambda old, update: _combine_wide(old, update, minimum),
}
_LOGICAL: dict[str, Combine] = {"add": maximum, "max": maximum, "mul": minimum, "min": minimum}

_COMPLEX: dict[str, Combine] = {
    "add": lambda a, b: complex_dialect.add(a, b),
    "mul": lambda a, b: complex_dialect.mul(a, b),
}


def _combine_wide(old: ir.Value, update: ir.Value, combine: Combine) -> ir.Value:
    """Combines floats of 16 bits in f32, and rounds each time: what is stored in between has 16 bits."""
    element = old.type
    if not is_float(element) or element.width != 16:
        return combine(old, update)
    wide = ir.F32Type.get()
    return convert(combine(convert(old, wide), convert(update, wide)), element)


def _combiner(name: str, element: ir.Type) -> Combine:
    if isinstance(element, ir.ComplexType) and name != "none":
        return _COMPLEX[name]
    logical = isinstance(element, ir.IntegerType) and element.width == 1
    return _LOGICAL[name] if logical and name != "none" else _COMBINE[name]


def _scatter(op: ir.Operation, target: Callable[[Indices], list[ir.Value]]) -> list[ir.Value]:
    """Combines the update at each index `i` with the element of the data at `target(i)`.

    The data is not writable, so that bufferisation copies it to the result first.
    """
    scattering = graph.Scattering(op)
    data, updates = scattering.data, scattering.updates
    combine = _combiner(scattering.reduction, tensor_type(data).element_type)

    def body(at: Indices, carried: Carried) -> Carried:
        coordinates = target(at)
        update = tensor.extract(updates, list(at.values()))
        joined = combine(tensor.extract(carried[0], coordinates), update)
        return [tensor.insert(joined, carried[0], coordinates)]

    return nest(dict(enumerate(static_shape(updates))), [data], body)


@rule("scatter_elements")
def lower_scatter_elements(op: ir.Operation) -> list[ir.Value]:
    """Assigns `result[..., indices[i...], ...] = updates[i...]`, where the index replaces `i[axis]`."""
    scatter = graph.ScatterElements(op)
    indices, axis, extents = scatter.indices, scatter.axis, static_shape(scatter.data)

    def target(at: Indices) -> list[ir.Value]:
        index = bounded_index(tensor.extract(indices, list(at.values())), extents[axis])
        return [index if dim == axis else other for dim, other in at.items()]

    return _scatter(op, target)


@rule("scatter_nd")
def lower_scatter_nd(op: ir.Operation) -> list[ir.Value]:
    """Assigns `result[indices[i..., :], e...] = updates[i..., e...]`."""
    scatter = graph.ScatterNd(op)
    indices, extents = scatter.indices, static_shape(scatter.data)
    outer = static_shape(indices)[:-1]
    # The last dim of indices may be dynamic; the ranks say what it is.
    count = len(extents) - (len(static_shape(scatter.updates)) - len(outer))

    def target(at: Indices) -> list[ir.Value]:
        i, e = list(at.values())[: len(outer)], list(at.values())[len(outer) :]
        tuples = [tensor.extract(indices, [*i, index_value(dim)]) for dim in range(count)]
        bounded = zip(tuples, extents, strict=False)
        return [*(bounded_index(index, extent) for index, extent in bounded), *e]

    return _scatter(op, target)
