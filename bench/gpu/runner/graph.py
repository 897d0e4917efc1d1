"""A model as a list of ONNX operators, for references and peers, and its file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.gpu.runner.manifest import read_json
from bench.operator_graph import OperatorNode
from mlc.runtime.errors import ExecutableError


@dataclass(frozen=True)
class NodeGraph:
    """Nodes in order, and the names of the results."""

    nodes: tuple[OperatorNode, ...]
    outputs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the graph in the form that `read_graph` reads."""
        return asdict(self)


def read_graph(path: Path) -> NodeGraph:
    """Reads a graph. Raises ExecutableError with the path and the cause."""
    data: Any = read_json(path)
    try:
        nodes = tuple(
            OperatorNode(
                node["operator"], tuple(node["operands"]), tuple(node["results"]), dict(node["attributes"])
            )
            for node in data["nodes"]
        )
        return NodeGraph(nodes, tuple(data["outputs"]))
    except (TypeError, KeyError, ValueError) as error:
        raise ExecutableError(f"{path}: no graph of operators: {error!r}") from error
