"""Control flow of a host function as `host-entry` builds it: `scf` ops, on numbers of 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from mlc.bindings import arith, ir
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import attributes_of


class EntryBuilder(Protocol):
    """The builder of a host function's entry."""

    def block(self, block: ir.Block) -> None:
        """Builds the ops of a block at the insertion point."""


class EntryControlBuilder:
    """Builds control flow, and the arithmetic that it needs, for the builder of a host function's entry."""

    def __init__(self, entry: EntryBuilder) -> None:
        self.entry = entry
        # The numbers and truth values of the function on memrefs, as they are in the entry.
        self.values: dict[ir.Value, ir.Value] = {}
        self.outermost: ir.Operation | None = None

    def build(self, op: ir.Operation) -> None:
        """What an op becomes; nothing for views and returns, which have no code of their own."""
        if op.name == arith.IndexCast.NAME:
            number, kind = self.values[arith.IndexCast(op).in_], self.kind(arith.IndexCast(op).out.type)
            self.values[arith.IndexCast(op).out] = _converted(number, kind)
        elif op.name.startswith(("arith.", "scf.")):
            self.copy(op)

    def copy(self, op: ir.Operation) -> None:
        """The op on numbers of 64 bits, bodies included."""
        made = ir.Operation.create(
            op.name,
            results=[self.kind(value.type) for value in op.results],
            operands=[self.values[value] for value in op.operands],
            attributes={name: self.attribute(each) for name, each in attributes_of(op).items()},
            regions=len(op.regions),
        )
        self.values.update(zip(op.results, made.results, strict=True))
        is_outermost = self.outermost is None
        if is_outermost and op.regions:
            self.outermost = made
        for old, new in zip(op.regions, made.regions, strict=True):
            self.body(old.blocks[0], new)
        if is_outermost:
            self.outermost = None

    def body(self, old: ir.Block, region: ir.Region) -> None:
        block = region.blocks.append(*(self.kind(value.type) for value in old.arguments))
        self.values.update(zip(old.arguments, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            self.entry.block(old)

    def kind(self, kind: ir.Type) -> ir.Type:
        if isinstance(kind, ir.MemRefType):
            return ir.Type.parse("!llvm.ptr")
        return i64() if isinstance(kind, ir.IndexType) else kind

    def attribute(self, attribute: ir.Attribute) -> ir.Attribute:
        if isinstance(attribute, ir.IntegerAttr) and isinstance(attribute.type, ir.IndexType):
            return ir.IntegerAttr.get(self.kind(attribute.type), attribute.value)
        return attribute

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Builds before all bodies around the insertion point."""
        if self.outermost is None:
            yield
            return
        with ir.InsertionPoint(self.outermost):
            yield


def _converted(number: ir.Value, kind: ir.Type) -> ir.Value:
    """A signed number in another width."""
    if number.type == kind:
        return number
    is_wider = ir.IntegerType(kind).width > ir.IntegerType(number.type).width
    return (arith.ExtSIOp if is_wider else arith.TruncIOp)(kind, number).result
