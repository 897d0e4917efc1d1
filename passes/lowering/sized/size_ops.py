"""Sizes that are data in a host function: written to tensors, read from them, compared."""

from __future__ import annotations

from mlc.bindings import arith, cf, ir, memref
from mlc.dialects.graph.size_text import parse_size
from mlc.passes.lowering.host_scalars import index_constant
from mlc.passes.lowering.sized.lifetimes import Memory
from mlc.passes.lowering.sized.numbers import Numbers, elements_of, flattened, reinterpreted
from mlc.passes.lowering.sized.storage import Storage


class SizeOps:
    """Builds what stands for `tloop.numbers`, `tloop.read_sizes` and `tloop.expect_equal`."""

    def __init__(self, numbers: Numbers, storage: Storage) -> None:
        self.numbers, self.storage = numbers, storage

    def write_numbers(self, op: ir.Operation, memory: Memory) -> None:
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
                least = arith.CmpIOp(arith.CmpIPredicate.sge, number, index_constant(0)).result
                cf.AssertOp(least, "a size is negative")
                self.numbers.name(name.value, number)

    def expect_equal(self, op: ir.Operation) -> None:
        texts = [op.attributes[name].value for name in ("left", "right")]
        left, right = (self.numbers.of(parse_size(text)) for text in texts)
        holds = arith.CmpIOp(arith.CmpIPredicate.eq, left, right).result
        if op.attributes["relation"].value == "broadcast":
            is_one = arith.CmpIOp(arith.CmpIPredicate.eq, left, index_constant(1)).result
            holds = arith.OrIOp(holds, is_one).result
        cf.AssertOp(holds, f"{op.attributes['what'].value}: {texts[0]} is not {texts[1]}")
