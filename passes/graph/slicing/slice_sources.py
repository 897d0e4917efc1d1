"""A part of an op's result, and the parts of the operands that it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.simplify.slice_rules import Part

Parts = list[Part]


@dataclass(frozen=True)
class Narrowed:
    """The parts of the operands, `None` for an operand that is read whole, and attributes that differ."""

    operands: tuple[Parts | None, ...]
    attributes: dict[str, Any] = field(default_factory=dict)


Rule = Callable[[ir.Operation, Parts], Narrowed | None]


def is_cut(taken: Sequence[Part], value: ir.Value) -> list[bool]:
    """Per dim, whether parts of the value leave something out or change the order."""
    return [not part.is_whole(dim) for part, dim in zip(taken, graph.shape_of(value), strict=True)]
