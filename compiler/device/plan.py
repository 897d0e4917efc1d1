"""The plan of a GPU program: its host function as data that the CUDA runtime runs.

Unaligned parts of tensors are copied for launches, and transfers that run concurrently with kernels get
streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mlc.compiler.device.buffers import DeviceBuffers, nbytes
from mlc.compiler.device.kernel import DeviceKernel
from mlc.compiler.device.launches import WORKSPACE_ALIGNMENT
from mlc.compiler.host_program.host_function import HostFunction
from mlc.compiler.host_program.step_list import COPY, WAIT, BufferRegion, HostStep, StepList
from mlc.passes.common.kernel_functions import CPU
from mlc.runtime.cuda.execution.program_memory import ALIGNMENT
from mlc.runtime.cuda.plan.checks import MAX_STREAMS
from mlc.runtime.cuda.plan.parts import (
    NO_CODE,
    Argument,
    BufferOffset,
    CallStep,
    CopyStep,
    Image,
    LaunchStep,
    PlanKernel,
    PlanParameter,
    PointerParameter,
    Processor,
    Step,
    TensorMapParameter,
    WaitStep,
)
from mlc.runtime.cuda.plan.plan import Plan

# The stream of kernels, and of copies that kernels wait for anyway.
MAIN = 0


def transfer_streams(steps: Sequence[HostStep]) -> dict[int | None, int]:
    """Returns the stream of each transfer by its id: the lowest that no transfer in flight has. When all are
    taken the last one is shared, and a wait for one of its transfers waits for all. Copies without an id are
    on the main stream."""
    free, found = list(range(MAX_STREAMS - 1, MAIN, -1)), dict[int | None, int]({None: MAIN})
    for step in steps:
        if step.transfer is None:
            continue
        if step.kernel == COPY:
            found[step.transfer] = free.pop() if len(free) > 1 else free[0]
        elif found[step.transfer] not in free:
            free.append(found[step.transfer])
            free.sort(reverse=True)
    return found


def aligned_steps(steps: Sequence[HostStep], arena: int, begin: int) -> tuple[list[HostStep], int]:
    """Returns the steps, with copies around launches whose operands are not aligned to 16 bytes, and the end
    of the memory of these copies, which begins at byte `begin` of the argument `arena`. All launches share
    it."""
    made: list[HostStep] = []
    end = begin
    for step in steps:
        if step.device == CPU or step.kernel in (COPY, WAIT):
            made.append(step)
            continue
        moved, last = _align_regions(step, arena, begin)
        end = max(end, last)
        made += _around(step, moved)
    return made, end


def _align_regions(step: HostStep, arena: int, begin: int) -> tuple[list[BufferRegion], int]:
    """Returns the regions, with unaligned ones moved to consecutive memory from `begin` on, and its end."""
    regions = []
    for region in step.regions:
        if region.offset % ALIGNMENT:
            regions.append(replace(region, argument=arena, offset=begin))
            begin += -(-nbytes(region) // ALIGNMENT) * ALIGNMENT
        else:
            regions.append(region)
    return regions, begin


def _around(step: HostStep, moved: Sequence[BufferRegion]) -> Iterator[HostStep]:
    reads = len(step.regions) - step.outputs
    pairs = list(zip(step.regions, moved, strict=True))
    yield from (HostStep(COPY, pair) for pair in pairs[:reads] if pair[0] != pair[1])
    yield replace(step, regions=tuple(moved))
    yield from (HostStep(COPY, (there, own)) for own, there in pairs[reads:] if own != there)


def program_plan(
    architecture: str,
    host: HostFunction,
    step_list: StepList,
    kernels: Mapping[str, DeviceKernel],
    names: Mapping[str, Sequence[str]],
    processor: Processor = NO_CODE,
) -> Plan:
    """Returns the plan of the host function whose steps are `step_list`; image i is that of the i-th kernel.
    Kernels on the processor are functions of `processor`.

    `names` are those of the buffers by role ("input", "output", "weight"). Transfers that run concurrently
    with kernels have separate streams. Raises ExecutableError for what a plan cannot express.
    """
    images = {name: index for index, name in enumerate(kernels)}
    # Kernels run one after the other, on the main stream.
    arena = _arena_index(host)
    steps, end = aligned_steps(step_list.steps, arena, _round_up(host.arena_bytes))
    workspace = BufferRegion(arena, _round_up(end), "uint8", (_workspace(kernels),))
    firsts: dict[str, int] = {}
    functions: list[PlanKernel] = []
    for name, kernel in kernels.items():
        firsts[name] = len(functions)
        functions += [replace(launch.kernel, image=images[name]) for launch in kernel.launches]
    streams = transfer_streams(steps)
    copies = end > _round_up(host.arena_bytes)
    used = workspace.offset + nbytes(workspace) if nbytes(workspace) else end if copies else host.arena_bytes
    buffers = DeviceBuffers(host, steps, used)
    writer = _StepWriter(kernels, firsts, processor.functions, streams, buffers, workspace)
    return Plan(
        images=tuple(Image(f"{name}.{kernel.suffix}", architecture) for name, kernel in kernels.items()),
        kernels=tuple(functions),
        buffers=tuple(buffers.all(names)),
        steps=tuple(planned for step in steps for planned in writer.steps(step)),
        streams=max(streams.values()) + 1,
        processor=processor,
    )


@dataclass(frozen=True)
class _StepWriter:
    """Writes the steps of a plan. `firsts` are the indices of each kernel's first launch, `functions` the
    names of the processor's functions."""

    kernels: Mapping[str, DeviceKernel]
    firsts: Mapping[str, int]
    functions: Sequence[str]
    streams: Mapping[int | None, int]
    buffers: DeviceBuffers
    workspace: BufferRegion

    def steps(self, step: HostStep) -> Iterator[Step]:
        """Returns the plan's steps for a step of the step list."""
        if step.kernel in (COPY, WAIT):
            return self._transfer(step, self.streams[step.transfer])
        return iter([self._call(step)]) if step.device == CPU else self._launches(step)

    def _launches(self, step: HostStep) -> Iterator[Step]:
        regions = (*step.regions, self.workspace)
        for index, launch in enumerate(self.kernels[step.kernel].launches, self.firsts[step.kernel]):
            yield LaunchStep(index, tuple(_bind(parameter, regions) for parameter in launch.parameters))

    def _call(self, step: HostStep) -> CallStep:
        """Returns the call of a kernel on the processor."""
        reads = len(step.regions) - step.outputs
        regions = enumerate(zip(step.regions, self.buffers.offsets(step), strict=True))
        return CallStep(
            self.functions.index(step.kernel),
            tuple(
                Argument(address.buffer, address.offset, nbytes(region), "read" if index < reads else "write")
                for index, (region, address) in regions
            ),
        )

    def _transfer(self, step: HostStep, stream: int) -> Iterator[Step]:
        """Yields a copy, or the wait for it; on another stream it first waits for the main stream."""
        if step.kernel == WAIT:
            yield WaitStep(MAIN, stream)
            return
        if stream != MAIN:
            yield WaitStep(stream, MAIN)
        source, target = self.buffers.offsets(step)
        yield CopyStep(target, source, nbytes(step.regions[0]), stream)


def _workspace(kernels: Mapping[str, DeviceKernel]) -> int:
    """Returns the bytes for the workspaces of all kernels, which share one buffer."""
    return max((value.workspace_bytes for value in kernels.values()), default=0)


def _arena_index(host: HostFunction) -> int:
    """Returns the argument index of the arena, which comes after all tensors."""
    return len(host.inputs) + len(host.outputs) + len(host.weight_types)


def _round_up(nbytes: int) -> int:
    """Rounds up to the alignment of workspaces."""
    return -(-nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT


def _bind(parameter: PlanParameter, regions: Sequence[BufferRegion]) -> PlanParameter:
    """Returns a kernel's parameter with buffers of the program instead of the kernel's arguments."""
    if isinstance(parameter, PointerParameter):
        address = _inside(parameter, regions)
        return PointerParameter(address.buffer, address.offset)
    if isinstance(parameter, TensorMapParameter):
        return replace(parameter, address=_inside(parameter.address, regions))
    return parameter


def _inside(address: BufferOffset, regions: Sequence[BufferRegion]) -> BufferOffset:
    region = regions[address.buffer]
    return BufferOffset(region.argument, region.offset + address.offset)
