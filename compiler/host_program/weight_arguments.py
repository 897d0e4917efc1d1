"""Which arguments of a GPU's kernels are weights, wherever a program calls them."""

from __future__ import annotations

from collections.abc import Mapping

from mlc.bindings import ir
from mlc.compiler.host_program.host_function import HostFunction
from mlc.compiler.host_program.step_list import Tape
from mlc.passes.accel.transforms.overlap_launches import WEIGHTS
from mlc.runtime.cuda.execution.program_memory import ALIGNMENT


def mark_weights(host: HostFunction, tape: Tape, kernels: Mapping[str, ir.Operation]) -> None:
    """Gives each of the functions `kernels` that has such arguments their numbers: what reads them need not
    wait for other kernels, none of which writes weights."""
    first = len(host.inputs) + len(host.outputs)
    weights = range(first, first + len(host.weight_types))
    always: dict[str, set[int]] = {}
    for step in tape.steps:
        if step.kernel in kernels:
            mine = {
                number
                for number, region in enumerate(step.regions)
                # The plan copies parts that begin elsewhere (`aligned_steps`).
                if region.argument in weights and region.offset % ALIGNMENT == 0
            }
            always[step.kernel] = always.get(step.kernel, mine) & mine
    for name, numbers in always.items():
        if numbers:
            with kernels[name].context:
                kernels[name].attributes[WEIGHTS] = ir.DenseI64ArrayAttr.get(sorted(numbers))
