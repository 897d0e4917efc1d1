"""tloop-sink-loads: elements that are broadcast are loaded where they are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import address, ir, memref, vector
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops, users
from mlc.passes.common.target import keeps_rows_in_vectors, target_of
from mlc.passes.vector.index_offsets import offset_by

# Between a read and the place it moves to, only these may stand: nothing that writes.
PURE = tuple(
    "arith. math. vector.extract vector.broadcast vector.fma vector.from_elements vector.insert vector.load "
    "vector.to_elements vector.transfer_read memref.load affine.apply".split()
)


def read_dims(op: ir.Operation) -> list[int] | None:
    """The dim of a buffer along which each dim of a vector lies that `vector.transfer_read` reads in full,
    without broadcasting; None for other reads."""
    if not isinstance(op.operands[0].type, ir.MemRefType):
        return None
    places = list(op.attributes["permutation_map"].value.results)
    in_bounds = all(flag.value for flag in op.attributes["in_bounds"])
    masked = list(op.attributes["operandSegmentSizes"])[-1] == 1
    if masked or not in_bounds or not all(isinstance(place, ir.AffineDimExpr) for place in places):
        return None
    return [ir.AffineDimExpr(place).position for place in places]


def movable(root: ir.Operation, name: str) -> list[tuple[ir.Operation, list[ir.Operation]]]:
    """The ops called `name` inside `root` that may stand at their first use, with their uses in order: these
    follow in the same block, before anything that could write."""
    ops = collect_ops(root)
    places = {address(op): place for place, op in enumerate(ops)}
    found = []
    for op, last in _with_barriers(ops, name):
        uses = users(op.results[0])
        if uses and all(use.block == op.block and places[address(use)] <= last for use in uses):
            found.append((op, sorted(uses, key=lambda use: places[address(use)])))
    return found


def _with_barriers(ops: Sequence[ir.Operation], name: str) -> list[tuple[ir.Operation, int]]:
    """The ops called `name`, and the place in `ops` of the next one of its block that could write."""
    found = []
    barriers: dict[ir.Block, int] = {}
    for place, op in reversed(list(enumerate(ops))):
        if op.name == name:
            found.append((op, barriers.get(op.block, len(ops))))
        elif not op.name.startswith(PURE):
            barriers[op.block] = place
    return found[::-1]


def sink(read: ir.Operation, uses: Sequence[ir.Operation], elements: bool) -> None:
    """Moves a read or a load to the first of its uses; with `elements`, in parts if only parts are used."""
    if not elements or not _sink_parts(read, uses):
        read.move_before(uses[0])


def _sink_parts(read: ir.Operation, uses: Sequence[ir.Operation]) -> bool:
    """A read of which only parts are used becomes a smaller read, or a load, in front of each use."""
    dims = read_dims(read)
    if dims is None or not all(map(_is_part, uses)):
        return False
    for use in uses:
        with ir.InsertionPoint(use), use.location:
            use.results[0].replace_all_uses_with(_part(read, dims, list(use.attributes["static_position"])))
        use.erase()
    read.erase()
    return True


def _is_part(op: ir.Operation) -> bool:
    return vector.Extract.isa(op) and len(op.operands) == 1


def _part(read: ir.Operation, dims: Sequence[int], position: Sequence[int]) -> ir.Value:
    """What the read has at `position` of its leading dims."""
    source, padding = read.operands[0], read.operands[-1]
    rank = ir.MemRefType(source.type).rank
    indices = list(read.operands)[1 : 1 + rank]
    for dim, offset in zip(dims, position, strict=False):
        indices[dim] = offset_by(indices[dim], offset) if offset else indices[dim]
    rest = dims[len(position) :]
    if not rest:
        return memref.load(source, indices)
    kind = ir.VectorType(read.results[0].type)
    part = ir.VectorType.get(kind.shape[len(position) :], kind.element_type)
    places = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(dim) for dim in rest])
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * len(rest))
    return vector.TransferReadOp(part, source, indices, ir.AffineMapAttr.get(places), padding, inside).result


@dataclass(frozen=True)
class SinkLoads(Pass):
    """Load single elements where they are used, those of vectors too.

    The rows of a register tile each multiply one element: loaded as vectors ahead of their use, they would
    take the registers of the accumulators; loaded at the use, they are broadcast from memory. NEON
    multiplies by a lane of a vector: there such reads stay whole.
    """

    name: ClassVar[str] = "tloop-sink-loads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        elements = not keeps_rows_in_vectors(target_of(op))
        for read, uses in movable(op, vector.TransferRead.NAME):
            sink(read, uses, elements)
        for load, uses in movable(op, memref.Load.NAME) if elements else []:
            sink(load, uses, False)
