"""Ensembles of decision trees: a loop from root to leaf for each row and tree, over tables in memory."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import arith, ir, linalg, scf, tensor
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes import minimum as minimum_size
from mlc.passes.common.constants import i32
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    empty,
    full_tensor,
    generic,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import maximum, minimum, select
from mlc.passes.lowering.rules.movement import reshape
from mlc.passes.lowering.rules.reduction import highest, lowest, sum_step

Combine = Callable[[ir.Value, ir.Value], ir.Value]
_AGGREGATES: dict[str, tuple[Callable[[ir.Type], float], Combine]] = {
    "sum": (lambda _: 0, sum_step),
    "min": (highest, minimum),
    "max": (lowest, maximum),
}


def _complement(value: ir.Value) -> ir.Value:
    """Builds `-1 - value`."""
    return arith.xori(value, constant(value.type, -1))


def _compare(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.cmpi(getattr(arith.CmpIPredicate, predicate), a, b)


def _clamp_index(index: ir.Value, extent: int | Size) -> ir.Value:
    """Returns a non-negative `index` limited to `extent`: a kernel reads nothing outside its buffers,
    whatever the tables hold."""
    last = constant(index.type, minimum_size(extent, 1 << 31) - 1)
    return arith.index_cast(ir.IndexType.get(), arith.minui(index, last))


@rule("tree_ensemble")
def lower_tree_ensemble(op: ir.Operation) -> list[ir.Value]:
    """The sum (or extreme) of the weights of the leaves that a row reaches. Trees are the outer loop, rows
    the inner one: a tree's nodes stay in the L1 cache for a tile of rows."""
    ensemble = graph.TreeEnsemble(op)
    x, roots, weights = ensemble.x, ensemble.roots, ensemble.weights
    groups = static_shape(roots)[0]
    extents, element = static_shape(weights), tensor_type(weights).element_type
    neutral, combine = _AGGREGATES[ensemble.aggregate]
    start = full_tensor([static_shape(x)[0], groups, extents[1]], element, neutral(element))
    group, tree, row, weight = dims(4)

    def add(leaf: ir.Value, total: ir.Value) -> ir.Value:
        indices = [_clamp_index(leaf, extents[0]), linalg.IndexOp(3).result]
        return combine(total, tensor.extract(weights, indices))

    if extents[1] == 1:
        source, read = roots, affine_map(4, [group, tree])
    else:
        source, read = _leaves(op), affine_map(4, [group, tree, row])

    def body(source: ir.Value, total: ir.Value) -> ir.Value:
        return add(_leaf(op, source) if extents[1] == 1 else source, total)

    return [generic([source], [read], start, affine_map(4, [row, group, weight]), body, reductions=[1])]


def _leaves(op: ir.Operation) -> ir.Value:
    """Returns the index of the leaf for each group, tree and row: an i32 tensor [G, T, N].

    It is a reduction of one step: upstream fuses other computations into their consumers, which would walk
    down a tree again for each weight of its leaf.
    """
    x, roots = graph.TreeEnsemble(op).x, graph.TreeEnsemble(op).roots
    shape = static_shape(roots)
    count = dims(4)
    output = empty([*shape, static_shape(x)[0]], i32())
    read = affine_map(4, [count[0], count[1], count[3]])
    source, written = reshape(roots, [*shape, 1]), affine_map(4, count[:3])
    return generic([source], [read], output, written, lambda root, _: _leaf(op, root), reductions=[3])


def _leaf(op: ir.Operation, root: ir.Value) -> ir.Value:
    """Walks down from a root, at most `depth` steps: tables with a cycle must not hang the kernel."""
    zero, one = constant(i32(), 0), constant(i32(), 1)
    row = linalg.IndexOp(2).result
    loop = scf.WhileOp([i32()] * 2, [root, constant(i32(), graph.TreeEnsemble(op).depth)])
    before, after = (region.blocks.append(i32(), i32()) for region in (loop.before, loop.after))
    with ir.InsertionPoint(before):
        node, left = before.arguments
        goes_on = arith.andi(_compare("sge", node, zero), _compare("sgt", left, zero))
        scf.ConditionOp(goes_on, [node, left])
    with ir.InsertionPoint(after):
        node, left = after.arguments
        scf.YieldOp([_child(op, row, node), arith.subi(left, one)])
    last = loop.results[0]
    return select(_compare("slt", last, zero), _complement(last), zero)


def _child(op: ir.Operation, row: ir.Value, node: ir.Value) -> ir.Value:
    """Returns the child of a node that a row visits next."""
    ensemble = graph.TreeEnsemble(op)
    index = _clamp_index(node, static_shape(ensemble.features)[0])
    column = _clamp_index(tensor.extract(ensemble.features, [index]), static_shape(ensemble.x)[1])
    value, threshold = tensor.extract(ensemble.x, [row, column]), tensor.extract(ensemble.thresholds, [index])
    second = arith.cmpf(arith.CmpFPredicate.ULT, threshold, value)
    side = arith.index_castui(ir.IndexType.get(), second)
    return tensor.extract(ensemble.children, [index, side])
