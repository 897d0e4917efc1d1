"""The plan of a GPU program: what its host function does, as data that the CUDA runtime runs.

Launches on a GPU take parts of tensors that begin anywhere by way of copies that begin where they must.

Streams for the transfers of a GPU's program that run beside its kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mlc.compiler.device.buffers import DeviceBuffers, nbytes
from mlc.compiler.device.kernel import DeviceKernel
from mlc.compiler.device.launches import WORKSPACE_ALIGNMENT
from mlc.compiler.host_program.host_function import HostFunction
from mlc.compiler.host_program.step_list import COPY, WAIT, BufferRegion, HostStep, Tape
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
    """The stream of each transfer by its number: the lowest that no transfer under way has. Where all streams
    are taken the last one is shared, and who waits for one of its transfers waits for all. What has no number
    is on the main stream."""
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
    """The steps, with copies around launches whose operands do not begin at multiples of 16 bytes; and where
    the memory of these copies ends, which begins at byte `begin` of argument number `arena`. All launches
    share it."""
    made: list[HostStep] = []
    end = begin
    for step in steps:
        if step.device == CPU or step.kernel in (COPY, WAIT):
            made.append(step)
            continue
        moved, last = _moved(step, arena, begin)
        end = max(end, last)
        made += _around(step, moved)
    return made, end


def _moved(step: HostStep, arena: int, begin: int) -> tuple[list[BufferRegion], int]:
    """The regions, those that begin elsewhere one behind the other from `begin` on, and where these end."""
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
    tape: Tape,
    kernels: Mapping[str, DeviceKernel],
    names: Mapping[str, Sequence[str]],
    processor: Processor = NO_CODE,
) -> Plan:
    """The plan of the host function whose steps are `tape`; image number i is that of the i-th kernel.
    Kernels on the processor are functions of `processor`.

    `names` are those of the buffers by role ("input", "output", "weight"). Transfers that run beside kernels
    have streams of their own. Raises ExecutableError for what no plan can say.
    """
    numbers = {name: index for index, name in enumerate(kernels)}
    # Kernels run one after the other, on the main stream.
    arena = _arena_number(host)
    steps, end = aligned_steps(tape.steps, arena, _rounded(host.arena_bytes))
    workspace = BufferRegion(arena, _rounded(end), "uint8", (_workspace(kernels),))
    firsts: dict[str, int] = {}
    functions: list[PlanKernel] = []
    for name, kernel in kernels.items():
        firsts[name] = len(functions)
        functions += [replace(launch.kernel, image=numbers[name]) for launch in kernel.launches]
    streams = transfer_streams(steps)
    copies = end > _rounded(host.arena_bytes)
    used = workspace.offset + nbytes(workspace) if nbytes(workspace) else end if copies else host.arena_bytes
    buffers = DeviceBuffers(host, steps, used)
    writer = _StepWriter(kernels, firsts, processor.functions, streams, buffers, workspace)
    return Plan(
        images=tuple(Image(f"{name}.{each.suffix}", architecture) for name, each in kernels.items()),
        kernels=tuple(functions),
        buffers=tuple(buffers.all(names)),
        steps=tuple(each for step in steps for each in writer.steps(step)),
        streams=max(streams.values()) + 1,
        processor=processor,
    )


@dataclass(frozen=True)
class _StepWriter:
    """`firsts` are the numbers of each kernel's first launch, `functions` those of the processor."""

    kernels: Mapping[str, DeviceKernel]
    firsts: Mapping[str, int]
    functions: Sequence[str]
    streams: Mapping[int | None, int]
    buffers: DeviceBuffers
    workspace: BufferRegion

    def steps(self, step: HostStep) -> Iterator[Step]:
        """What the plan has for a step of the tape."""
        if step.kernel in (COPY, WAIT):
            return self._transfer(step, self.streams[step.transfer])
        return iter([self._call(step)]) if step.device == CPU else self._launches(step)

    def _launches(self, step: HostStep) -> Iterator[Step]:
        regions = (*step.regions, self.workspace)
        for number, launch in enumerate(self.kernels[step.kernel].launches, self.firsts[step.kernel]):
            yield LaunchStep(number, tuple(_bound(parameter, regions) for parameter in launch.parameters))

    def _call(self, step: HostStep) -> CallStep:
        """A kernel on the processor."""
        reads = len(step.regions) - step.outputs
        regions = enumerate(zip(step.regions, self.buffers.places(step), strict=True))
        return CallStep(
            self.functions.index(step.kernel),
            tuple(
                Argument(place.buffer, place.offset, nbytes(region), "read" if number < reads else "write")
                for number, (region, place) in regions
            ),
        )

    def _transfer(self, step: HostStep, stream: int) -> Iterator[Step]:
        """A copy; beside the main stream it begins when what precedes it there is done. Or the wait for
        it."""
        if step.kernel == WAIT:
            yield WaitStep(MAIN, stream)
            return
        if stream != MAIN:
            yield WaitStep(stream, MAIN)
        source, target = self.buffers.places(step)
        yield CopyStep(target, source, nbytes(step.regions[0]), stream)


def _workspace(kernels: Mapping[str, DeviceKernel]) -> int:
    """Bytes for the workspaces of all kernels, which have the same place."""
    return max((value.workspace_bytes for value in kernels.values()), default=0)


def _arena_number(host: HostFunction) -> int:
    """The arena comes behind all tensors."""
    return len(host.inputs) + len(host.outputs) + len(host.weight_types)


def _rounded(nbytes: int) -> int:
    """To where a workspace may begin."""
    return -(-nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT


def _bound(parameter: PlanParameter, regions: Sequence[BufferRegion]) -> PlanParameter:
    """A kernel's parameter with buffers of the program in the place of the kernel's arguments."""
    if isinstance(parameter, PointerParameter):
        place = _inside(parameter, regions)
        return PointerParameter(place.buffer, place.offset)
    if isinstance(parameter, TensorMapParameter):
        return replace(parameter, place=_inside(parameter.place, regions))
    return parameter


def _inside(place: BufferOffset, regions: Sequence[BufferRegion]) -> BufferOffset:
    region = regions[place.buffer]
    return BufferOffset(region.argument, region.offset + place.offset)
