"""The builder of `tloop.schedule` ops: one method per primitive that the default schedules use."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import func, ir
from mlc.dialects import tloop
from mlc.dialects.tloop import BlockType, LoopType, ScheduleOp
from mlc.passes.common.constants import i64_attribute


class ScheduleBuilder:
    """Appends primitives to a new `tloop.schedule` after `kernel`."""

    def __init__(self, kernel: ir.Operation) -> None:
        name = func.Func(kernel).sym_name
        self.schedule = ScheduleOp(
            ir.FlatSymbolRefAttr.get(name), loc=kernel.location, ip=ir.InsertionPoint.after(kernel)
        )
        self.ip = ir.InsertionPoint(self.schedule.regions[0].blocks.append())
        self.location = kernel.location

    def append(
        self,
        primitive: str,
        operands: Sequence[ir.Value] = (),
        results: Sequence[ir.Type] = (),
        **attributes: ir.Attribute,
    ) -> ir.Operation:
        """Appends `tloop.<primitive>`."""
        with self.location:
            return ir.Operation.create(
                f"tloop.{primitive}", list(results), list(operands), attributes, ip=self.ip
            )

    def get_block(self, name: str) -> ir.Value:
        """Returns the computation called `name`."""
        return self.append("get_block", [], [BlockType.get()], block_name=ir.StringAttr.get(name)).result

    def tile(self, block: ir.Value, sizes: Sequence[int], mode: str) -> tuple[ir.Value, ir.Value]:
        """Tiles a computation; returns the tiled one and the innermost loop."""
        attributes = {"sizes": ir.DenseI64ArrayAttr.get(list(sizes)), "mode": ir.StringAttr.get(mode)}
        op = self.append("tile", [block], [BlockType.get(), LoopType.get()], **attributes)
        return tloop.Tile(op).tiled, tloop.Tile(op).loop

    def compute_at(self, block: ir.Value, loop: ir.Value) -> ir.Value:
        """Moves a producer into the loop."""
        return self.append("compute_at", [block, loop], [BlockType.get()]).result

    def cache_read(self, block: ir.Value, loop: ir.Value, operand: int, name: str) -> ir.Value:
        """Copies the elements of an operand that an iteration reads; returns the copy, called `name`."""
        attributes = {"operand": i64_attribute(operand), "block_name": ir.StringAttr.get(name)}
        return self.append("cache_read", [block, loop], [BlockType.get()], **attributes).result

    def peel(self, loop: ir.Value) -> None:
        """Takes the partial last iteration out of the loop."""
        self.append("peel", [loop])

    def stream_keys(self, loop: ir.Value, queries: int, keys: int) -> None:
        """Computes the attention in the loop with the online softmax, over blocks of keys."""
        self.append("stream_keys", [loop], queries=i64_attribute(queries), keys=i64_attribute(keys))

    def balance(self, loop: ir.Value, full: bool = False) -> None:
        """Splits the loop into tiles whose sizes differ by at most 1, or `full` ones and single points."""
        self.append("balance", [loop], **({"full": ir.UnitAttr.get()} if full else {}))

    def shift_inwards(self, loop: ir.Value) -> None:
        """Shifts the last tile, so that it is full and overlaps the one before."""
        self.append("shift_inwards", [loop])

    def skip_padding(self, loop: ir.Value) -> None:
        """Leaves out the iterations of a loop over a window that read padding alone."""
        self.append("skip_padding", [loop])

    def vectorize(self, blocks: Sequence[ir.Value]) -> None:
        """Vectorizes computations."""
        self.append("vectorize", list(blocks))

    def annotate(self, target: ir.Value, key: str, value: int | Sequence[int]) -> None:
        """Sets an integer, or several, as an attribute of a loop or a computation."""
        known = i64_attribute(value) if isinstance(value, int) else ir.DenseI64ArrayAttr.get(list(value))
        self.append("annotate", [target], key=ir.StringAttr.get(key), value=known)
