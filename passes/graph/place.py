"""graph-place: which device computes an op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassFailure, option
from mlc.passes.remarks import names_in

PLACE = "graph.place"
MAIN = "main"


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
    ops: tuple[str, ...] = option((), help="kinds of ops: matmul,softmax")
    nodes: tuple[str, ...] = option((), help="names of ONNX nodes")

    def run(self, op: ir.Operation) -> bool:
        wanted = {f"graph.{each}" for each in self.ops} | set(self.nodes)
        if op.attributes["sym_name"].value != MAIN or not wanted:
            return False
        found: set[str] = set()
        for each in [inner.operation for inner in op.regions[0].blocks[0]]:
            if not each.name.startswith("graph."):
                continue
            matched = wanted & {each.name, *names_in(str(each.location))}
            if matched:
                each.attributes[PLACE] = ir.StringAttr.get(self.device)
            found |= matched
        if missing := sorted(wanted - found):
            raise PassFailure(
                f"@{MAIN} has no op '{missing[0].removeprefix('graph.')}' to place", op.location
            )
        return True
