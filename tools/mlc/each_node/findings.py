"""The result of a search for a wrong node, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime import TensorSpec
from mlc.tools.mlc.deviations import Deviation
from mlc.tools.mlc.text_tables import table, tensor_text

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class ValueFacts:
    """A value; `deviation` is None if it was not compared."""

    name: str
    type: str
    deviation: Deviation | None

    def data(self, tolerance: float) -> dict[str, Any]:
        """The fields for JSON."""
        facts: dict[str, Any] = {"name": self.name, "type": self.type}
        if self.deviation is not None:
            facts |= {**self.deviation.data, "passed": self.deviation.relative <= tolerance}
        return facts


@dataclass(frozen=True)
class NodeFacts:
    """A node with the values that it reads, except `constants` of them, and its results."""

    index: int
    name: str
    op_type: str
    inputs: tuple[ValueFacts, ...]
    outputs: tuple[ValueFacts, ...]
    constants: int
    tolerance: float

    @property
    def data(self) -> dict[str, Any]:
        """The fields for JSON."""
        return {
            "index": self.index,
            "name": self.name,
            "op_type": self.op_type,
            "inputs": [value.data(self.tolerance) for value in self.inputs],
            "outputs": [value.data(self.tolerance) for value in self.outputs],
        }

    def __str__(self) -> str:
        return f"'{self.name}' ({self.op_type})"


@dataclass(frozen=True)
class Finding:
    """The result of a search.

    `verdict`: "within" (no value leaves the tolerance), "node" (`cause` is wrong for mlc's own values of its
    inputs, by `own`; compiled alone it differs by `alone`), "fused" (`cause` is wrong only in a program in
    which values before it are no outputs; `before` is the last node that is right there), "amplified" (each
    node is right for its inputs, but `first` and perhaps later ones amplify the differences of theirs),
    "unknown" (the other engine does not compute the nodes alone, because of `note`).
    """

    verdict: str
    nodes: int
    engine: str
    first: NodeFacts | None = None
    cause: NodeFacts | None = None
    own: Deviation | None = None
    alone: Deviation | None = None
    before: NodeFacts | None = None
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether no node is known to be wrong."""
        return self.verdict in ("within", "amplified")

    @property
    def data(self) -> dict[str, Any]:
        """The fields for JSON."""
        facts = {"verdict": self.verdict, "nodes": self.nodes, "explanation": self.explanation}
        for role in ("first", "cause", "own", "alone", "before"):
            value = getattr(self, role)
            facts |= {role: value.data} if value is not None else {}
        return facts

    @property
    def explanation(self) -> str:
        """The verdict as a sentence."""
        match self.verdict:
            case "within":
                return f"all results of the {self.nodes} nodes are within the tolerance"
            case "amplified":
                return (
                    f"for the same inputs {self.engine} computes the same: the node amplifies the "
                    "differences of its inputs, and no node is wrong by itself"
                )
            case "unknown":
                return f"whether it is the cause is unknown: {self.note or 'it cannot be computed alone'}"
            case "fused":
                before = f"; the last node that is right there is {self.before}" if self.before else ""
                return f"cause: {self.cause} is wrong only where values before it stay inside kernels{before}"
        return f"cause: {self.cause} differs by {_amount(self.own)} for the same inputs; {self._alone_text()}"

    def _alone_text(self) -> str:
        if self.alone is None:
            return "it cannot be compiled alone"
        assert self.cause is not None
        if self.alone.relative <= self.cause.tolerance:
            return "compiled alone it is right: the fault comes from fusion or a rewrite with its neighbours"
        return f"compiled alone it differs by {_amount(self.alone)}"

    def render(self, console: Console) -> None:
        """Prints the nodes and the explanation."""
        console.print()
        shown = None
        for role, node in (("first node beyond the tolerance", self.first), ("cause", self.cause)):
            if node is not None and node != shown:
                shown = node
                console.print(f"{role}: {node}, number {node.index} in topological order")
                columns = ("", "", "", ">max|a-b|", ">max|a-b|/max|b|", "", "at", ">mlc", f">{self.engine}")
                console.print(table(columns, _rows(node)))
        console.print(self.explanation)


def value_type(value: Any, spec: TensorSpec) -> str:
    """Returns the type of a value with its shape."""
    return tensor_text(spec.dtype, value.shape) if isinstance(value, np.ndarray) else spec.dtype


def _amount(found: Deviation | None) -> str:
    assert found is not None
    return found.reason or f"{found.relative:.2e}"


def _rows(node: NodeFacts) -> Iterator[list[str]]:
    for role, values in (("input", node.inputs), ("output", node.outputs)):
        for value in values:
            yield [role, value.name, value.type, *_cells(value.deviation, node.tolerance)]
    if node.constants:
        yield ["constants", str(node.constants), *[""] * 7]


def _cells(found: Deviation | None, tolerance: float) -> list[str]:
    if found is None:
        return ["", "not compared", "", "", "", ""]
    verdict = "ok" if found.relative <= tolerance else "FAILED"
    if found.reason:
        return ["", f"{found.element} {found.reason}".strip(), verdict, "", "", ""]
    at = found.element + ("" if found.index is None else f"[{','.join(map(str, found.index))}]")
    return [f"{found.absolute:.2e}", f"{found.relative:.2e}", verdict, at, found.actual, found.expected]
