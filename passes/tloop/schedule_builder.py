"""Builds `tloop.schedule` ops: one method per primitive."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects.tloop import (
    BlockType,
    ComputeAt,
    GetBlock,
    LoopType,
    Peel,
    Reorder,
    Schedule,
    Tile,
    Vectorize,
)


class ScheduleBuilder:
    """Appends primitives to a new `tloop.schedule` of `kernel`, placed behind it."""

    def __init__(self, kernel: ir.Operation) -> None:
        name = kernel.attributes["sym_name"].value
        self.schedule = Schedule(
            ir.FlatSymbolRefAttr.get(name), loc=kernel.location, ip=ir.InsertionPoint.after(kernel)
        )
        self.ip = ir.InsertionPoint(self.schedule.regions[0].blocks.append())
        self.location = kernel.location

    def get_block(self, name: str) -> ir.Value:
        return GetBlock(
            ir.StringAttr.get(name), BlockType.get(), loc=self.location, ip=self.ip
        ).operation.results[0]

    def tile(self, block: ir.Value, sizes: Sequence[int], mode: str) -> tuple[ir.Value, ir.Value]:
        """Returns the tiled computation and the loop."""
        op = Tile(
            ir.DenseI64ArrayAttr.get(list(sizes)),
            ir.StringAttr.get(mode),
            block,
            BlockType.get(),
            LoopType.get(),
            loc=self.location,
            ip=self.ip,
        )
        return op.operation.results[0], op.operation.results[1]

    def compute_at(self, block: ir.Value, loop: ir.Value) -> ir.Value:
        return ComputeAt(block, loop, BlockType.get(), loc=self.location, ip=self.ip).operation.results[0]

    def peel(self, loop: ir.Value) -> None:
        Peel(loop, loc=self.location, ip=self.ip)

    def reorder(self, block: ir.Value, permutation: Sequence[int]) -> ir.Value:
        order = ir.DenseI64ArrayAttr.get(list(permutation))
        return Reorder(order, block, BlockType.get(), loc=self.location, ip=self.ip).operation.results[0]

    def vectorize(self, blocks: Sequence[ir.Value]) -> None:
        Vectorize(list(blocks), loc=self.location, ip=self.ip)
