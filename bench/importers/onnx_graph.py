"""An ONNX graph as plain data, and an evaluator for any table of operators.

Enough for the models of `bench.models`: one opset range, no control flow, no external data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSETS = range(13, 24)


@dataclass(frozen=True)
class Node:
    """An operator's call; an operand that is left out has the name ""."""

    operator: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Graph:
    """`constants` are the initialisers and the results of Constant nodes."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    constants: Mapping[str, np.ndarray]


# Called with the node's attributes, then its operands (None: left out); returns one value, or a tuple.
Operator = Callable[..., Any]


def read(path: Path) -> Graph:
    """The graph of an ONNX file. Raises NotImplementedError for an opset outside of `OPSETS`."""
    model = onnx.load(path)
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    if opset not in OPSETS:
        raise NotImplementedError(f"opset {opset}; this importer knows {OPSETS.start} to {OPSETS.stop - 1}")
    graph = model.graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    nodes = []
    for node in graph.node:
        attributes = {each.name: _attribute(each) for each in node.attribute}
        if node.op_type == "Constant":
            constants[node.output[0]] = attributes["value"]
        else:
            nodes.append(Node(node.op_type, tuple(node.input), tuple(node.output), attributes))
    inputs = tuple(value.name for value in graph.input if value.name not in constants)
    return Graph(inputs, tuple(value.name for value in graph.output), tuple(nodes), constants)


def _attribute(attribute: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return value.decode() if isinstance(value, bytes) else value


def check(graph: Graph, operators: Mapping[str, Operator]) -> None:
    """Raises NotImplementedError naming all operators of the graph that `operators` lacks."""
    missing = sorted({node.operator for node in graph.nodes} - set(operators))
    if missing:
        raise NotImplementedError(f"this importer lacks {', '.join(missing)}")


def evaluate(graph: Graph, values: Mapping[str, Any], operators: Mapping[str, Operator]) -> list[Any]:
    """The graph's outputs, in order, given the values of its inputs and constants."""
    known = dict(values)
    for node in graph.nodes:
        operands = [known[name] if name else None for name in node.operands]
        result = operators[node.operator](node.attributes, *operands)
        results = result if isinstance(result, tuple) else (result,)
        known.update(zip(node.results, results, strict=False))
    return [known[name] for name in graph.outputs]


def window(attributes: Mapping[str, Any], rank: int = 2) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """Strides, and (before, after) paddings per spatial dim, of a convolution or a pool with `rank` of them.

    Raises NotImplementedError for auto_pad.
    """
    if attributes.get("auto_pad", "NOTSET") not in ("NOTSET", ""):
        raise NotImplementedError(f"auto_pad {attributes['auto_pad']}")
    pads = attributes.get("pads", [0] * 2 * rank)
    strides = tuple(attributes.get("strides", [1] * rank))
    return strides, list(zip(pads[:rank], pads[rank:], strict=True))


def reshaped(shape: Sequence[int], target: Sequence[int]) -> list[int]:
    """The operand of a reshape: 0 copies the extent of `shape`."""
    return [shape[index] if extent == 0 else int(extent) for index, extent in enumerate(target)]
