"""Calls of the C runtime's functions, by host functions on buffers."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import onnx_element_type
from mlc.dialects.graph.sizes import Size
from mlc.dialects.tloop import build_launch_into
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.numbers import SizeValues, sizes_of
from mlc.passes.host.sized.storage import CALLER, Storage

PREFIX = "mlc_call_"


def call_runtime(op: ir.Operation, numbers: SizeValues, storage: Storage, memory: BlockAllocations) -> None:
    """Builds what stands for a `graph.call_runtime`: what the function gets is said in
    runtime/csrc/objects/object_calls.h."""
    inputs = [storage.buffer(value) for value in op.operands]
    outputs = [storage.new(value, memory) for value in op.results]
    given: list[int | Size] = [*graph.attribute(op, "options")]
    for value in (*op.operands, *op.results):
        sizes = sizes_of(value)
        given += [onnx_element_type(str(value.type.element_type)), len(sizes), *sizes]
    function = graph.attribute(op, "function")
    launch = build_launch_into(PREFIX + function, inputs, outputs, [numbers.of(each) for each in given])
    launch.attributes[CALLER] = ir.StringAttr.get(numbers.who)
