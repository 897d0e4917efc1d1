"""Builds `tloop.schedule` ops: one method per primitive that the default schedules use."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects.tloop import BlockType, LoopType, ScheduleOp
from mlc.passes.common.constants import i64, i64_attribute


class ScheduleBuilder:
    """Appends primitives to a new `tloop.schedule` of `kernel`, placed behind it."""

    def __init__(self, kernel: ir.Operation) -> None:
        name = kernel.attributes["sym_name"].value
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
        return self.append("get_block", [], [BlockType.get()], block_name=ir.StringAttr.get(name)).results[0]

    def tile(self, block: ir.Value, sizes: Sequence[int], mode: str) -> tuple[ir.Value, ir.Value]:
        """Returns the tiled computation and the loop."""
        attributes = {"sizes": ir.DenseI64ArrayAttr.get(list(sizes)), "mode": ir.StringAttr.get(mode)}
        op = self.append("tile", [block], [BlockType.get(), LoopType.get()], **attributes)
        return op.results[0], op.results[1]

    def compute_at(self, block: ir.Value, loop: ir.Value) -> ir.Value:
        return self.append("compute_at", [block, loop], [BlockType.get()]).results[0]

    def cache_read(self, block: ir.Value, loop: ir.Value, operand: int, name: str) -> ir.Value:
        """Returns the copy."""
        attributes = {
            "operand": i64_attribute(operand),
            "block_name": ir.StringAttr.get(name),
        }
        return self.append("cache_read", [block, loop], [BlockType.get()], **attributes).results[0]

    def peel(self, loop: ir.Value) -> None:
        self.append("peel", [loop])

    def stream_keys(self, loop: ir.Value, queries: int, keys: int) -> None:
        word = i64()
        sizes = {"queries": ir.IntegerAttr.get(word, queries), "keys": ir.IntegerAttr.get(word, keys)}
        self.append("stream_keys", [loop], **sizes)

    def balance(self, loop: ir.Value) -> None:
        self.append("balance", [loop])

    def shift_inwards(self, loop: ir.Value) -> None:
        self.append("shift_inwards", [loop])

    def vectorize(self, blocks: Sequence[ir.Value]) -> None:
        self.append("vectorize", list(blocks))

    def annotate(self, target: ir.Value, key: str, value: int | Sequence[int]) -> None:
        """Sets a number, or several, as an attribute of a loop or a computation."""
        known = i64_attribute(value) if isinstance(value, int) else ir.DenseI64ArrayAttr.get(list(value))
        self.append("annotate", [target], key=ir.StringAttr.get(key), value=known)
