"""Scattered updates: loops over the updates, in whose order those of one element come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import complex as complex_dialect
from mlc.bindings import ir, tensor
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import index_value, is_float, static_shape
from mlc.passes.common.loop_builders import Carried, Indices, nest
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, maximum, minimum, mul
from mlc.passes.lowering.rules.indexed import bounded_index

Combine = Callable[[ir.Value, ir.Value], ir.Value]

_COMBINE: dict[str, Combine] = {
    "none": lambda _old, update: update,
    "add": lambda old, update: _computed(old, update, add),
    "mul": lambda old, update: _computed(old, update, mul),
    "max": lambda old, update: _computed(old, update, maximum),
    "min": lambda old, update: _computed(old, update, minimum),
}
_LOGICAL: dict[str, Combine] = {"add": maximum, "max": maximum, "mul": minimum, "min": minimum}

_COMPLEX: dict[str, Combine] = {
    "add": lambda a, b: complex_dialect.add(a, b),
    "mul": lambda a, b: complex_dialect.mul(a, b),
}


def _computed(old: ir.Value, update: ir.Value, combine: Combine) -> ir.Value:
    """Floats of 16 bits are joined in f32, and rounded each time: what is stored between has 16 bits."""
    kind = old.type
    if not is_float(kind) or kind.width != 16:
        return combine(old, update)
    wide = ir.F32Type.get()
    return convert(combine(convert(old, wide), convert(update, wide)), kind)


def _combined(op: ir.Operation, element: ir.Type) -> Combine:
    name = op.attributes["reduction"].value
    if isinstance(element, ir.ComplexType) and name != "none":
        return _COMPLEX[name]
    logical = isinstance(element, ir.IntegerType) and element.width == 1
    return _LOGICAL[name] if logical and name != "none" else _COMBINE[name]


def _scattered(
    op: ir.Operation, extents: Sequence[int], places_of: Callable[[Indices], list[ir.Value]]
) -> list[ir.Value]:
    """The first operand with the update at each place of `extents` put where `places_of` it says.

    It is not writable, so that bufferisation copies it to the result first.
    """
    data, _, updates = op.operands
    combine = _combined(op, ir.RankedTensorType(data.type).element_type)

    def body(at: Indices, carried: Carried) -> Carried:
        places = places_of(at)
        update = tensor.extract(updates, list(at.values()))
        joined = combine(tensor.extract(carried[0], places), update)
        return [tensor.insert(joined, carried[0], places)]

    return nest(dict(enumerate(extents)), [data], body)


@rule("scatter_elements")
def lower_scatter_elements(op: ir.Operation) -> list[ir.Value]:
    """result[..., indices[i...], ...] = updates[i...], where the index stands in place of i[axis]."""
    data, indices, updates = op.operands
    axis, extents = graph.ScatterElements(op).axis, static_shape(data)

    def places_of(at: Indices) -> list[ir.Value]:
        index = bounded_index(tensor.extract(indices, list(at.values())), extents[axis])
        return [index if dim == axis else place for dim, place in at.items()]

    return _scattered(op, static_shape(updates), places_of)


@rule("scatter_nd")
def lower_scatter_nd(op: ir.Operation) -> list[ir.Value]:
    """result[indices[i..., :], e...] = updates[i..., e...]."""
    data, indices, updates = op.operands
    extents, (*outer, taken) = static_shape(data), static_shape(indices)

    def places_of(at: Indices) -> list[ir.Value]:
        places = list(at.values())
        numbers = [
            tensor.extract(indices, [*places[: len(outer)], index_value(index)]) for index in range(taken)
        ]
        named = zip(numbers, extents, strict=False)
        return [*(bounded_index(number, extent) for number, extent in named), *places[len(outer) :]]

    return _scattered(op, static_shape(updates), places_of)
