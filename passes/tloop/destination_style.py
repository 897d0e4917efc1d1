"""tloop-destination-style: kernels write their results into buffers that the caller owns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import bufferization, func, ir
from mlc.passes.base import Pass


def is_kernel(op: ir.Operation) -> bool:
    """Whether `op` is a function marked as a kernel."""
    return op.name == "func.func" and "tloop.kernel" in op.attributes


def add_destinations(kernel: ir.Operation) -> None:
    """Appends one writable argument per result and materialises the results there.

    One-shot bufferisation then computes in place: no allocation for results, no copy at the end.
    """
    function = kernel.opview
    block = function.entry_block
    terminator = block.operations[len(block.operations) - 1].operation
    inputs, results = list(function.type.inputs), list(function.type.results)
    destinations = [block.add_argument(kind, kernel.location) for kind in results]
    with ir.InsertionPoint(terminator), kernel.location:
        for index, destination in enumerate(destinations):
            stored = bufferization.MaterializeInDestinationOp(
                results[index], terminator.operands[index], destination
            )
            terminator.operands[index] = stored.results[0]
        kernel.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([*inputs, *results], results))
        writable = [{"bufferization.writable": ir.BoolAttr.get(flag)} for flag in _flags(len(inputs), len(results))]
        kernel.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in writable])
        kernel.attributes["tloop.num_outputs"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), len(results))


def _flags(inputs: int, outputs: int) -> list[bool]:
    return [False] * inputs + [True] * outputs


@dataclass(frozen=True)
class DestinationStyle(Pass):
    """Gives every kernel one more argument per result, into which it writes; `tloop.num_outputs` counts them."""

    name: ClassVar[str] = "tloop-destination-style"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        if is_kernel(op) and "tloop.num_outputs" not in op.attributes:
            add_destinations(op)
