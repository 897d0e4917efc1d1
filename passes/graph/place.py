"""graph-place: which device computes an op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassFailure, option
from mlc.passes.remarks import names_in

PLACE = "graph.place"
MAIN = "main"
# What layouts make of an op is placed with its kind.
_KINDS = {"graph.matmul_packed": "graph.matmul"}


def place_of(op: ir.Operation) -> str:
    """The device of a graph op, "" for the host's processor."""
    return op.attributes[PLACE].value if PLACE in op.attributes else ""


@dataclass(frozen=True)
class PlaceOps(Pass):
    """Places ops of `@main` on a second device, by their kind or by the ONNX nodes that they come from: sets
    their attribute `graph.place`. Does nothing unless ops are named (docs/placement.md)."""

    name: ClassVar[str] = "graph-place"
    anchor: ClassVar[str] = "func.func"

    device: str = option("accel", help="the device", choices=("accel",))
    ops: tuple[str, ...] = option((), help="kinds of ops: matmul,softmax; matmul_packed is a matmul too")
    nodes: tuple[str, ...] = option((), help="names of ONNX nodes")

    def run(self, op: ir.Operation) -> bool:
        wanted = {f"graph.{each}" for each in self.ops} | set(self.nodes)
        if op.attributes["sym_name"].value != MAIN or not wanted:
            return False
        found: set[str] = set()
        inside = [each.operation for each in op.regions[0].blocks[0]]
        ops = [each for each in inside if each.name.startswith("graph.")]
        for each in ops:
            kinds = each.name, _KINDS.get(each.name, each.name)
            matched = wanted & {*kinds, *names_in(str(each.location))}
            if matched:
                each.attributes[PLACE] = ir.StringAttr.get(self.device)
            found |= matched
        if missing := sorted(wanted - found):
            raise PassFailure(_no_op(missing[0], ops), op.location)
        return True


def _no_op(missing: str, ops: Sequence[ir.Operation]) -> str:
    """With the kinds of ops that there are, if one is missing."""
    kind = missing.removeprefix("graph.")
    kinds = ", ".join(sorted({each.name.removeprefix("graph.") for each in ops if len(each.operands)}))
    there = f"; its kinds of ops are {kinds}" if kind != missing else ""
    return f"@{MAIN} has no op '{kind}' to place{there}"
