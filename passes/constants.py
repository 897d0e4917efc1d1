"""Constants at the insertion point."""

from __future__ import annotations

from mlc.bindings import arith, ir


def index_constant(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), value).result
