"""A plan as an executable calls it: loaded by the first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from mlc.runtime.cuda.execution.program import Program
from mlc.runtime.cuda.plan.plan import Plan


class PlannedProgram:
    """A plan with its code and weights, which need a device only when they are called."""

    def __init__(self, plan: Plan, images: Sequence[Any], weights: Mapping[str, Any]) -> None:
        """`images` are in the order of the plan's, and the processor's objects behind them."""
        self._threads = 1
        self._plan, self._weights = plan, weights
        self._images = {name: bytes(data) for name, data in zip(plan.code_files, images, strict=True)}
        self._program: Program | None = None
        self._lock = Lock()

    @property
    def threads(self) -> int:
        """How many threads the functions of the processor use; all else of a call is one thread's."""
        return self._threads

    @threads.setter
    def threads(self, count: int) -> None:
        self._threads = count
        if self._program is not None:
            self._program.threads = count

    def program(self) -> Program:
        """The program on device 0, loaded once. Raises CudaError, ExecutableError."""
        with self._lock:
            if self._program is None:
                self._program = Program(self._plan, self._images, self._weights, threads=self._threads)
            return self._program

    def call(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]:
        """Runs the plan. Raises TypeError or ValueError naming the input or output, CudaError."""
        return self.program()(*inputs, out=outputs)
