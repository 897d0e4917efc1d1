"""graph-pack-matmuls: products with constant matrices on panels of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size, product
from mlc.passes.base import Pass
from mlc.passes.common.register_tiles import panel
from mlc.passes.common.rewriting import apply_patterns, replace_op
from mlc.passes.common.target import lanes, registers, target_of
from mlc.passes.graph.common.values import is_constant
from mlc.passes.graph.simplify.slice_rules import Part, slice_of


def pack_matmul(op: ir.Operation, widest: int) -> bool:
    """matmul(a [..., M, K], b [K, N]) -> reshape(matmul_packed(reshape(a) [M', K], pack(b)) [M', N/t, t]),
    with t = `widest`, half of that for narrow matrices."""
    a, b = op.operands
    if len(graph.shape_of(b)) != 2 or not isinstance(graph.element_type(b), ir.F32Type) or not is_constant(b):
        return False
    # The panels follow from the columns: the rows may be known only when it runs.
    shape, (k, n) = graph.dims_of(op.results[0]), graph.shape_of(b)
    if graph.shape_of(a)[-1] != k or not graph.can_compute_dims(shape):
        return False
    rows = product(graph.dims_of(a)[:-1])
    width = widest if n > widest // 2 else widest // 2
    columns = -(-n // width) * width
    flat = graph.reshape_to(a, [rows, k])
    attributes = {"inner_dims": [1], "inner_tiles": [width], "outer_permutation": [1, 0]}
    packed = graph.build("pack", [b], attributes | ({"padding": 0.0} if columns != n else {}))
    made = graph.build("matmul_packed", [flat, packed])
    if columns != n:
        whole = graph.reshape_to(made, [rows, columns])
        made = slice_of(whole, [Part(0, -1 if isinstance(rows, Size) else rows, 1), Part(0, n, 1)])
    replace_op(op, graph.reshape_to(made, shape))
    return True


@dataclass(frozen=True)
class PackMatmuls(Pass):
    """Rewrite f32 products with a constant right-hand side to `graph.matmul_packed`: each panel of columns,
    as wide as the target's register tiles, is contiguous in memory, padded with zeros to full width. Batch
    dims of the left side become rows."""

    name: ClassVar[str] = "graph-pack-matmuls"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        target = target_of(op)
        widest = panel(lanes(target), registers(target))
        apply_patterns(op, {graph.Matmul.NAME: lambda matmul: pack_matmul(matmul, widest)})
