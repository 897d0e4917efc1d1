"""A model as a list of ONNX operators, for references and peers: data, and its evaluation by any library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mlc.runtime.errors import ExecutableError

from bench.gpu.runner.manifest import read_json

# Called with the node's attributes, then its operands (None: left out); returns one value or a tuple.
Operator = Callable[..., Any]
# Operands that say shapes: lists of numbers, not tensors.
STATIC = {"Reshape": (1,), "Split": (1,), "Expand": (1,), "Squeeze": (1,), "Unsqueeze": (1,)}


@dataclass(frozen=True)
class Node:
    """An operator's call; an operand that is left out has the name ""."""

    operator: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Graph:
    """Nodes in order, and the names of the results."""

    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """What `read_graph` reads."""
        return asdict(self)


def read_graph(path: Path) -> Graph:
    """Raises ExecutableError with the path and the cause."""
    data: Any = read_json(path)
    try:
        nodes = tuple(
            Node(each["operator"], tuple(each["operands"]), tuple(each["results"]), dict(each["attributes"]))
            for each in data["nodes"]
        )
        return Graph(nodes, tuple(data["outputs"]))
    except (TypeError, KeyError, ValueError) as error:
        raise ExecutableError(f"{path}: no graph of operators: {error!r}") from error


def check(graph: Graph, operators: Mapping[str, Operator]) -> None:
    """Raises NotImplementedError naming all operators that `operators` lacks."""
    missing = sorted({node.operator for node in graph.nodes} - set(operators))
    if missing:
        raise NotImplementedError(f"no {', '.join(missing)} in this library's table")


def evaluate(
    graph: Graph, values: Mapping[str, Any], static: Mapping[str, Any], operators: Mapping[str, Operator]
) -> list[Any]:
    """The outputs, given inputs and weights; `static` has shipped vectors as lists of numbers."""
    known = dict(values)
    for node in graph.nodes:
        result = operators[node.operator](node.attributes, *_operands(node, known, static))
        known.update(zip(node.results, result if isinstance(result, tuple) else (result,), strict=False))
    return [known[name] for name in graph.outputs]


def _operands(node: Node, known: Mapping[str, Any], static: Mapping[str, Any]) -> Sequence[Any]:
    places = STATIC.get(node.operator, ())
    return [
        None if not name else static[name] if number in places else known[name]
        for number, name in enumerate(node.operands)
    ]
