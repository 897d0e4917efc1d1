"""graph-pack-matmuls: products with constant matrices on panels of columns."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.values import is_constant
from mlc.passes.rewriting import apply_patterns, replace_op

# Columns per panel: two AVX-512 registers, and one for narrow matrices.
PANEL, NARROW_PANEL = 32, 16


def pack_matmul(op: ir.Operation) -> bool:
    """matmul(a [..., M, K], b [K, N]) -> reshape(matmul_packed(reshape(a) [M', K], pack(b)) [M', N/t, t])."""
    a, b = op.operands
    if len(graph.shape_of(b)) != 2 or not isinstance(graph.element_type(b), ir.F32Type) or not is_constant(b):
        return False
    shape = graph.shape_of(op.results[0])
    if None in shape or None in graph.shape_of(a):
        return False
    k, n = graph.shape_of(b)
    rows = prod(graph.shape_of(a)[:-1])
    panel = PANEL if n > NARROW_PANEL else NARROW_PANEL
    columns = -(-n // panel) * panel
    flat = graph.build("reshape", [a], {"shape": [rows, k]})
    attributes = {"inner_dims": [1], "inner_tiles": [panel], "outer_permutation": [1, 0]}
    packed = graph.build("pack", [b], attributes | ({"padding": 0.0} if columns != n else {}))
    product = graph.build("matmul_packed", [flat, packed])
    if columns != n:
        product = graph.build("reshape", [product], {"shape": [rows, columns]})
        product = graph.build("slice", [product], {"starts": [0, 0], "sizes": [rows, n], "steps": [1, 1]})
    replace_op(op, graph.build("reshape", [product], {"shape": list(shape)}))
    return True


@dataclass(frozen=True)
class PackMatmuls(Pass):
    """Rewrites f32 products with a constant right-hand side to `graph.matmul_packed`: each panel of columns
    is contiguous in memory, padded with zeros to full width. Batch dims of the left side become rows."""

    name: ClassVar[str] = "graph-pack-matmuls"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {"graph.matmul": pack_matmul})
