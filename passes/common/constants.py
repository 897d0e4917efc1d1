"""Constants at the insertion point."""

from __future__ import annotations

from mlc.bindings import arith, ir


def index_constant(value: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), value).result


def constant_value(value: ir.Value) -> int | None:
    """The number that an `arith.constant` gives, or None."""
    if isinstance(value.owner, ir.Block) or value.owner.name != "arith.constant":
        return None
    return int(value.owner.attributes["value"].value)
