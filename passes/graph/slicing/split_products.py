"""graph-split-products: a product of which parts of the columns are read becomes one product per part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, attributes_of, replace_op, users
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.values import erase_dead, is_constant, is_ranked, is_static
from mlc.passes.graph.common.views import slice_offset
from mlc.passes.graph.simplify.slice_rules import Part, parts, slice_of
from mlc.passes.remarks import report_missed

# Builds the part of a value whose last dim is given.
Columns = Callable[[Part], ir.Value]


@dataclass(frozen=True)
class Chain:
    """The ops between a product and the slices of its columns."""

    columns: Columns
    slices: Sequence[ir.Operation]


def _last(value: ir.Value) -> int:
    return graph.shape_of(value)[-1]


def _columns_of(value: ir.Value, taken: Part) -> ir.Value:
    """Slices the last dim; a value that is broadcast along it is the same for all columns."""
    shape = graph.shape_of(value)
    if not shape or shape[-1] == 1:
        return value
    return slice_of(value, [*(Part(0, dim, 1) for dim in shape[:-1]), taken])


def product_columns(op: ir.Operation) -> Columns:
    """Columns of a @ b: a @ columns of b."""
    a, b = op.operands
    return lambda taken: graph.build("matmul", [a, _columns_of(b, taken)])


def _follow(columns: Columns, op: ir.Operation) -> Columns | None:
    """The columns of what `op` computes of a value whose columns are known; None where they do not follow."""
    result = op.results[0]
    # The result of a reshape may have no dims.
    if (
        op.name == graph.Reshape.NAME
        and graph.dims_of(result)[-1:] == graph.dims_of(graph.Reshape(op).x)[-1:]
    ):
        leading = graph.dims_of(result)[:-1]
        if not graph.can_compute_dims(leading):
            return None
        return lambda taken: graph.reshape_to(columns(taken), [*leading, taken.size])
    others = [value for value in op.operands if not _is_computed(value)]
    if op.name not in ELEMENTWISE or len(others) != len(op.operands) - 1:
        return None
    attributes = attributes_of(op)

    def build(taken: Part) -> ir.Value:
        operands = [
            columns(taken) if _is_computed(value) else _columns_of(value, taken) for value in op.operands
        ]
        shape = [*result.type.shape[:-1], taken.size]
        return graph.build(
            op.name, operands, attributes, ir.RankedTensorType.get(shape, graph.element_type(result))
        )

    return build


def _is_computed(value: ir.Value) -> bool:
    return not is_constant(value)


def _is_column_slice(op: ir.Operation) -> bool:
    """Whether the op takes some columns, in order, of all rows."""
    if op.name != graph.Slice.NAME or graph.shape_of(graph.Slice(op).result)[-1] is None:
        return False
    *rows, columns = parts(op)
    shape = graph.shape_of(graph.Slice(op).x)
    return columns.step == 1 and all(part.is_whole(dim) for part, dim in zip(rows, shape[:-1], strict=True))


def chain_from(op: ir.Operation) -> Chain | None:
    """From a product to the slices that alone read it, by views and elementwise ops on constants."""
    columns, value = product_columns(op), op.results[0]
    while True:
        readers = users(value)
        if readers and all(map(_is_column_slice, readers)):
            return Chain(columns, readers)
        if len(readers) != 1 or len(readers[0].results) != 1 or not is_ranked(readers[0]):
            return None
        following = _follow(columns, readers[0])
        if following is None:
            return None
        columns, value = following, readers[0].results[0]


def split(op: ir.Operation) -> bool:
    """slice(f(a @ b)) -> f(a @ slice(b)), for constant b and slices that cost a copy."""
    matmul = graph.Matmul(op)
    matrix, result = matmul.b, matmul.result
    if not (len(graph.shape_of(result)) > 1 and len(graph.shape_of(matrix)) == 2 and is_static(matrix)):
        return False
    chain = chain_from(op) if is_constant(matrix) else None
    if chain is None or all(slice_offset(column_slice) is not None for column_slice in chain.slices):
        return False
    taken = [parts(column_slice)[-1] for column_slice in chain.slices]
    if sum(part.size for part in taken) > _last(result):
        report_missed(op, "graph-split-products", "its slices overlap: columns would be computed twice")
        return False
    for column_slice, part in zip(chain.slices, taken, strict=True):
        with ir.InsertionPoint(column_slice), column_slice.location:
            made = chain.columns(part)
        before = column_slice.operands[0].owner.operation
        replace_op(column_slice, made)
        erase_dead([before])
    return True


@dataclass(frozen=True)
class SplitProducts(Pass):
    """Compute the parts that slices take of a product's columns as separate products, with the same parts of
    the constant right-hand side: the slices, which would copy, are gone, and each part is next to its reader.

    Between product and slices there may be reshapes that keep the columns, and elementwise ops with
    constants. Columns that no slice takes are not computed; slices that overlap are left, and so
    are slices that are views.
    """

    name: ClassVar[str] = "graph-split-products"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {graph.Matmul.NAME: split})
