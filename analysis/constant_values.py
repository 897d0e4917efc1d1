"""Finds the values of a function that depend on constants only, and these constants."""

from __future__ import annotations

from collections.abc import Iterator

from mlc.analysis.value_sizes import byte_size, elements
from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects.graph.types import element_name
from mlc.passes.graph.common.views import CONSTANTS

# Constants of these are indices, shapes and masks.
_NO_PARAMETERS = ("i64", "i1")


def inner_ops(op: ir.Operation) -> Iterator[ir.Operation]:
    """Yields all ops inside `op`, in program order."""
    for region in op.regions:
        for block in region:
            for inner in block.operations:
                yield inner.operation
                yield from inner_ops(inner.operation)


def reads(op: ir.Operation) -> Iterator[ir.Value]:
    """Yields the operands of `op`, and those of the ops inside it."""
    yield from op.operands
    for inner in inner_ops(op):
        yield from inner.operands


class ConstantValues:
    """The constants of a function, and the values that depend on them only, computed before a call."""

    def __init__(self, function: ir.Operation) -> None:
        self.ops: dict[int, ir.Operation] = {}
        # By value, the addresses of the constants' ops.
        self.sources: dict[ir.Value, frozenset[int]] = {}
        for op in inner_ops(function):
            if self.defines(op):
                self.ops[address(op)] = op
                self.sources[op.result] = frozenset([address(op)])
            elif op.name.startswith("graph.") and all(map(self.is_constant, reads(op))):
                found = frozenset().union(*(self.sources[value] for value in op.operands))
                self.sources.update(dict.fromkeys(op.results, found))

    @staticmethod
    def defines(op: ir.Operation) -> bool:
        """Whether the op is a constant."""
        return op.name in CONSTANTS

    def is_constant(self, value: ir.Value) -> bool:
        """Whether the value depends on constants only."""
        return value in self.sources

    def parameters(self, reader: ir.Operation | None = None) -> int:
        """Returns the number of elements of the weights that `reader` depends on; by default of all."""
        if reader is None:
            return sum(map(_parameters, self.ops.values()))
        sources = frozenset().union(*(self.sources.get(value, frozenset()) for value in reader.operands))
        return sum(_parameters(self.ops[source]) for source in sources)

    def weight_bytes(self) -> int:
        """Returns the bytes of all constants."""
        return sum(byte_size(op.result) for op in self.ops.values())


def _parameters(op: ir.Operation) -> int:
    """Returns the number of elements of a weight; 0 for indices, masks and scalars."""
    value = op.result
    count = elements(value)
    return 0 if count == 1 or element_name(value.type.element_type) in _NO_PARAMETERS else count
