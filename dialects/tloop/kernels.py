"""Launches of kernels by the host program."""

from collections.abc import Sequence
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.tloop.dialect import TLoop, report


class Launch(TLoop.Operation, name="launch", traits=[ext.Pure]):
    """Runs a kernel on tensors.

    `kernel` names a private `func.func` with the unit attribute `tloop.kernel`; operands and results agree with its
    signature. Value semantics: equal launches may be merged, unused ones removed.
    """

    kernel: ir.FlatSymbolRefAttr
    arguments: Sequence[ext.Operand[Any]]
    outputs: Sequence[ext.Result[Any]]

    def verify_invariants(self) -> bool:
        for field, values in (("operand", self.operation.operands), ("result", self.operation.results)):
            for index, value in enumerate(values):
                if not isinstance(value.type, ir.RankedTensorType):
                    return report(self, f"{field} #{index} must be a ranked tensor, but has type {value.type}")
        return True


class LaunchInto(TLoop.Operation, name="launch_into"):
    """Runs a kernel on buffers: inputs first, then outputs (the kernel contract's order).

    The planner makes it from `tloop.launch`. The last `num_outputs` operands are written, the others only read.
    """

    kernel: ir.FlatSymbolRefAttr
    num_outputs: ir.IntegerAttr
    buffers: Sequence[ext.Operand[Any]]

    def verify_invariants(self) -> bool:
        outputs = self.attributes["num_outputs"].value
        count = len(self.operation.operands)
        if not 0 < outputs <= count:
            return report(self, f"num_outputs is {outputs}, but the launch has {count} buffers")
        for index, value in enumerate(self.operation.operands):
            if not isinstance(value.type, ir.MemRefType):
                return report(self, f"operand #{index} must be a memref, but has type {value.type}")
        return True
