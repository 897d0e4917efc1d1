"""Rules for views and transposes: those that do nothing, and chains that are one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.dim_names import named_dims
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.rewriting import attributes_of, defining_op
from mlc.passes.graph.common.op_families import VIEWS
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import constant_array, is_static


def _gives_names(op: ir.Operation) -> bool:
    """Whether nothing but this reshape says the dims of its operand: what a loop or a branch gives."""
    if op.name != graph.Reshape.NAME or len(op.operands) < 2:
        return False
    if defining_op(op.operands[1], graph.Sizes.NAME) is None or None not in named_dims(graph.Reshape(op).x):
        return False
    return bool(
        _names_in(graph.dims_of(graph.Reshape(op).result)) - _names_in(graph.dims_of(graph.Reshape(op).x))
    )


def _names_in(dims: Sequence[int | Size]) -> set[str]:
    return {name for dim in dims if isinstance(dim, Size) for name in dim.names}


def reshape_to_own_shape(op: ir.Operation) -> ir.Value | None:
    """A reshape that keeps the type, or all of its dims but one (which the rest then determine), unless it
    names dims."""
    reshape = graph.Reshape(op)
    x, result = reshape.x, reshape.result
    if x.type != result.type:
        return None
    determined = graph.shape_of(x).count(None) <= 1 and not _gives_names(op)
    return x if determined or graph.same_shape(x, result) else None


def reshape_of_view(op: ir.Operation) -> ir.Value | None:
    """reshape(reshape(x)): the outer one alone."""
    reshape = graph.Reshape(op)
    inner = defining_op(reshape.x)
    if inner is None or inner.name not in VIEWS or _gives_names(inner):
        return None
    return graph.reshape_to(inner.operands[0], graph.dims_of(reshape.result))


def view_of_inverse(op: ir.Operation) -> ir.Value | None:
    """squeeze(unsqueeze(x)) over the same axes, and the other way round."""
    other = graph.Unsqueeze.NAME if op.name == graph.Squeeze.NAME else graph.Squeeze.NAME
    inner = defining_op(op.operands[0], other)
    if inner is None or sorted(graph.attribute(inner, "axes")) != sorted(graph.attribute(op, "axes")):
        return None
    return inner.operands[0]


def view_of_nothing(op: ir.Operation) -> ir.Value | None:
    """Drops squeeze and unsqueeze without axes."""
    return None if graph.attribute(op, "axes") else op.operands[0]


def as_reshape(op: ir.Operation) -> ir.Value | None:
    """The op, a view, as a reshape."""
    return graph.reshape_to(op.operands[0], graph.dims_of(op.results[0]))


def view_of_constant(op: ir.Operation) -> ir.Value | None:
    """A view of a weight, a constant or a fill: the same of the new type."""
    source, result = defining_op(op.operands[0]), op.results[0]
    if source is None or source.name not in _REMADE or not is_static(result):
        return None
    if source.name == graph.Constant.NAME:
        array = constant_array(op.operands[0])
        assert array is not None
        return _constant(array.reshape(result.type.shape), source)
    fields = attributes_of(source)
    return graph.build(source.name, [], fields, result.type, source.location)


_REMADE = (graph.Constant.NAME, graph.Weight.NAME, graph.Full.NAME)


def _constant(array: np.ndarray, source: ir.Operation) -> ir.Value:
    return graph.build("constant", [], {"value": array}, None, source.location)


def _permutation(op: ir.Operation) -> list[int]:
    return graph.attribute(op, "permutation")


def identity_transpose(op: ir.Operation) -> ir.Value | None:
    """Drops a transpose of the identity permutation."""
    permutation = _permutation(op)
    return graph.Transpose(op).x if permutation == sorted(permutation) else None


def transpose_of_transpose(op: ir.Operation) -> ir.Value | None:
    """transpose(transpose(x)): one with the combined permutation."""
    transpose = graph.Transpose(op)
    inner = defining_op(transpose.x, graph.Transpose.NAME)
    if inner is None:
        return None
    first = _permutation(inner)
    combined = [first[axis] for axis in _permutation(op)]
    return graph.build(
        "transpose", [graph.Transpose(inner).x], {"permutation": combined}, transpose.result.type
    )


def moves_only_units(shape: Sequence[int | None], permutation: Sequence[int]) -> bool:
    """Whether a transpose moves dims of 1 only, so that the elements keep their order."""
    moved = [axis for axis in permutation if shape[axis] != 1]
    return moved == sorted(moved)


def transpose_of_unit_dims(op: ir.Operation) -> ir.Value | None:
    """A transpose that moves nothing but dims of 1: a reshape."""
    return (
        as_reshape(op) if moves_only_units(graph.shape_of(graph.Transpose(op).x), _permutation(op)) else None
    )


def transpose_of_constant(op: ir.Operation) -> ir.Value | None:
    """A transposed small constant."""
    transpose = graph.Transpose(op)
    array = constant_array(transpose.x)
    source = defining_op(transpose.x)
    return None if array is None or source is None else _constant(array.transpose(_permutation(op)), source)


_SQUEEZES = (view_of_nothing, view_of_constant, view_of_inverse, as_reshape)

RULES: Rules = {
    graph.Reshape.NAME: (reshape_to_own_shape, view_of_constant, reshape_of_view),
    graph.Squeeze.NAME: _SQUEEZES,
    graph.Unsqueeze.NAME: _SQUEEZES,
    graph.Transpose.NAME: (
        identity_transpose,
        transpose_of_constant,
        transpose_of_transpose,
        transpose_of_unit_dims,
    ),
}
