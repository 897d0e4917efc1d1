"""Ops whose results may be approximations (`afn` of `fastmath`)."""

from __future__ import annotations

from mlc.bindings import ir


def approximate() -> ir.Attribute:
    """Returns the flag as an attribute."""
    return ir.Attribute.parse("#arith.fastmath<afn>")


def is_approximate(op: ir.Operation) -> bool:
    """Whether an op has the flag."""
    return "fastmath" in op.attributes and op.attributes["fastmath"] == approximate()
