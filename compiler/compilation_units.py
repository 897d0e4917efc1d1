"""Splits a module of host functions and kernels into units that compile separately."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mlc.bindings import func, ir
from mlc.compiler.code_path import OBJECT_JOB, CodePath
from mlc.compiler.errors import CompileError
from mlc.compiler.host_program.host_function import HostFunction, read_host_function
from mlc.compiler.host_program.step_list import StepList
from mlc.passes.accel.transforms.overlap_launches import WEIGHTS
from mlc.passes.common.kernel_functions import CPU, HOST, device_of_kernel, schedules
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import set_target
from mlc.runtime.cuda.execution.program_memory import ALIGNMENT
from mlc.targets import Target


def mark_weights(host: HostFunction, step_list: StepList, kernels: Mapping[str, ir.Operation]) -> None:
    """Marks the arguments of GPU kernels that are weights in all launches: their readers need not wait for
    other kernels, none of which writes weights."""
    first = len(host.inputs) + len(host.outputs)
    weights = range(first, first + len(host.weight_types))
    always: dict[str, set[int]] = {}
    for step in step_list.steps:
        if step.kernel in kernels:
            mine = {
                index
                for index, region in enumerate(step.regions)
                # The plan copies unaligned regions (`aligned_steps`).
                if region.argument in weights and region.offset % ALIGNMENT == 0
            }
            always[step.kernel] = always.get(step.kernel, mine) & mine
    for name, arguments in always.items():
        if arguments:
            with kernels[name].context:
                kernels[name].attributes[WEIGHTS] = ir.DenseI64ArrayAttr.get(sorted(arguments))


PREPARE = "prepare"
HOST_NAMES = ("main", PREPARE)
# Pipelines of kernels on other devices: "accel" runs GPU kernels on the processor.
DEVICE_PIPELINES = {"accel": "accel-kernel,accel-cpu"}


@dataclass
class Units:
    """A host function and the kernels that it launches: module text by name, and the ONNX nodes of each
    kernel; of kernels of a GPU's program that the processor runs, the reasons. A host function without code
    has a step list; that of `@prepare` also replaces some of its kernels."""

    host: HostFunction
    path: CodePath
    kernels: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    # The kernels of processors without a schedule of a user, and those of any device with one.
    with_default_schedules: set[str] = field(default_factory=set)
    with_own_schedules: set[str] = field(default_factory=set)
    step_list: StepList | None = None

    def path_of(self, unit: str) -> CodePath:
        """Returns the code path of the host function or a kernel, by its device. Raises CompileError for
        devices that the target does not have beside it."""
        device = self.devices.get(unit, HOST)
        if device == HOST:
            return self.path
        if device == CPU and self.path.processor is not None:
            return self.path.processor
        if device == CPU or self.path.on_gpu:
            name = self.path.target.name
            raise CompileError(f"kernel @{unit} is placed on {device}, which {name} does not have beside it")
        return replace(self.path, kernel=DEVICE_PIPELINES[device])

    def pipeline(self, kernel: str) -> str:
        """Returns the pipeline of a kernel. Raises CompileError as `path_of`."""
        return self.path_of(kernel).kernel

    def kernels_to_compile(self) -> dict[str, str]:
        """Returns the text of the kernels that the step list does not evaluate."""
        bodies = self.step_list.bodies if self.step_list else {}
        return {name: text for name, text in self.kernels.items() if name not in bodies}


def split(module: ir.Operation, paths: Mapping[str, CodePath]) -> dict[str, Units]:
    """Returns the units of a module after `host-plan-memory`, by host function; `paths` are their code paths.
    Raises CompileError for a host function without a plan."""
    ops = {func.Func(op).sym_name: op.operation for op in module.regions[0].blocks[0] if func.Func.isa(op)}
    own = schedules(module)
    result = {}
    for name in HOST_NAMES:
        if name not in ops:
            continue
        path = paths[name]
        units = result[name] = Units(read_host_function(ops[name], _alone([ops[name]], path.target)), path)
        kernels = {kernel: ops[kernel] for kernel in units.host.kernels}
        units.devices.update({kernel: device_of_kernel(op) for kernel, op in kernels.items()})
        if path.host is None:
            # A user's schedule asks for code.
            plain = {kernel: op for kernel, op in kernels.items() if kernel not in own}
            units.step_list = _read_step_list(ops[name], plain if name == PREPARE else {}, units.devices)
        if path.on_gpu and units.step_list is not None:
            on_device = {kernel: op for kernel, op in kernels.items() if units.devices[kernel] != CPU}
            mark_weights(units.host, units.step_list, on_device)
        for kernel in kernels:
            parts = [ops[kernel], own[kernel]] if kernel in own else [ops[kernel]]
            units.kernels[kernel] = _alone(parts, units.path_of(kernel).target)
            units.nodes[kernel] = str(ops[kernel].location)
            if kernel not in own and units.path_of(kernel).job == OBJECT_JOB:
                units.with_default_schedules.add(kernel)
            elif kernel in own:
                units.with_own_schedules.add(kernel)
            if units.devices[kernel] == CPU:
                units.reasons[kernel] = _why_not_blocks(ops[kernel])
    return result


def _why_not_blocks(kernel: ir.Operation) -> str:
    """Returns the reason why a kernel of a GPU's program is on the processor."""
    from mlc.passes.graph.fusion.place import BETWEEN
    from mlc.passes.graph.verify.verify_blocks import reasons_without_blocks

    if any(BETWEEN in op.attributes for op in collect_ops(kernel)):
        return "what it reads and what reads it is on the processor"
    return "; ".join(reasons_without_blocks(kernel)) or "placed by graph-place"


def _read_step_list(
    function: ir.Operation, kernels: Mapping[str, ir.Operation], devices: Mapping[str, str]
) -> StepList:
    # Imported here, with its passes: a cached program needs this module, but not those.
    from mlc.compiler.host_program.step_list_reader import read_step_list

    return read_step_list(function, kernels, devices)


def _alone(ops: list[ir.Operation], target: Target) -> str:
    """Returns the text of a module with copies of `ops`, without locations: equal kernels have equal
    texts."""
    with ops[0].context, ir.Location.unknown():
        module = ir.Module.create()
        set_target(module.operation, target)
        for op in ops:
            op.clone(ip=ir.InsertionPoint(module.body))
        return module.operation.get_asm(assume_verified=True)
