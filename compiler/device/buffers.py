"""The buffers of a GPU program's plan, some of them on the host where the processor computes parts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.host_program.step_list import COPY, WAIT, BufferRegion, HostStep
from mlc.passes.common.kernel_functions import CPU, GPU
from mlc.runtime.cuda.plan.parts import ArenaBuffer, Buffer, BufferOffset, Space, TensorBuffer
from mlc.runtime.tensors import TensorSpec

# Bytes: what the memory planner aligns buffers to.
_ALIGNMENT = 64


def spaces_of(step: HostStep) -> tuple[Space, ...]:
    """Returns the memory space of each region of a step."""
    if step.kernel == COPY:
        spaces: dict[str, tuple[Space, Space]] = {CPU: ("device", "host"), GPU: ("host", "device")}
        return spaces.get(step.device, ("device", "device"))
    return ("host" if step.device == CPU else "device",) * len(step.regions)


class DeviceBuffers:
    """The buffers in the order of the host function's arguments, with weights on the host where only the
    processor reads them. After them come host buffers: memory for intermediate values of the processor, and
    copies of the weights that the device reads too."""

    def __init__(self, host: HostFunction, steps: Sequence[HostStep], arena_bytes: int) -> None:
        """Plans the buffers of `steps`; `arena_bytes` are those of the device."""
        self._host, self._arena_bytes = host, arena_bytes
        self._first_weight = len(host.inputs) + len(host.outputs)
        self._arena = self._first_weight + len(host.weight_types)
        used = [
            (region, space)
            for step in steps
            if step.kernel != WAIT
            for region, space in zip(step.regions, spaces_of(step), strict=True)
        ]
        on_host = [region for region, space in used if space == "host"]
        self._memory = _Packed([region for region in on_host if region.argument == self._arena])
        both = {region.argument for region, space in used if space == "device"}
        weights = sorted({region.argument for region in on_host} - {self._arena})
        self._on_host = {weight for weight in weights if weight not in both}
        twice = [weight for weight in weights if weight in both]
        self._copies = {weight: self._arena + 2 + index for index, weight in enumerate(twice)}

    def all(self, names: Mapping[str, Sequence[str]]) -> Iterator[Buffer]:
        """Yields all buffers; `names` are those of the tensors by role."""
        host = self._host
        infos = {"input": host.inputs, "output": host.outputs, "weight": host.weight_types}
        tensors = [
            _tensor(role, name, info)
            for role in ("input", "output", "weight")
            for name, info in zip(names[role], infos[role], strict=True)
        ]
        for index, tensor in enumerate(tensors):
            yield _on_host(tensor) if index in self._on_host else tensor
        yield ArenaBuffer(self._arena_bytes)
        if self._memory.nbytes or self._copies:
            yield ArenaBuffer(self._memory.nbytes, "host")
        for index in self._copies:
            yield _on_host(tensors[index])

    def offsets(self, step: HostStep) -> list[BufferOffset]:
        """Returns the buffers and offsets of a step's regions."""
        return [
            self._offset(region, space) for region, space in zip(step.regions, spaces_of(step), strict=True)
        ]

    def _offset(self, region: BufferRegion, space: Space) -> BufferOffset:
        if space == "host" and region.argument == self._arena:
            return BufferOffset(self._arena + 1, self._memory.offset(region))
        buffer = self._copies.get(region.argument, region.argument) if space == "host" else region.argument
        return BufferOffset(buffer, region.offset)


def nbytes(region: BufferRegion) -> int:
    """Returns the bytes of a region."""
    return prod(region.shape) * TensorSpec("", region.dtype, ()).nbytes


def _tensor(role: str, name: str, info: TensorInfo) -> TensorBuffer:
    return TensorBuffer(role, name, info.dtype, info.spec().sizes)  # type: ignore[arg-type]


def _on_host(tensor: TensorBuffer) -> TensorBuffer:
    return TensorBuffer(tensor.role, tensor.name, tensor.dtype, tensor.shape, "host")


class _Packed:
    """Host regions of the arena packed without gaps: the planner mixes them with those of the device.
    Overlaps and alignments are kept."""

    def __init__(self, regions: Sequence[BufferRegion]) -> None:
        self._begins: list[int] = []
        self._moved: list[int] = []
        end = self.nbytes = 0
        for begin, region_end in sorted(
            (region.offset, region.offset + nbytes(region)) for region in regions
        ):
            if not self._begins or begin > end:
                self._begins.append(begin)
                self._moved.append(-(-self.nbytes // _ALIGNMENT) * _ALIGNMENT + begin % _ALIGNMENT)
            end = max(end, region_end)
            self.nbytes = self._moved[-1] + end - self._begins[-1]

    def offset(self, region: BufferRegion) -> int:
        """Returns the offset of a region in the packed memory."""
        index = bisect_right(self._begins, region.offset) - 1
        return self._moved[index] + region.offset - self._begins[index]
