"""Prepares the steps of a plan: finds kernels, packs launches, and binds them again when buffers move. Steps
that the device runs without the host in between form a segment, which can be a CUDA graph."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import CudaError
from mlc.runtime.cuda.driver.graphs import Graph
from mlc.runtime.cuda.driver.image_info import inspect_image, runs_on
from mlc.runtime.cuda.driver.launches import Launch, Parameter, pointer, scalar
from mlc.runtime.cuda.driver.memory import copy_on_device
from mlc.runtime.cuda.driver.modules import Function, Module
from mlc.runtime.cuda.driver.streams import Stream
from mlc.runtime.cuda.driver.tensor_map import TensorMap
from mlc.runtime.cuda.execution.host_functions import HostCall, HostFunctions
from mlc.runtime.cuda.plan.launch_overlap import find_overlaps
from mlc.runtime.cuda.plan.parts import (
    BufferOffset,
    CallStep,
    CopyStep,
    FillStep,
    LaunchStep,
    PlanParameter,
    PointerParameter,
    ScalarParameter,
    Step,
    WaitStep,
)
from mlc.runtime.cuda.plan.plan import Plan
from mlc.runtime.errors import ExecutableError

Enqueue = Callable[[Sequence[Stream]], None]


class Segment:
    """Consecutive steps of the device; with `graph` the first run captures them in a CUDA graph."""

    def __init__(self, steps: Sequence[Enqueue], graph: bool) -> None:
        self._steps, self._use_graph = steps, graph
        self._graph: Graph | None = None
        # Whether buffers have moved since the capture.
        self.stale = False

    def run(self, main: Stream, streams: Sequence[Stream]) -> None:
        """Enqueues the steps, those of stream 0 on `main`, or their graph, captured on `streams`."""
        if not self._use_graph:
            self._enqueue([main, *streams[1:]])
            return
        if self._graph is None:
            self._graph = Graph(streams[0], lambda: self._enqueue(streams))
        elif self.stale:
            self._recapture(self._graph, streams)
        self.stale = False
        self._graph.launch(main)

    def close(self) -> None:
        """Destroys the graph."""
        if self._graph is not None:
            self._graph.close()

    def _enqueue(self, streams: Sequence[Stream]) -> None:
        """Enqueues the steps; the other streams begin after the first one and end before it continues."""
        for other in streams[1:]:
            other.wait_for(streams[0])
        for step in self._steps:
            step(streams)
        for other in streams[1:]:
            streams[0].wait_for(other)

    def _recapture(self, graph: Graph, streams: Sequence[Stream]) -> None:
        try:
            graph.recapture(streams[0], lambda: self._enqueue(streams))
        except BaseException:
            # The graph has other addresses than the steps now.
            self._graph = None
            graph.close()
            raise


# The address of an input or output before the first call.
UNKNOWN = 0


class PreparedSteps:
    """The steps of a plan, which `run` enqueues and calls; `bind` sets the addresses of the buffers."""

    def __init__(
        self,
        plan: Plan,
        code: Mapping[str, bytes],
        device: Device,
        addresses: Sequence[int],
        *,
        graph: bool,
        overlap: bool,
    ) -> None:
        """Loads the images, and links the processor's objects. `addresses` are those of the buffers, or
        UNKNOWN. With `graph` the steps between calls of the processor are CUDA graphs; with `overlap`
        launches begin before the preceding ones have ended, where their kernels can.

        Raises CudaError or ExecutableError; loaded modules are then unloaded.
        """
        self._plan, self._device, self._overlap = plan, device, overlap
        self._addresses = list(addresses)
        self._moving: dict[int, list[Callable[[int], None]]] = {}
        self._modules: list[Module] = []
        self._parts: list[Segment | HostCall] = []
        try:
            functions = self._load(code)
            self.host_functions = HostFunctions(plan.processor, code)
            self._parts = self._prepare_all(functions, graph)
        except BaseException:
            self.close()
            raise

    def bind(self, addresses: Sequence[int]) -> bool:
        """Points all steps to these buffers. Returns whether anything changed."""
        changed = False
        for index, address in enumerate(addresses):
            if address != self._addresses[index]:
                changed = True
                # Unknown if a move fails.
                self._addresses[index] = UNKNOWN
                for move in self._moving.get(index, ()):
                    move(address)
                self._addresses[index] = address
        for part in self._parts:
            if changed and isinstance(part, Segment):
                part.stale = True
        return changed

    def run(self, main: Stream, streams: Sequence[Stream]) -> None:
        """Enqueues all steps, those of stream 0 on `main`; the processor's calls wait for what precedes them,
        and have returned."""
        for part in self._parts:
            part.run(main, streams)

    def close(self) -> None:
        """Destroys the graphs and unloads the images."""
        for part in (*self._parts, *self._modules):
            part.close()

    def _load(self, images: Mapping[str, bytes]) -> list[Function]:
        architecture = self._device.properties.architecture
        for image in self._plan.images:
            if image.name not in images:
                raise ExecutableError(f"the image {image.name} is missing")
            name = f"the image {image.name}"
            info = inspect_image(images[image.name], name)
            declared = type(info)(info.format, image.architecture, info.ptx_version)
            if not runs_on(declared, architecture):
                raise CudaError(
                    f"{name} is {info.format} for {image.architecture}, "
                    f"{self._device} is {architecture}: compile for cuda:{architecture}"
                )
            self._modules.append(Module(self._device, images[image.name], name))
        return [self._modules[kernel.image].function(kernel.function) for kernel in self._plan.kernels]

    def _prepare_all(self, functions: list[Function], graph: bool) -> list[Segment | HostCall]:
        parts: list[Segment | HostCall] = []
        for on_host, steps in groupby(self._plan.steps, key=lambda step: isinstance(step, CallStep)):
            if on_host:
                calls = [step for step in steps if isinstance(step, CallStep)]
                parts += [self.host_functions.call(step, self._addresses) for step in calls]
            else:
                parts.append(Segment(self._prepare_segment(list(steps), functions), graph))
        return parts

    def _prepare_segment(self, steps: list[Step], functions: list[Function]) -> list[Enqueue]:
        overlaps = find_overlaps(steps, self._plan.kernels) if self._overlap else [False] * len(steps)
        return [self._prepare(step, functions, early) for step, early in zip(steps, overlaps, strict=True)]

    def _prepare(self, step: Step, functions: list[Function], early: bool) -> Enqueue:
        match step:
            case LaunchStep():
                return self._launch(step, functions[step.kernel], early)
            case CopyStep():
                return self._copy(step)
            case FillStep():
                return lambda streams: self._fill(step, streams[step.stream])
            case WaitStep():
                return lambda streams: streams[step.stream].wait_for(streams[step.other])
            case CallStep():
                raise AssertionError("calls are no steps of the device")

    def _launch(self, step: LaunchStep, function: Function, early: bool) -> Enqueue:
        kernel = self._plan.kernels[step.kernel]
        launch = Launch(
            function,
            kernel.grid,
            kernel.block,
            [self._parameter(parameter) for parameter in step.parameters],
            cluster=kernel.cluster,
            shared_bytes=kernel.shared_bytes,
            overlaps=early,
        )
        return lambda streams: launch.enqueue(streams[step.stream])

    def _parameter(self, parameter: PlanParameter) -> Parameter:
        if isinstance(parameter, ScalarParameter):
            return scalar(parameter.type, parameter.value)
        if isinstance(parameter, PointerParameter):
            value = pointer(self._address(parameter))
            self._on_move(parameter, lambda address: _set(value, address + parameter.offset))
            return value
        start = parameter.address
        known = self._addresses[start.buffer] != UNKNOWN
        made = TensorMap(self._device, parameter.map, self._address(start) if known else None)
        self._on_move(start, lambda address: made.encode(address + start.offset))
        return made

    def _on_move(self, start: BufferOffset, move: Callable[[int], None]) -> None:
        self._moving.setdefault(start.buffer, []).append(move)

    def _copy(self, step: CopyStep) -> Enqueue:
        spaces = tuple(self._plan.buffers[end.buffer].space for end in (step.source, step.target))
        if spaces == ("device", "device"):
            return lambda streams: copy_on_device(
                self._device,
                self._address(step.target),
                self._address(step.source),
                step.nbytes,
                streams[step.stream],
            )
        name = "cuMemcpyHtoDAsync_v2" if spaces[0] == "host" else "cuMemcpyDtoHAsync_v2"
        return lambda streams: self._cross(name, step, streams[step.stream])

    def _cross(self, name: str, step: CopyStep, stream: Stream) -> None:
        """Copies between the spaces. Host buffers are pinned and live as long as the program."""
        if step.nbytes:
            addresses = self._address(step.target), self._address(step.source)
            doing = f"copy {step.nbytes} bytes between the host and {self._device}"
            self._device.call(name, *addresses, step.nbytes, stream.handle, doing=doing)

    def _fill(self, step: FillStep, stream: Stream) -> None:
        if step.nbytes:
            arguments = (self._address(step.target), step.byte, step.nbytes, stream.handle)
            doing = f"fill {step.nbytes} bytes on {self._device}"
            self._device.call("cuMemsetD8Async", *arguments, doing=doing)

    def _address(self, start: BufferOffset) -> int:
        return self._addresses[start.buffer] + start.offset


def _set(value: ctypes.c_uint64, address: int) -> None:
    value.value = address
