"""Runs a plan on a device. An executable's plan is loaded by its first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, Self

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import CudaError
from mlc.runtime.cuda.driver.streams import Event, Stream
from mlc.runtime.cuda.execution.call_binding import CallBinding, Results, in_order
from mlc.runtime.cuda.execution.prepared_steps import PreparedSteps
from mlc.runtime.cuda.execution.program_memory import ProgramMemory
from mlc.runtime.cuda.plan.launch_overlap import can_overlap
from mlc.runtime.cuda.plan.plan import Plan
from mlc.runtime.tensors import TensorSpec


class PlannedProgram:
    """A plan with its code and weights, which needs a device only when it is called."""

    def __init__(self, plan: Plan, images: Sequence[Any], weights: Mapping[str, Any]) -> None:
        """`images` are in the order of the plan's, followed by the processor's objects."""
        self._threads = 1
        self._plan, self._weights = plan, weights
        self._images = {name: bytes(data) for name, data in zip(plan.code_files, images, strict=True)}
        self._program: Program | None = None
        self._lock = Lock()

    @property
    def threads(self) -> int:
        """Threads that functions of the processor use; the rest of a call uses one."""
        return self._threads

    @threads.setter
    def threads(self, count: int) -> None:
        self._threads = count
        if self._program is not None:
            self._program.threads = count

    def program(self) -> Program:
        """Returns the program on device 0, loaded once. Raises CudaError, ExecutableError."""
        with self._lock:
            if self._program is None:
                self._program = Program(self._plan, self._images, self._weights, threads=self._threads)
            return self._program

    def call(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]:
        """Runs the plan. Raises TypeError or ValueError naming the input or output, CudaError."""
        return self.program()(*inputs, out=outputs)


class Program:
    """A plan with its code and weights on a device. Calls from several threads are serialised."""

    def __init__(
        self,
        plan: Plan,
        images: Mapping[str, bytes],
        weights: Mapping[str, Any],
        *,
        device: Device | int = 0,
        graph: bool = True,
        overlap: bool = True,
        threads: int = 1,
    ) -> None:
        """Loads the images, links the processor's objects, allocates the arena and uploads the weights.

        `weights` are NumPy arrays or buffers of the right size, or tensors on the device, which are kept
        and not copied. With `graph` the steps between calls of the processor, whose functions use `threads`
        threads, are captured in CUDA graphs. With `overlap` kernels that support it begin before the
        preceding ones have ended, if device and driver support it too. Raises ExecutableError if the parts do
        not fit together, CudaError if the device refuses them; nothing stays allocated then."""
        self.plan = plan
        self._memory: ProgramMemory | None = None
        self._steps: PreparedSteps | None = None
        self._streams: list[Stream] = []
        self._running: list[tuple[Event, list[object]]] = []
        self._lock = Lock()
        # A device that is made here ends with the last tensor on it, which may outlive the program.
        self.device = Device(device) if isinstance(device, int) else device
        try:
            with self.device.current():
                self._streams = [Stream(self.device) for _ in range(plan.streams)]
                self._memory = ProgramMemory(plan, weights, self.device, self._streams[0])
                addresses, early = self._memory.addresses, overlap and can_overlap(self.device)
                self._steps = PreparedSteps(plan, images, self.device, addresses, graph=graph, overlap=early)
            self.threads = threads
        except BaseException:
            self.close()
            raise

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """Names, dtypes and shapes of the inputs."""
        return tuple(value.spec for value in self.plan.tensors("input").values())

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """Names, dtypes and shapes of the outputs."""
        return tuple(value.spec for value in self.plan.tensors("output").values())

    @property
    def threads(self) -> int:
        """Threads that functions of the processor use. Raises CudaError for a program that was closed."""
        return self._open()[1].host_functions.threads

    @threads.setter
    def threads(self, count: int) -> None:
        self._open()[1].host_functions.threads = count

    def __call__(
        self, *inputs: Any, out: Any = None, results: Results = "numpy", stream: int | None = None
    ) -> list[Any]:
        """Runs the plan and returns its outputs, in order.

        Inputs come in order or as one mapping by name: tensors on the device (DLPack) are used in place,
        anything else is copied there. `out`, a sequence or a mapping by name, gives tensors on the device or
        NumPy arrays for the outputs; otherwise they are new NumPy arrays, or with results="device" new
        `Tensor`s.

        Without `stream` the call returns when the results are complete. With one, a CUstream as an integer,
        the work is enqueued there and the call returns at once, if there is nothing to copy to the host; if
        parts of the plan run on the processor, after the last of these.
        Raises TypeError or ValueError naming the input or output, CudaError if a kernel failed.
        """
        given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], Mapping) else inputs
        values = in_order(self.plan.tensors("input"), given, "inputs")
        targets = None if out is None else in_order(self.plan.tensors("output"), out, "outputs")
        with self._lock:
            memory, steps = self._open()
            with self.device.current():
                return self._run(memory, steps, (tuple(values), targets, results), stream)

    def close(self) -> None:
        """Waits for running calls and frees everything. Later calls do nothing."""
        with self._lock:
            with suppress(CudaError):
                self._wait()
            for resource in (self._steps, self._memory, *self._streams):
                if resource is not None:
                    with suppress(CudaError):
                        resource.close()
            self._steps = self._memory = None
            self._streams = []

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _open(self) -> tuple[ProgramMemory, PreparedSteps]:
        if self._memory is None or self._steps is None or not self._streams:
            raise CudaError("this program was closed")
        return self._memory, self._steps

    def _run(
        self,
        memory: ProgramMemory,
        steps: PreparedSteps,
        call: tuple[tuple[Any, ...], list[Any] | None, Results],
        stream: int | None,
    ) -> list[Any]:
        main = self._streams[0] if stream is None else Stream(self.device, stream)
        self._follow(main)
        binding = CallBinding(self.plan, memory, self.device, main, asynchronous=stream is not None)
        try:
            binding.inputs(call[0])
            binding.outputs(*call[1:])
            steps.bind(binding.addresses)
            steps.run(main, self._streams)
            binding.fetch()
            if stream is None or binding.waits:
                main.synchronize()
            else:
                self._keep(main, binding.kept)
        except BaseException:
            # Enqueued work may still use the caller's memory.
            with suppress(CudaError):
                main.synchronize()
            raise
        return binding.results

    def _follow(self, main: Stream) -> None:
        """Makes a call begin after the previous one, since all share one arena."""
        while self._running and self._running[0][0].has_happened():
            self._running.pop(0)[0].close()
        if self._running:
            main.wait(self._running[-1][0])
        if any(buffer.space == "host" for buffer in self.plan.buffers):
            self._wait()

    def _keep(self, main: Stream, kept: list[object]) -> None:
        event = Event(self.device)
        main.record(event)
        self._running.append((event, kept))

    def _wait(self) -> None:
        for event, _ in self._running:
            event.synchronize()
            event.close()
        self._running.clear()
