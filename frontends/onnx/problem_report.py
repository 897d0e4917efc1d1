"""The report of everything in a model that cannot be imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class UnsupportedNode:
    """A node that is not supported, and the cause; `opset` is None if the model does not import the
    domain."""

    node: str
    op_type: str
    domain: str
    opset: int | None
    cause: str

    @property
    def operator(self) -> str:
        """The operator, its opset and the cause: nodes that agree in them share a line."""
        domain = f"{self.domain}." if self.domain else ""
        version = (
            f"opset {self.opset}" if self.opset is not None else "a domain that the model does not import"
        )
        return f"{domain}{self.op_type} ({version}): {self.cause}"


def report(name: str, problems: Sequence[UnsupportedNode]) -> list[str]:
    """Returns the lines of one message that names every node, grouped by operator and cause."""
    groups: dict[str, list[str]] = {}
    for problem in problems:
        groups.setdefault(problem.operator, []).append(f"'{problem.node}'")
    count = f"{len(problems)} node{'s' if len(problems) > 1 else ''}"
    lines = [f"{name}: {count} cannot be imported:"]
    for operator, nodes in groups.items():
        lines.append(f"  {operator}: {'nodes' if len(nodes) > 1 else 'node'} {', '.join(nodes)}")
    return lines
