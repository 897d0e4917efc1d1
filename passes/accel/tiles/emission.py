"""Emission of programs of thread blocks from kernels of tensors: the representation of each value."""

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
    Representation,
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
    """The emission of one kernel. `handlers` emit ops, by name; other ops on scalars are copied."""

    handlers: dict[str, Handler]
    values: dict[ir.Value, Representation] = field(default_factory=dict)
    # Destinations of the kernel's results, and of values that are written into them.
    destinations: dict[ir.Value, Slice] = field(default_factory=dict)
    # The memrefs of the kernel's results, which may be written.
    results: list[ir.Value] = field(default_factory=list)
    # Those that the open launch of one block has written.
    written: list[ir.Value] = field(default_factory=list)
    # The body of the launch that is being emitted, at whose start shared memory is allocated.
    body: ir.Block | None = None
    # Tokens of copies in flight.
    tokens: list[ir.Value] = field(default_factory=list)

    def emit_block(self, block: ir.Block) -> None:
        """Emits code for each op but the terminator, at the current insertion point."""
        for op in list(block.operations)[:-1]:
            self.emit(op.operation)

    def emit(self, op: ir.Operation) -> None:
        """Emits code for an op at the current insertion point."""
        handler = self.handlers.get(op.name, copy_scalar)
        with op.location:
            handler(self, op)

    def tensor(self, value: ir.Value) -> Slice | SharedTile | VectorTile:
        """Returns the representation of a tensor."""
        found = self.values[value]
        assert not isinstance(found, ir.Value), "tensors become slices or tiles"
        return found

    def scalar(self, value: ir.Value) -> ir.Value:
        """Returns the value of a scalar."""
        found = self.values[value]
        assert isinstance(found, ir.Value), "scalars become scalars"
        return found

    def index(self, index: Index) -> Index:
        """Returns the value of an index of the old IR; an int if it is static."""
        if isinstance(index, int):
            return index
        constant = constant_value(index)
        return self.scalar(index) if constant is None else constant

    def tile(self, value: ir.Value, op: ir.Operation) -> VectorTile:
        """Returns the vector of a tensor that the block computed. Raises PassError for tensors in memory."""
        found = self.tensor(value)
        if not isinstance(found, VectorTile):
            raise PassError(f"'{op.name}' op needs a tile that was computed in its block", op.location)
        return found

    def mask(self, extents: Sequence[Extent]) -> ir.Value:
        """Builds the mask of a vector's elements that are not padding."""
        extents = extents or [UNIT]
        mask_type = ir.VectorType.get([extent.padded for extent in extents], i1())
        return vector.CreateMaskOp(mask_type, [as_value(extent.size) for extent in extents]).result

    def flat(self, memory: ir.Value) -> ir.Value:
        """Builds a view of a memref with one dim, before the launch."""
        if is_shared(memory):
            raise PassError("computed indices must be of global memory", ir.Location.current)
        if memory.type.rank == 1:
            return memory
        assert self.body is not None, "tiles are read in launches"
        count = 1
        for extent in memory.type.shape:
            count *= extent
        flat_type = ir.MemRefType.get([count], memory.type.element_type)
        with ir.InsertionPoint(self.body.owner):
            return memref.CollapseShapeOp(flat_type, memory, [list(range(memory.type.rank))]).result

    def wait(self) -> None:
        """Waits for the copies in flight."""
        if self.tokens:
            ir.Operation.create(accel.Wait.NAME, [], self.tokens)
            self.tokens = []


def copy_scalar(code: Emission, op: ir.Operation) -> None:
    """Copies an op on scalars. Raises PassError for other ops."""
    if len(op.regions) or any(
        isinstance(operand.type, ir.ShapedType) for operand in (*op.operands, *op.results)
    ):
        raise PassError(f"'{op.name}' op has no form on tiles", op.location)
    operands = [code.scalar(operand) for operand in op.operands]
    types = [result.type for result in op.results]
    clone = ir.Operation.create(op.name, types, operands, attributes_of(op))
    code.values.update(zip(op.results, clone.results, strict=True))
