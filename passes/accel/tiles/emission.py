"""The state of emission: what each value of a kernel on tensors is in its program of thread blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from mlc.bindings import arith, ir, vector
from mlc.passes.accel.tiles.meanings import Buffer, Extent, Index, Meaning, Slice, Tile, as_value
from mlc.passes.base import PassFailure
from mlc.passes.rewriting import attributes_of
from mlc.passes.tloop.loop_steps.loops import constant_value

Handler = Callable[["Emission", ir.Operation], None]


@dataclass
class Emission:
    """`handlers` say how ops are emitted, by name; other ops on scalars are copied."""

    handlers: dict[str, Handler]
    values: dict[ir.Value, Meaning] = field(default_factory=dict)
    # Where the results of parallel loops lie.
    destinations: dict[ir.Value, ir.Value] = field(default_factory=dict)
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

    def tensor(self, value: ir.Value) -> Slice | Buffer | Tile:
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

    def tile(self, value: ir.Value, op: ir.Operation) -> Tile:
        """Of a tensor that is computed. Raises PassFailure where it is memory."""
        found = self.tensor(value)
        if not isinstance(found, Tile):
            raise PassFailure(f"'{op.name}' op needs a tile that was computed in its block", op.location)
        return found

    def mask(self, extents: Sequence[Extent]) -> ir.Value:
        """Truth where a vector's element is no padding. At least one extent has padding."""
        shape = [each.padded for each in extents]
        kind = ir.VectorType.get(shape, ir.IntegerType.get_signless(1))
        parts = []
        for dim, extent in enumerate(extents):
            if not extent.whole:
                alone = [each if at == dim else 1 for at, each in enumerate(shape)]
                line = vector.ShapeCastOp(ir.VectorType.get(alone, kind.element_type), _below(extent)).result
                parts.append(vector.BroadcastOp(kind, line).result)
        return reduce(lambda a, b: arith.AndIOp(a, b).result, parts)

    def wait(self) -> None:
        """For the copies that are under way."""
        if self.tokens:
            ir.Operation.create("accel.wait", [], self.tokens)
            self.tokens = []


def _below(extent: Extent) -> ir.Value:
    """Truth along one dim."""
    places = vector.StepOp(ir.VectorType.get([extent.padded], ir.IndexType.get())).result
    size = vector.BroadcastOp(places.type, as_value(extent.size)).result
    return arith.cmpi(arith.CmpIPredicate.ult, places, size)


def copy_scalar(code: Emission, op: ir.Operation) -> None:
    """Ops on indices and numbers stay what they are."""
    if len(op.regions) or any(isinstance(each.type, ir.ShapedType) for each in (*op.operands, *op.results)):
        raise PassFailure(f"'{op.name}' op has no form on tiles", op.location)
    operands = [code.scalar(each) for each in op.operands]
    kinds = [each.type for each in op.results]
    made = ir.Operation.create(op.name, kinds, operands, attributes_of(op))
    code.values.update(zip(op.results, made.results, strict=True))
