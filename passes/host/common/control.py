"""Control flow of a host function as `host-entry` builds it: `scf` ops, on integers of 64 bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mlc.bindings import arith, ir
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import attributes_of


class EntryControlBuilder:
    """Builds control flow, and the arithmetic that it needs. `build_block` builds the ops of a block at the
    insertion point."""

    def __init__(self, build_block: Callable[[ir.Block], None]) -> None:
        self.build_block = build_block
        # The scalars of the function on memrefs, and the values that replace them in the entry.
        self.values: dict[ir.Value, ir.Value] = {}
        self.outermost: ir.Operation | None = None

    def build(self, op: ir.Operation) -> None:
        """Builds the code of an op of `arith` or `scf`."""
        cast = arith.IndexCast.match(op)
        if cast is not None:
            self.values[cast.out] = _convert(self.values[cast.in_], self.convert_type(cast.out.type))
        else:
            self.copy(op)

    def copy(self, op: ir.Operation) -> None:
        """Copies an op, bodies included, with indices as integers of 64 bits."""
        made = ir.Operation.create(
            op.name,
            results=[self.convert_type(value.type) for value in op.results],
            operands=[self.values[value] for value in op.operands],
            attributes={name: self.attribute(value) for name, value in attributes_of(op).items()},
            regions=len(op.regions),
        )
        self.values.update(zip(op.results, made.results, strict=True))
        is_outermost = self.outermost is None
        if is_outermost and op.regions:
            self.outermost = made
        for old, new in zip(op.regions, made.regions, strict=True):
            for block in old.blocks:
                self.body(block, new)
        if is_outermost:
            self.outermost = None

    def body(self, old: ir.Block, region: ir.Region) -> None:
        """Builds the ops of a block in a new block of `region`."""
        block = region.blocks.append(*(self.convert_type(value.type) for value in old.arguments))
        self.values.update(zip(old.arguments, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            self.build_block(old)

    def convert_type(self, type_: ir.Type) -> ir.Type:
        """Converts memrefs to pointers, and indices to integers of 64 bits."""
        if isinstance(type_, ir.MemRefType):
            return ir.Type.parse("!llvm.ptr")
        return i64() if isinstance(type_, ir.IndexType) else type_

    def attribute(self, attribute: ir.Attribute) -> ir.Attribute:
        """Converts an index attribute to an integer of 64 bits; others stay."""
        if isinstance(attribute, ir.IntegerAttr) and isinstance(attribute.type, ir.IndexType):
            return ir.IntegerAttr.get(i64(), attribute.value)
        return attribute

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Builds before all bodies around the insertion point."""
        if self.outermost is None:
            yield
            return
        with ir.InsertionPoint(self.outermost):
            yield


def _convert(value: ir.Value, target: ir.Type) -> ir.Value:
    """Converts a signed integer to another width."""
    if value.type == target:
        return value
    is_wider = ir.IntegerType(target).width > ir.IntegerType(value.type).width
    return (arith.ExtSIOp if is_wider else arith.TruncIOp)(target, value).result
