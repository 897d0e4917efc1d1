"""graph-place: assigns ops to devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.kernel_functions import CPU
from mlc.passes.graph.common.rematerialization import REMATERIALIZE
from mlc.passes.graph.common.views import CONSTANTS, is_view_or_row, needs_no_kernel, viewed_buffer
from mlc.passes.graph.verify.verify_blocks import reason_without_blocks
from mlc.passes.remarks import names_in

# Their work is of the order of what would move.
_CHEAP = ("elementwise", "movement", "normalisation", "quantisation", "reduction")

# Index that stands for values defined outside the block.
_OUTSIDE = -1


def ops_between(ops: Sequence[ir.Operation], placed: set[int]) -> list[int]:
    """Returns the ops of a block that read only constants and results of `placed` ones or of each other, and
    that nothing else reads, by index: the most ops for which that holds."""
    makers = {value: op_index for op_index, op in enumerate(ops) for value in op.results}
    sources = [_sources(op, makers, ops) for op in ops]
    readers: list[set[int]] = [set() for _ in ops]
    for op_index, read in enumerate(sources):
        for source in read - {_OUTSIDE}:
            readers[source].add(op_index)
    found = {op_index for op_index, op in enumerate(ops) if op_index not in placed and _is_cheap(op)}
    changed = True
    while changed:
        on_device = placed | found
        left = {
            index
            for index in found
            if _is_inside(sources[index], on_device) and _is_inside(readers[index], on_device)
        }
        changed, found = left != found, left
    return sorted(found)


def _is_inside(ops: set[int], on_device: set[int]) -> bool:
    return bool(ops) and ops <= on_device


def _sources(op: ir.Operation, makers: dict[ir.Value, int], ops: Sequence[ir.Operation]) -> set[int]:
    """The ops that compute what `op` reads, through views of it; _OUTSIDE for arguments. Views read
    nothing."""
    if is_view_or_row(op):
        return set()
    found = {makers.get(viewed_buffer(value), _OUTSIDE) for value in op.operands}
    return {op_index for op_index in found if op_index == _OUTSIDE or ops[op_index].name not in CONSTANTS}


def _is_cheap(op: ir.Operation) -> bool:
    spec = graph.specs().get(op.name.removeprefix("graph."))
    cheap = spec is not None and spec.family.startswith(_CHEAP)
    return cheap and REMATERIALIZE not in op.attributes and not needs_no_kernel(op)


# On an op: its device; and that it was placed there because it stands between others.
PLACE, BETWEEN = "graph.place", "graph.between"
MAIN = "main"
# What layouts make of an op is placed with the op.
_OP_OF_PACKED = {graph.MatmulPacked.NAME: graph.Matmul.NAME}


def place_of(op: ir.Operation) -> str:
    """The device of a graph op, "" for the target."""
    return op.attributes[PLACE].value if PLACE in op.attributes else ""


@dataclass(frozen=True)
class PlaceOps(Pass):
    """Places ops of `@main` on a second device, by their names or by the ONNX nodes that they come from: sets
    their attribute `graph.place`. Beside a processor that is "accel", beside a GPU "cpu", where `unsupported`
    places all ops that have no program of thread blocks, and those between them that cost less there than two
    transfers. Does nothing unless ops are named (docs/placement.md)."""

    name: ClassVar[str] = "graph-place"
    anchor: ClassVar[str] = "func.func"

    device: str = option("accel", help="the device", choices=("accel", "cpu"))
    ops: tuple[str, ...] = option((), help="op names: matmul,softmax; matmul_packed is a matmul too")
    nodes: tuple[str, ...] = option((), help="names of ONNX nodes")
    unsupported: bool = option(False, help="with device=cpu: also ops that thread blocks cannot compute")

    def run(self, op: ir.Operation) -> bool:
        wanted = {f"graph.{name}" for name in self.ops} | set(self.nodes)
        if op.attributes["sym_name"].value != MAIN or not (wanted or self.unsupported):
            return False
        if self.unsupported and self.device != CPU:
            raise PassError("what thread blocks cannot compute is for device=cpu", op.location)
        found: set[str] = set()
        inside = [child.operation for child in op.regions[0].blocks[0]]
        ops = [inner for inner in inside if inner.name.startswith("graph.")]
        for candidate in ops:
            names = candidate.name, _OP_OF_PACKED.get(candidate.name, candidate.name)
            matched = wanted & {*names, *names_in(str(candidate.location))}
            if matched or (self.unsupported and _is_unsupported(candidate)):
                candidate.attributes[PLACE] = ir.StringAttr.get(self.device)
            found |= matched
        if self.unsupported:
            _place_between(inside, self.device)
        if missing := sorted(wanted - found):
            raise PassError(_no_op(missing[0], ops), op.location)
        return True


def _place_between(ops: Sequence[ir.Operation], device: str) -> None:
    placed = {op_index for op_index, op in enumerate(ops) if place_of(op) == device}
    for op_index in ops_between(ops, placed):
        ops[op_index].attributes[PLACE] = ir.StringAttr.get(device)
        ops[op_index].attributes[BETWEEN] = ir.UnitAttr.get()


def _is_unsupported(op: ir.Operation) -> bool:
    return op.name not in CONSTANTS and bool(reason_without_blocks(op))


def _no_op(missing: str, ops: Sequence[ir.Operation]) -> str:
    """Returns a note with the names of the ops that there are, if one is missing."""
    op_name = missing.removeprefix("graph.")
    names = ", ".join(sorted({op.name.removeprefix("graph.") for op in ops if len(op.operands)}))
    there = f"; its ops are {names}" if op_name != missing else ""
    return f"@{MAIN} has no op '{op_name}' to place{there}"
