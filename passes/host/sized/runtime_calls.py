"""Calls of the C runtime's functions, by host functions on buffers."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import onnx_element_type
from mlc.dialects.graph.sizes import Size
from mlc.dialects.tloop import build_launch_into
from mlc.passes.host.common.description import CALLER
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.size_values import SizeValues, sizes_of
from mlc.passes.host.sized.storage import Storage

PREFIX = "mlc_call_"


def call_runtime(
    op: graph.CallRuntime, values: SizeValues, storage: Storage, memory: BlockAllocations
) -> None:
    """Builds the call of a `graph.call_runtime`, with the arguments that runtime/csrc/objects/object_calls.h
    describes."""
    inputs = [storage.buffer(value) for value in op.values]
    output = storage.new(op.result, memory)
    arguments: list[int | Size] = [*op.options]
    for value in (*op.values, op.result):
        sizes = sizes_of(value)
        arguments += [onnx_element_type(str(value.type.element_type)), len(sizes), *sizes]
    dims = [values.of(argument) for argument in arguments]
    launch = build_launch_into(PREFIX + op.function, inputs, [output], dims)
    launch.attributes[CALLER] = ir.StringAttr.get(values.who)
