"""Ensembles of decision trees: a loop from root to leaf for each row and tree, over tables in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from mlc.bindings import arith, ir, linalg, scf, tensor
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.constants import i32
from mlc.passes.common.kernel_functions import SETTLES
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
from mlc.passes.lowering.common.scalars import maximum, minimum
from mlc.passes.lowering.rules.movement import reshape
from mlc.passes.lowering.rules.reduction import highest, lowest, sum_step

Combine = Callable[[ir.Value, ir.Value], ir.Value]
_AGGREGATES: dict[str, tuple[Callable[[ir.Type], float], Combine]] = {
    "sum": (lambda _: 0, sum_step),
    "min": (highest, minimum),
    "max": (lowest, maximum),
}


def _index(index: ir.Value, extent: int | Size, checked: bool) -> ir.Value:
    """Returns a non-negative `index`, limited to `extent` unless the tables are known to have no other: a
    kernel reads nothing outside its buffers, whatever they hold."""
    index = index if isinstance(index.type, ir.IndexType) else arith.index_cast(ir.IndexType.get(), index)
    return index if checked else arith.minui(index, constant(index.type, extent - 1))


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
        indices = [_index(leaf, extents[0], ensemble.checked), linalg.IndexOp(3).result]
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

    def body(root: ir.Value, _: ir.Value) -> ir.Value:
        return arith.index_cast(i32(), _leaf(op, root))

    return generic([source], [read], output, written, body, reductions=[3])


def _leaf(op: ir.Operation, root: ir.Value) -> ir.Value:
    """Walks from a root to a leaf, and returns its row of the weights; `depth` steps at most if there may be
    cycles, which must not hang the kernel."""
    ensemble, index = graph.TreeEnsemble(op), ir.IndexType.get()
    zero, one, row = constant(index, 0), constant(index, 1), linalg.IndexOp(2).result
    inits = [arith.index_cast(index, root)]
    if not ensemble.checked:
        inits.append(constant(index, ensemble.depth))
    loop = scf.WhileOp([index] * len(inits), inits)
    # Leaves lead to themselves.
    loop.attributes[SETTLES] = ir.UnitAttr.get()
    before, after = (region.blocks.append(*[index] * len(inits)) for region in (loop.before, loop.after))
    with ir.InsertionPoint(before):
        node, *left = before.arguments
        goes_on = [arith.cmpi(arith.CmpIPredicate.sge, node, zero)]
        goes_on += [arith.cmpi(arith.CmpIPredicate.sgt, steps, zero) for steps in left]
        scf.ConditionOp(reduce(arith.andi, goes_on), before.arguments)
    with ir.InsertionPoint(after):
        node, *left = after.arguments
        scf.YieldOp([_child(op, row, node), *(arith.subi(steps, one) for steps in left)])
    return _element(op, loop.results[0])


def _element(op: ir.Operation, node: ir.Value) -> ir.Value:
    """Returns where a node is in the tables."""
    return arith.addi(node, constant(node.type, static_shape(graph.TreeEnsemble(op).weights)[0]))


def _child(op: ir.Operation, row: ir.Value, node: ir.Value) -> ir.Value:
    """Returns the child of a node that a row visits next."""
    ensemble, index = graph.TreeEnsemble(op), ir.IndexType.get()
    checked = ensemble.checked
    element = _index(_element(op, node), static_shape(ensemble.features)[0], checked)
    feature = tensor.extract(ensemble.features, [element])
    column = _index(feature, static_shape(ensemble.x)[1], checked)
    value, threshold = (
        tensor.extract(ensemble.x, [row, column]),
        tensor.extract(ensemble.thresholds, [element]),
    )
    second = arith.cmpf(arith.CmpFPredicate.ULT, threshold, value)
    first = arith.index_cast(index, tensor.extract(ensemble.children, [element]))
    return arith.addi(first, arith.index_castui(index, second))
