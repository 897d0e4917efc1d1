"""Ops of a host function that compute, read and check sizes, and calls of the runtime, which need them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import arith, cf, ir, memref
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import onnx_element_type
from mlc.dialects.graph.sizes import Size, product
from mlc.dialects.graph.sizes.text import parse_size
from mlc.dialects.tloop import build_launch_into
from mlc.passes.common.constants import index_constant
from mlc.passes.host.common.description import CALLER, RUNTIME_PREFIX, PlanAttributes
from mlc.passes.host.memory.buffers import sizes_of
from mlc.passes.host.program.size_values import input_names

if TYPE_CHECKING:
    from mlc.passes.host.program.rewriter import HostRewriter


def describe_sizes(function: ir.Operation, old: ir.Operation, returned: Sequence[ir.Value]) -> None:
    """Sets the attributes of a function on buffers that name the dims of arguments and results."""
    names = input_names(old)
    shapes = [[str(dim) if isinstance(dim, Size) else "" for dim in sizes_of(value)] for value in returned]
    dims = dict.fromkeys(name for shape in names for name in shape if name)
    plan = PlanAttributes(function)
    plan.dims = tuple(dims)
    plan.input_shapes, plan.output_shapes = ([_texts(shape) for shape in side] for side in (names, shapes))


def _texts(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


_WANTED = {
    "equal": "{0} must be {1}",
    "broadcast": "{0} must be 1 or {1}",
    "at_least": "{0} must be at least {1}",
}


class SizeOps:
    """Builds these ops for a host function's rewriter."""

    def __init__(self, host: HostRewriter) -> None:
        self.host, self.sizes = host, host.sizes

    def name_dims(self, arguments: Sequence[ir.Value]) -> None:
        """Sets the values of named dims to the sizes of arguments."""
        for argument, names in zip(arguments, input_names(self.host.function), strict=True):
            for axis, name in enumerate(names):
                if name and name not in self.sizes.names():
                    self.sizes.name(name, memref.DimOp(argument, index_constant(axis)).result)

    def rewrite(self, op: ir.Operation) -> None:
        """Builds an op on buffers, nothing for views, constants and ends of blocks."""
        if op.name == tloop.SizeValues.NAME:
            self.write_sizes(tloop.SizeValues(op))
        elif op.name == tloop.ReadSizes.NAME:
            self.read_sizes(tloop.ReadSizes(op))
        elif op.name == tloop.Expect.NAME:
            self.expect(tloop.Expect(op))
        elif op.name == graph.CallRuntime.NAME:
            self.call_runtime(graph.CallRuntime(op))
        elif op.name == graph.Check.NAME:
            self.check(graph.Check(op))

    def write_sizes(self, op: tloop.SizeValues) -> None:
        """Stores sizes to a tensor."""
        flat = self.flat(op.result)
        for index, text in enumerate(op.dims):
            stored = arith.IndexCastOp(op.result.type.element_type, self.sizes.of(parse_size(text))).result
            memref.StoreOp(stored, flat, [index_constant(index)])

    def read_sizes(self, op: tloop.ReadSizes) -> None:
        """Reads the values of names from a tensor, and checks that they are not negative."""
        flat = self.flat(op.operand)
        for index, name in enumerate(op.names):
            if name:
                element = memref.LoadOp(flat, [index_constant(index)]).result
                size = arith.IndexCastOp(ir.IndexType.get(), element).result
                wanted = _WANTED["at_least"].format(name, 0)
                self.sizes.check(size, index_constant(0), "at_least", wanted)
                self.sizes.name(name, size)

    def flat(self, value: ir.Value) -> ir.Value:
        """The buffer of a value as a vector."""
        return self.host.view(self.host.allocations.spans[value], value, [product(sizes_of(value))])

    def expect(self, op: tloop.Expect) -> None:
        """Checks a relation of two sizes."""
        texts = (op.left, op.right)
        with self.sizes.named_by(op.what):
            left, right = (self.sizes.of(parse_size(text)) for text in texts)
            fault = "" if op.fault is None else f"{op.fault}: "
            self.sizes.check(left, right, op.relation, fault + _WANTED[op.relation].format(*texts))

    def call_runtime(self, op: graph.CallRuntime) -> None:
        """Calls the C runtime, with the arguments that runtime/csrc/objects/object_calls.h describes."""
        inputs = [self.host.buffer(value) for value in op.values]
        arguments: list[int | Size] = [*op.options]
        for value in (*op.values, op.result):
            sizes = sizes_of(value)
            arguments += [onnx_element_type(str(value.type.element_type)), len(sizes), *sizes]
        dims = [self.sizes.of(argument) for argument in arguments]
        launch = build_launch_into(RUNTIME_PREFIX + op.function, inputs, [self.host.buffer(op.result)], dims)
        launch.attributes[CALLER] = ir.StringAttr.get(self.sizes.who)

    def check(self, op: graph.Check) -> None:
        """Lets the call fail with the op's message, or go on with a copy of the operand."""
        cf.AssertOp(memref.LoadOp(self.host.buffer(op.truth), []), op.message)
        self.host.move_values(op.operation)


def describe_op(op: ir.Operation) -> str:
    """The name of an op in messages; "" for those that no user knows."""
    if op.name in (tloop.ReadSizes.NAME, tloop.SizeValues.NAME):
        return ""
    if tloop.Launch.isa(op):
        # A kernel's name ends in a hash of what it computes.
        return re.sub("_[0-9a-f]{12}$", "", tloop.Launch(op).kernel)
    if graph.CallRuntime.isa(op):
        return str(graph.CallRuntime(op).function)
    return op.name.partition(".")[2]
