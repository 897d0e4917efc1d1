"""tloop-sink-loads: elements that are broadcast are loaded where they are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import address, ir, memref, vector
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import keeps_rows_in_vectors, target_of
from mlc.passes.vector.index_offsets import offset_by

# Only these ops may be between a read and the op before which it moves: nothing that writes.
PURE = tuple(
    "arith. math. vector.extract vector.broadcast vector.fma vector.from_elements vector.insert vector.load "
    "vector.to_elements vector.transfer_read memref.load affine.apply".split()
)


def read_dims(read: vector.TransferRead) -> list[int] | None:
    """Returns the dim of the buffer for each dim of the vector that is read in full, without broadcasting;
    None for other reads."""
    if not isinstance(read.base.type, ir.MemRefType):
        return None
    dims = list(read.permutation_map.results)
    in_bounds = all(flag.value for flag in read.in_bounds)
    if read.mask is not None or not in_bounds or not all(isinstance(dim, ir.AffineDimExpr) for dim in dims):
        return None
    return [ir.AffineDimExpr(dim).position for dim in dims]


def movable(root: ir.Operation, name: str) -> list[tuple[ir.Operation, list[ir.Operation]]]:
    """Returns the ops called `name` inside `root` that may move to their first use, with their uses in order:
    these follow in the same block, before anything that could write."""
    blocks = dict.fromkeys(op.block for op in collect_ops(root, name))
    return [found for block in blocks for found in _movable_in(block, name)]


def _movable_in(block: ir.Block, name: str) -> list[tuple[ir.Operation, list[ir.Operation]]]:
    ops = [op.operation for op in block.operations]
    positions = {address(op): position for position, op in enumerate(ops)}
    found = []
    for op, last in _with_barriers(ops, name):
        uses = {positions.get(address(use.owner), len(ops) + 1) for use in op.results[0].uses}
        if uses and max(uses) <= last:
            found.append((op, [ops[position] for position in sorted(uses)]))
    return found


def _with_barriers(ops: Sequence[ir.Operation], name: str) -> list[tuple[ir.Operation, int]]:
    """Returns the ops of a block that are called `name`, and the position in `ops` of the next one that could
    write."""
    found = []
    barrier = len(ops)
    for position in reversed(range(len(ops))):
        if (own := ops[position].name) == name:
            found.append((ops[position], barrier))
        elif not own.startswith(PURE):
            barrier = position
    return found[::-1]


def sink(read: ir.Operation, uses: Sequence[ir.Operation], elements: bool) -> None:
    """Moves a read or a load to the first of its uses; with `elements`, in parts if only parts are used."""
    if not elements or not _sink_parts(vector.TransferRead(read), uses):
        read.move_before(uses[0])


def _sink_parts(read: vector.TransferRead, uses: Sequence[ir.Operation]) -> bool:
    """Replaces a read of which only parts are used by a smaller read, or a load, before each use."""
    dims = read_dims(read)
    if dims is None or not all(map(_is_part, uses)):
        return False
    for extract in map(vector.Extract, uses):
        with ir.InsertionPoint(extract.operation), extract.operation.location:
            extract.result.replace_all_uses_with(_part(read, dims, extract.static_position))
        extract.operation.erase()
    read.operation.erase()
    return True


def _is_part(op: ir.Operation) -> bool:
    extract = vector.Extract.match(op)
    return extract is not None and not extract.dynamic_position


def _part(read: vector.TransferRead, dims: Sequence[int], position: Sequence[int]) -> ir.Value:
    """Builds a read of the elements at `position` of the leading dims."""
    source, indices = read.base, read.indices
    rank = ir.MemRefType(source.type).rank
    for dim, offset in zip(dims, position, strict=False):
        indices[dim] = offset_by(indices[dim], offset) if offset else indices[dim]
    rest = dims[len(position) :]
    if not rest:
        return memref.load(source, indices)
    type_ = ir.VectorType(read.vector.type)
    part = ir.VectorType.get(type_.shape[len(position) :], type_.element_type)
    map_ = ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(dim) for dim in rest]))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * len(rest))
    return vector.TransferReadOp(part, source, indices, map_, read.padding, inside).result


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
