"""A kernel for static sizes and constants: its function in the IR."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.bindings import func, ir
from mlc.dialects import tloop
from mlc.kernels.errors import KernelError
from mlc.kernels.signature import Signature
from mlc.kernels.sizes import bind_sizes
from mlc.passes.common.kernel_functions import MARK

# Builds the kernel's body at the insertion point from its inputs, with sizes and constants by name.
Body = Callable[[Sequence[ir.Value], Mapping[str, int], Mapping[str, Any]], list[ir.Value]]


def input_types(signature: Signature, sizes: Mapping[str, int]) -> list[ir.Type]:
    """Returns the tensor types of the inputs, in the current context."""
    types = [signature.tensor(parameter.name) for parameter in signature.inputs]
    return [ir.RankedTensorType.get(type_.sizes(sizes), ir.Type.parse(type_.element.name)) for type_ in types]


@dataclass(frozen=True)
class Specialisation:
    """A kernel with its sizes and constants; equal ones are the same kernel in the IR."""

    signature: Signature
    body: Body
    schedule: str
    sizes: tuple[tuple[str, int], ...]
    constants: tuple[tuple[str, Any], ...]

    def input_types(self) -> list[ir.Type]:
        """Returns the tensor types of the inputs, in the current context."""
        return input_types(self.signature, dict(self.sizes))

    def build(self, module: ir.Operation) -> ir.Operation:
        """Adds the kernel, and its schedule, to `module`, or finds it there. Raises KernelError."""
        with ir.InsertionPoint(module.regions[0].blocks[0]), ir.Location.unknown():
            function = self._function()
        text = function.get_asm(use_local_scope=True, assume_verified=True) + self.schedule
        digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        name = f"{self.signature.name}_{digest}"
        for op in module.regions[0].blocks[0]:
            if func.Func.isa(op) and func.Func(op).sym_name == name:
                function.erase()
                return op.operation
        func.Func(function).sym_name = name
        if self.schedule:
            self._add_schedule(function, name)
        return function

    def _function(self) -> ir.Operation:
        inputs = self.input_types()
        function = func.FuncOp(self.signature.name, ir.FunctionType.get(inputs, []), visibility="private")
        block = function.add_entry_block()
        function.operation.attributes[MARK] = ir.UnitAttr.get()
        sizes = dict(self.sizes)
        try:
            with ir.InsertionPoint(block), bind_sizes(sizes):
                results = self.body(list(block.arguments), sizes, dict(self.constants))
                func.ReturnOp(results)
        except BaseException:
            function.operation.erase()
            raise
        func.Func(function).function_type = ir.FunctionType.get(inputs, [value.type for value in results])
        return function.operation

    def _add_schedule(self, function: ir.Operation, name: str) -> None:
        try:
            module = ir.Module.parse(self.schedule)
        except ir.MLIRError as error:
            raise KernelError(f"the schedule of {self.signature.name} is no IR: {error}") from None
        found = [op.operation for op in module.body.operations if tloop.Schedule.isa(op)]
        if len(found) != 1 or len(module.body.operations) != 1:
            raise KernelError(f"the schedule of {self.signature.name} must be one tloop.schedule")
        clone = found[0].clone(ip=ir.InsertionPoint.after(function))
        tloop.Schedule(clone).kernel = name
