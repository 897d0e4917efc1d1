"""ONNX operators as plain data, and their evaluation by any table of operators.

Needs only the standard library, as `bench.gpu.build` copies this file beside the runner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class OperatorNode:
    """An operator's call; an operand that is left out has the name ""."""

    operator: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    attributes: Mapping[str, Any]


class Nodes(Protocol):
    """Nodes in order, and the names of the results."""

    @property
    def nodes(self) -> Sequence[OperatorNode]:
        """The nodes, in order."""

    @property
    def outputs(self) -> Sequence[str]:
        """The names of the results."""


Attributes = Mapping[str, Any]
# Called with the node's attributes, then its operands (None: left out); returns one value, or a tuple.
Operator = Callable[..., Any]
# Operands that are shapes.
STATIC = {"Reshape": (1,), "Split": (1,), "Expand": (1,), "Squeeze": (1,), "Unsqueeze": (1,)}


def elementwise(function: Callable[..., Any]) -> Operator:
    """Returns an operator without attributes."""
    return lambda _, *operands: function(*operands)


def check(graph: Nodes, operators: Mapping[str, Operator]) -> None:
    """Raises NotImplementedError naming all operators of the graph that `operators` lacks."""
    missing = sorted({node.operator for node in graph.nodes} - set(operators))
    if missing:
        raise NotImplementedError(f"the table of operators lacks {', '.join(missing)}")


def evaluate(
    graph: Nodes,
    values: Mapping[str, Any],
    operators: Mapping[str, Operator],
    static: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Returns the graph's outputs, in order, given the values of its inputs and constants. Operands that are
    shapes are taken from `static`, if given, as lists of integers."""
    known = dict(values)
    for node in graph.nodes:
        result = operators[node.operator](node.attributes, *_operands(node, known, static))
        results = result if isinstance(result, tuple) else (result,)
        known.update(zip(node.results, results, strict=False))
    return [known[name] for name in graph.outputs]


def _operands(node: OperatorNode, known: Mapping[str, Any], static: Mapping[str, Any] | None) -> list[Any]:
    shapes = STATIC.get(node.operator, ())
    return [
        None if not name else static[name] if static is not None and index in shapes else known[name]
        for index, name in enumerate(node.operands)
    ]


def window(attributes: Attributes, rank: int = 2) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """Returns strides, and (before, after) paddings, of a convolution or a pool with `rank` spatial dims.

    Raises NotImplementedError for auto_pad.
    """
    if attributes.get("auto_pad", "NOTSET") not in ("NOTSET", ""):
        raise NotImplementedError(f"auto_pad {attributes['auto_pad']}")
    pads = attributes.get("pads", [0] * 2 * rank)
    strides = tuple(attributes.get("strides", [1] * rank))
    return strides, list(zip(pads[:rank], pads[rank:], strict=True))


def reshaped_extents(shape: Sequence[int], target: Sequence[int]) -> list[int]:
    """Returns the extents of a reshape, with 0 replaced by the extent of `shape`."""
    return [shape[index] if extent == 0 else int(extent) for index, extent in enumerate(target)]
