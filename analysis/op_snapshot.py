"""The graph ops of a module at one moment, as data that outlives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mlc.analysis.constant_values import inner_ops
from mlc.analysis.launch_costs import LAUNCH
from mlc.bindings import ir
from mlc.passes.graph.common.views import CONSTANTS
from mlc.passes.remarks import names_in

# An op's name without `graph.`, and the ONNX nodes that it came from.
Entry = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Snapshot:
    """`functions`: for `@main`, `@prepare` and functions that are no kernels, how many of each op they hold,
    constants apart. `arena`: what the memory planner wrote at `@main` (bytes), or nothing."""

    functions: dict[str, Counter[Entry]] = field(default_factory=dict)
    arena: dict[str, int] = field(default_factory=dict)

    def ops(self, function: str = "main") -> int:
        """How many ops a function has."""
        return self.functions.get(function, Counter()).total()

    def entries(self) -> Counter[Entry]:
        """The ops of `@main`, or of all functions where there is none."""
        if "main" in self.functions:
            return self.functions["main"]
        return sum(self.functions.values(), Counter())

    def has_launches(self) -> bool:
        """Whether kernels were formed."""
        return any(op == LAUNCH for entries in self.functions.values() for op, _ in entries)


def snapshot(op: ir.Operation) -> Snapshot:
    """The state of a module, or of one function."""
    taken = Snapshot()
    for function in _functions(op):
        name = function.attributes["sym_name"].value
        if "tloop.kernel" in function.attributes:
            continue
        taken.functions[name] = Counter(_entries(function))
        if name == "main":
            taken.arena.update(_arena(function))
    return taken


def _functions(op: ir.Operation) -> Iterator[ir.Operation]:
    if op.name == "func.func":
        yield op
    elif op.name == "builtin.module":
        for each in op.regions[0].blocks[0].operations:
            yield from _functions(each.operation)


def _entries(function: ir.Operation) -> Iterator[Entry]:
    """The graph ops and launches of a function, those in bodies of control flow too."""
    for op in inner_ops(function):
        if op.name == LAUNCH or (op.name.startswith("graph.") and op.name not in CONSTANTS):
            yield op.name.removeprefix("graph."), names_in(str(op.location))


def _arena(function: ir.Operation) -> dict[str, int]:
    names = ("arena_bytes", "arena_lower_bound")
    return {
        name: function.attributes[f"tloop.{name}"].value
        for name in names
        if f"tloop.{name}" in function.attributes
    }
