"""Sizes that are data in a host function: written to tensors, read from them, compared."""

from __future__ import annotations

from mlc.bindings import arith, ir, memref
from mlc.dialects.graph.sizes.text import parse_size
from mlc.passes.common.constants import index_constant
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.numbers import SizeValues, elements_of, flattened, reinterpreted
from mlc.passes.host.sized.storage import Storage

_WANTED = {
    "equal": "{0} must be {1}",
    "broadcast": "{0} must be 1 or {1}",
    "at_least": "{0} must be at least {1}",
}


class SizeOps:
    """Builds what stands for `tloop.size_values`, `tloop.read_sizes` and `tloop.expect`."""

    def __init__(self, numbers: SizeValues, storage: Storage) -> None:
        self.numbers, self.storage = numbers, storage

    def write_numbers(self, op: ir.Operation, memory: BlockAllocations) -> None:
        result = op.results[0]
        buffer, element = self.storage.new(result, memory), result.type.element_type
        flat = reinterpreted(self.numbers, buffer, flattened(result.type), [elements_of(result)])
        for place, text in enumerate(op.attributes["dims"]):
            number = self.numbers.of(parse_size(text.value))
            stored = arith.IndexCastOp(element, number).result
            memref.StoreOp(stored, flat, [index_constant(place)])

    def read_sizes(self, op: ir.Operation) -> None:
        vector = op.operands[0]
        flat = reinterpreted(
            self.numbers, self.storage.buffer(vector), flattened(vector.type), [elements_of(vector)]
        )
        for place, name in enumerate(op.attributes["names"]):
            if name.value:
                element = memref.LoadOp(flat, [index_constant(place)]).result
                number = arith.IndexCastOp(ir.IndexType.get(), element).result
                wanted = _WANTED["at_least"].format(name.value, 0)
                self.numbers.check(number, index_constant(0), "at_least", wanted)
                self.numbers.name(name.value, number)

    def expect(self, op: ir.Operation) -> None:
        texts = [op.attributes[name].value for name in ("left", "right")]
        with self.numbers.named_by(op.attributes["what"].value):
            left, right = (self.numbers.of(parse_size(text)) for text in texts)
            relation = op.attributes["relation"].value
            fault = f"{op.attributes['fault'].value}: " if "fault" in op.attributes else ""
            self.numbers.check(left, right, relation, fault + _WANTED[relation].format(*texts))
