"""accel-to-cpu: programs of thread blocks run on the CPU, one block after the other or on several threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.accel.cpu.program import Program
from mlc.passes.accel.cpu.types import cpu_type
from mlc.passes.base import Pass, PassFailure
from mlc.passes.common.rewriting import collect_ops, erase_op, terminator_of


def lower_function(function: ir.Operation) -> None:
    """Emits the function's body anew, and drops what it was. Raises PassFailure."""
    blocks = list(function.regions[0])
    if len(blocks) != 1:
        raise PassFailure("launches must be in a function of one block", function.location)
    _retype_arguments(function, blocks[0])
    end = terminator_of(blocks[0])
    old = [each.operation for each in blocks[0].operations if each.operation != end]
    program = Program()
    with ir.InsertionPoint(end):
        for op in old:
            program.emit(op)
    for index, operand in enumerate(end.operands):
        end.operands[index] = program.values.get(operand, operand)
    for op in reversed(old):
        erase_op(op)


def _retype_arguments(function: ir.Operation, block: ir.Block) -> None:
    for argument in block.arguments:
        if isinstance(argument.type, ir.VectorType):
            raise PassFailure(f"a function with launches cannot take a {argument.type}", function.location)
        argument.set_type(cpu_type(argument.type))
    kind = function.attributes["function_type"].value
    inputs = [each.type for each in block.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, kind.results))


@dataclass(frozen=True)
class AccelToCpu(Pass):
    """Lower each `accel.launch` to a loop over blocks, `scf.forall`, whose tiles are tensors.

    Shared memory becomes buffers, a copy ends where it begins, and `accel.mma` becomes `linalg.contract`.
    What says how a GPU is to run the program (warps, clusters, stages of loops, swizzled memory) goes: it
    does not change numbers. Programs whose warps have roles (`accel.specialize`) are refused.
    """

    name: ClassVar[str] = "accel-to-cpu"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        if not collect_ops(op, "accel.launch"):
            return False
        lower_function(op)
        return True
