"""The plan of a GPU program: what its host function does, as data that the CUDA runtime runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from mlc.compiler.device_kernel import DeviceKernel
from mlc.compiler.device_launches import WORKSPACE_ALIGNMENT
from mlc.compiler.device_transfers import MAIN, transfer_streams
from mlc.compiler.errors import CompileError
from mlc.compiler.host_function import HostFunction, TensorInfo
from mlc.compiler.tape import COPY, WAIT, Region, Tape
from mlc.compiler.tape import Step as TapeStep
from mlc.runtime.cuda.plan import Plan
from mlc.runtime.cuda.plan_parts import (
    ArenaBuffer,
    Buffer,
    CopyStep,
    Image,
    Kernel,
    LaunchStep,
    Place,
    PlanParameter,
    PointerParameter,
    Step,
    TensorBuffer,
    TensorMapParameter,
    WaitStep,
)
from mlc.runtime.cuda.program_memory import ALIGNMENT
from mlc.runtime.tensors import TensorSpec


def program_plan(
    architecture: str,
    host: HostFunction,
    tape: Tape,
    kernels: Mapping[str, DeviceKernel],
    names: Mapping[str, Sequence[str]],
) -> Plan:
    """The plan of the host function whose steps are `tape`; image number i is that of the i-th kernel.

    `names` are those of the buffers by role ("input", "output", "weight"). Transfers that run beside kernels
    have streams of their own. Raises CompileError for operands that kernels cannot take where they lie,
    ExecutableError for what no plan can say.
    """
    numbers = {name: index for index, name in enumerate(kernels)}
    # Kernels run one after the other, on the main stream.
    workspace = Region(_arena_number(host), _rounded(host.arena_bytes), "uint8", (_workspace(kernels),))
    firsts: dict[str, int] = {}
    functions: list[Kernel] = []
    for name, kernel in kernels.items():
        firsts[name] = len(functions)
        functions += [replace(each.kernel, image=numbers[name]) for each in kernel.launches]
    streams = transfer_streams(tape.steps)
    return Plan(
        images=tuple(Image(f"{name}.{each.suffix}", architecture) for name, each in kernels.items()),
        kernels=tuple(functions),
        buffers=tuple(_buffers(host, names, workspace)),
        steps=tuple(
            each for step in tape.steps for each in _steps(step, kernels, firsts, streams, workspace)
        ),
        streams=max(streams.values()) + 1,
    )


def _workspace(kernels: Mapping[str, DeviceKernel]) -> int:
    """Bytes for the workspaces of all kernels, which have the same place."""
    return max((each.workspace_bytes for each in kernels.values()), default=0)


def _arena_number(host: HostFunction) -> int:
    """The arena comes behind all tensors."""
    return len(host.inputs) + len(host.outputs) + len(host.weight_types)


def _rounded(nbytes: int) -> int:
    """To where a workspace may begin."""
    return -(-nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT


def _buffers(host: HostFunction, names: Mapping[str, Sequence[str]], workspace: Region) -> Iterator[Buffer]:
    """In the order of the host function's arguments; the arena ends with the workspace, if there is one."""
    infos: dict[str, Sequence[TensorInfo]] = {
        "input": host.inputs,
        "output": host.outputs,
        "weight": host.weight_types,
    }
    for role in ("input", "output", "weight"):
        for name, info in zip(names[role], infos[role], strict=True):
            yield TensorBuffer(role, name, info.dtype, info.spec().sizes)
    nbytes = _nbytes(workspace)
    yield ArenaBuffer(workspace.offset + nbytes if nbytes else host.arena_bytes)


def _steps(
    step: TapeStep,
    kernels: Mapping[str, DeviceKernel],
    firsts: Mapping[str, int],
    streams: Mapping[int | None, int],
    workspace: Region,
) -> Iterator[Step]:
    if step.kernel in (COPY, WAIT):
        yield from _transfer(step, streams[step.transfer])
        return
    _check_aligned(step)
    regions = (*step.regions, workspace)
    for number, launch in enumerate(kernels[step.kernel].launches, firsts[step.kernel]):
        yield LaunchStep(number, tuple(_bound(each, regions) for each in launch.parameters))


def _transfer(step: TapeStep, stream: int) -> Iterator[Step]:
    """A copy; beside the main stream it begins when what precedes it there is done. Or the wait for it."""
    if step.kernel == WAIT:
        yield WaitStep(MAIN, stream)
        return
    if stream != MAIN:
        yield WaitStep(stream, MAIN)
    source, target = step.regions
    yield CopyStep(_place(target), _place(source), _nbytes(source), stream)


def _bound(parameter: PlanParameter, regions: Sequence[Region]) -> PlanParameter:
    """A kernel's parameter with buffers of the program in the place of the kernel's arguments."""
    if isinstance(parameter, PointerParameter):
        place = _inside(parameter, regions)
        return PointerParameter(place.buffer, place.offset)
    if isinstance(parameter, TensorMapParameter):
        return replace(parameter, place=_inside(parameter.place, regions))
    return parameter


def _inside(place: Place, regions: Sequence[Region]) -> Place:
    region = regions[place.buffer]
    return Place(region.argument, region.offset + place.offset)


def _place(region: Region) -> Place:
    return Place(region.argument, region.offset)


def _nbytes(region: Region) -> int:
    return prod(region.shape) * TensorSpec("", region.dtype, ()).nbytes


def _check_aligned(step: TapeStep) -> None:
    for region in step.regions:
        if region.offset % ALIGNMENT:
            raise CompileError(
                f"kernel @{step.kernel} takes a part of a tensor that begins {region.offset} bytes behind its"
                f" begin: GPU kernels take multiples of {ALIGNMENT} bytes"
            )
