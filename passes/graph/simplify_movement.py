"""Rules of graph-simplify for ops that move elements: those that do nothing, and pairs that are one."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.values import Rule, constant_array, is_static
from mlc.passes.rewriting import defining_op

_VIEWS = ("graph.reshape", "graph.squeeze", "graph.unsqueeze")


def same(op: ir.Operation) -> ir.Value:
    """The operand itself, for ops that do nothing where the types are equal."""
    return op.operands[0]


def _unknown_dims(value: ir.Value) -> int:
    return graph.shape_of(value).count(None)


def reshape_to_own_shape(op: ir.Operation) -> ir.Value | None:
    """A reshape that keeps the type, where at most one dim is not known (the rest then determine it)."""
    return op.operands[0] if _unknown_dims(op.operands[0]) <= 1 else None


def reshape_of_view(op: ir.Operation) -> ir.Value | None:
    """reshape(reshape(x)): the outer one alone."""
    inner = defining_op(op.operands[0])
    if inner is None or inner.name not in _VIEWS:
        return None
    x, rest = inner.operands[0], list(op.operands)[1:]
    shape = graph.attribute(op, "shape")
    return graph.build("reshape", [x, *rest], {"shape": shape}, op.results[0].type)


def as_reshape(op: ir.Operation) -> ir.Value | None:
    """The op, a view of static shape, as a reshape."""
    result = op.results[0]
    if not is_static(result):
        return None
    return graph.build("reshape", [op.operands[0]], {"shape": result.type.shape}, result.type)


def view_of_constant(op: ir.Operation) -> ir.Value | None:
    """A view of a weight or constant: a weight or constant of the new type."""
    source, result = defining_op(op.operands[0]), op.results[0]
    if source is None or not is_static(result):
        return None
    if source.name == "graph.weight":
        fields = {name: source.attributes[name] for name in source.attributes}
        return graph.build("weight", [], fields, result.type, source.location)
    array = constant_array(op.operands[0])
    if array is None:
        return None
    return graph.build("constant", [], {"value": array.reshape(result.type.shape)}, None, source.location)


def _permutation(op: ir.Operation) -> list[int]:
    return graph.attribute(op, "permutation")


def identity_transpose(op: ir.Operation) -> ir.Value | None:
    """A transpose that leaves every dim in its place."""
    permutation = _permutation(op)
    return op.operands[0] if permutation == sorted(permutation) else None


def transpose_of_transpose(op: ir.Operation) -> ir.Value | None:
    """transpose(transpose(x)): one with the combined permutation."""
    inner = defining_op(op.operands[0], "graph.transpose")
    if inner is None:
        return None
    first = _permutation(inner)
    combined = [first[axis] for axis in _permutation(op)]
    return graph.build("transpose", [inner.operands[0]], {"permutation": combined}, op.results[0].type)


def transpose_of_unit_dims(op: ir.Operation) -> ir.Value | None:
    """A transpose that moves nothing but dims of 1: a reshape."""
    shape = graph.shape_of(op.operands[0])
    moved = [axis for axis in _permutation(op) if shape[axis] != 1]
    return as_reshape(op) if moved == sorted(moved) else None


def transpose_of_constant(op: ir.Operation) -> ir.Value | None:
    """A transposed small constant."""
    array = constant_array(op.operands[0])
    return (
        None if array is None else graph.build("constant", [], {"value": array.transpose(_permutation(op))})
    )


def slice_of_everything(op: ir.Operation) -> ir.Value | None:
    """Steps of 1 over all elements: of static dims when the type stays, else from 0 to the end."""
    starts, sizes, steps = (graph.attribute(op, name) for name in ("starts", "sizes", "steps"))
    if any(step != 1 for step in steps):
        return None
    whole = not any(starts) and all(size == -1 for size in sizes)
    return op.operands[0] if whole or is_static(op.operands[0]) else None


def pad_by_nothing(op: ir.Operation) -> ir.Value | None:
    """No element before or after any dim."""
    amounts = (*graph.attribute(op, "low"), *graph.attribute(op, "high"))
    return None if any(amounts) else op.operands[0]


def concat_of_one(op: ir.Operation) -> ir.Value | None:
    """A single operand."""
    return op.operands[0] if len(op.operands) == 1 else None


def expand_to_own_shape(op: ir.Operation) -> ir.Value | None:
    """The same type, with no dims that only `dims` tells."""
    return op.operands[0] if len(op.operands) == 1 or is_static(op.operands[0]) else None


def tile_once(op: ir.Operation) -> ir.Value | None:
    """One copy of every dim."""
    return op.operands[0] if all(count == 1 for count in graph.attribute(op, "repeats")) else None


RULES: dict[str, tuple[Rule, ...]] = {
    "graph.identity": (same,),
    "graph.cast": (same,),
    "graph.reshape": (reshape_to_own_shape, view_of_constant, reshape_of_view),
    "graph.squeeze": (view_of_constant, as_reshape),
    "graph.unsqueeze": (view_of_constant, as_reshape),
    "graph.transpose": (
        identity_transpose,
        transpose_of_constant,
        transpose_of_transpose,
        transpose_of_unit_dims,
    ),
    "graph.slice": (slice_of_everything,),
    "graph.pad": (pad_by_nothing,),
    "graph.concat": (concat_of_one,),
    "graph.expand": (expand_to_own_shape,),
    "graph.tile": (tile_once,),
}
