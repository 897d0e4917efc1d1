"""Names of dynamic dims behind an op: which dims of its result are dims of its operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc.dialects.graph import specs
from mlc.frontends.onnx.values import Dim, Symbol, Value


def result_dims(
    op: str, values: Sequence[Value], attributes: Mapping[str, Any], rank: int, serial: int
) -> tuple[Dim, ...]:
    """The dims of the op's result as far as they are an operand's; others get a name of their own.

    Only names of dynamic dims matter: the caller takes sizes from the result's type.
    """
    known = _known(op, values, attributes, rank)
    return tuple(
        dim if dim is not None else Symbol(f"{op}#{serial}.shape[{axis}]") for axis, dim in enumerate(known)
    )


def _known(op: str, values: Sequence[Value], attributes: Mapping[str, Any], rank: int) -> list[Dim | None]:
    shapes = [v.shape for v in values]
    if op == "transpose":
        return [shapes[0][axis] for axis in attributes["permutation"]]
    if op == "matmul" and all(len(s) >= 2 for s in shapes):
        a, b = shapes
        return [*_broadcast([a[:-2], b[:-2]], rank - 2), a[-2], b[-1]]
    family = specs()[op].family
    if family == "normalisation":
        return list(shapes[0])
    return _broadcast(shapes, rank) if family == "elementwise" else [None] * rank


def _broadcast(shapes: Sequence[Sequence[Dim]], rank: int) -> list[Dim | None]:
    """Per dim the one that all operands share, apart from those of size 1; None if there are several."""
    result: list[Dim | None] = []
    for axis in range(-rank, 0):
        found = {s[axis] for s in shapes if len(s) >= -axis} - {1}
        result.append(found.pop() if len(found) == 1 else None)
    return result
