"""Sizes as data of a host function: written to tensors, read from them, compared."""

from __future__ import annotations

from mlc.bindings import arith, ir, memref
from mlc.dialects import tloop
from mlc.dialects.graph.sizes.text import parse_size
from mlc.passes.common.constants import index_constant
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.size_values import SizeValues, elements_of, flatten, reinterpret
from mlc.passes.host.sized.storage import Storage

_WANTED = {
    "equal": "{0} must be {1}",
    "broadcast": "{0} must be 1 or {1}",
    "at_least": "{0} must be at least {1}",
}


class SizeOps:
    """Builds the code of `tloop.size_values`, `tloop.read_sizes` and `tloop.expect`."""

    def __init__(self, sizes: SizeValues, storage: Storage) -> None:
        self.sizes, self.storage = sizes, storage

    def write_sizes(self, op: tloop.SizeValues, memory: BlockAllocations) -> None:
        """Stores sizes to a tensor."""
        result = op.result
        buffer, element = self.storage.new(result, memory), result.type.element_type
        flat = reinterpret(self.sizes, buffer, flatten(result.type), [elements_of(result)])
        for index, text in enumerate(op.dims):
            stored = arith.IndexCastOp(element, self.sizes.of(parse_size(text))).result
            memref.StoreOp(stored, flat, [index_constant(index)])

    def read_sizes(self, op: tloop.ReadSizes) -> None:
        """Reads the values of names from a tensor, and checks that they are not negative."""
        vector = op.operand
        flat = reinterpret(
            self.sizes, self.storage.buffer(vector), flatten(vector.type), [elements_of(vector)]
        )
        for index, name in enumerate(op.names):
            if name:
                element = memref.LoadOp(flat, [index_constant(index)]).result
                size = arith.IndexCastOp(ir.IndexType.get(), element).result
                wanted = _WANTED["at_least"].format(name, 0)
                self.sizes.check(size, index_constant(0), "at_least", wanted)
                self.sizes.name(name, size)

    def expect(self, op: tloop.Expect) -> None:
        """Checks a relation of two sizes."""
        texts = (op.left, op.right)
        with self.sizes.named_by(op.what):
            left, right = (self.sizes.of(parse_size(text)) for text in texts)
            fault = "" if op.fault is None else f"{op.fault}: "
            self.sizes.check(left, right, op.relation, fault + _WANTED[op.relation].format(*texts))
