"""The state of emission: what each value of a kernel on tensors is in its program of thread blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlc.bindings import ir, memref, vector
from mlc.dialects import accel
from mlc.dialects.accel import is_shared
from mlc.passes.accel.tiles.representations import (
    UNIT,
    Extent,
    Index,
    Meaning,
    SharedTile,
    Slice,
    VectorTile,
    as_value,
)
from mlc.passes.base import PassError
from mlc.passes.common.constants import constant_value, i1
from mlc.passes.common.rewriting import attributes_of

Handler = Callable[["Emission", ir.Operation], None]


@dataclass
class Emission:
    """`handlers` say how ops are emitted, by name; other ops on scalars are copied."""

    handlers: dict[str, Handler]
    values: dict[ir.Value, Meaning] = field(default_factory=dict)
    # Where results of the kernel lie, and values that are written into them.
    destinations: dict[ir.Value, Slice] = field(default_factory=dict)
    # The memories of the kernel's results, which may be written.
    results: list[ir.Value] = field(default_factory=list)
    # Of these, what the launch of one block that is open has written.
    written: list[ir.Value] = field(default_factory=list)
    # The body of the launch that is being emitted, at whose start shared memory is allocated.
    body: ir.Block | None = None
    # Tokens of copies that nobody waits for yet.
    tokens: list[ir.Value] = field(default_factory=list)

    def emit_block(self, block: ir.Block) -> None:
        """Emits code for each op but the terminator, at the current insertion point."""
        for op in list(block.operations)[:-1]:
            self.emit(op.operation)

    def emit(self, op: ir.Operation) -> None:
        handler = self.handlers.get(op.name, copy_scalar)
        with op.location:
            handler(self, op)

    def tensor(self, value: ir.Value) -> Slice | SharedTile | VectorTile:
        """Of a tensor."""
        found = self.values[value]
        assert not isinstance(found, ir.Value), "tensors become slices or tiles"
        return found

    def scalar(self, value: ir.Value) -> ir.Value:
        """Of an index or a number."""
        found = self.values[value]
        assert isinstance(found, ir.Value), "scalars become scalars"
        return found

    def index(self, index: Index) -> Index:
        """Of a number, or a value of the old IR; a number where that is constant."""
        if isinstance(index, int):
            return index
        constant = constant_value(index)
        return self.scalar(index) if constant is None else constant

    def tile(self, value: ir.Value, op: ir.Operation) -> VectorTile:
        """Of a tensor that is computed. Raises PassError where it is memory."""
        found = self.tensor(value)
        if not isinstance(found, VectorTile):
            raise PassError(f"'{op.name}' op needs a tile that was computed in its block", op.location)
        return found

    def mask(self, extents: Sequence[Extent]) -> ir.Value:
        """Truth where a vector's element is no padding."""
        extents = extents or [UNIT]
        kind = ir.VectorType.get([extent.padded for extent in extents], i1())
        return vector.CreateMaskOp(kind, [as_value(extent.size) for extent in extents]).result

    def flat(self, memory: ir.Value) -> ir.Value:
        """The memory with one dim, made in front of the launch."""
        if is_shared(memory):
            raise PassError("computed places must be in global memory", ir.Location.current)
        if memory.type.rank == 1:
            return memory
        assert self.body is not None, "tiles are read in launches"
        count = 1
        for extent in memory.type.shape:
            count *= extent
        kind = ir.MemRefType.get([count], memory.type.element_type)
        with ir.InsertionPoint(self.body.owner):
            return memref.CollapseShapeOp(kind, memory, [list(range(memory.type.rank))]).result

    def wait(self) -> None:
        """For the copies that are under way."""
        if self.tokens:
            ir.Operation.create(accel.Wait.NAME, [], self.tokens)
            self.tokens = []


def copy_scalar(code: Emission, op: ir.Operation) -> None:
    """Ops on indices and numbers stay what they are."""
    if len(op.regions) or any(
        isinstance(operand.type, ir.ShapedType) for operand in (*op.operands, *op.results)
    ):
        raise PassError(f"'{op.name}' op has no form on tiles", op.location)
    operands = [code.scalar(operand) for operand in op.operands]
    kinds = [result.type for result in op.results]
    made = ir.Operation.create(op.name, kinds, operands, attributes_of(op))
    code.values.update(zip(op.results, made.results, strict=True))
