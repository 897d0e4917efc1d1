"""Construction of one graph op for a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc.bindings import ir
from mlc.dialects.graph import ShapeError, build
from mlc.frontends.onnx.node import NodeError


def build_op(
    op: str,
    operands: Sequence[ir.Value],
    attributes: Mapping[str, Any],
    result_type: Any,
    location: ir.Location,
) -> Any:
    """Builds `graph.<op>`; returns its result, or a list of them where it has several.

    Raises NodeError if the dialect rejects the operands.
    """
    try:
        return build(op, operands, attributes, result_type=result_type, location=location)
    except ShapeError as error:
        raise NodeError(str(error)) from None
