"""Profiles calls of a program: by a second image of its code, in which launches of kernels are measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from mlc.runtime.errors import ExecutableError
from mlc.runtime.linking import link_measured
from mlc.runtime.manifest import LAUNCHED, Manifest
from mlc.runtime.profiling.formula import evaluate
from mlc.runtime.profiling.profile import KernelProfile, Profile

if TYPE_CHECKING:
    from mlc.runtime.container import Buffer

# Runs the program once by a function such as `Program.call`.
Run = Callable[[Callable[..., list[Any]]], object]
# Launches of a kernel with the same dims: its index, the dims, their count, their nanoseconds.
Launches = tuple[int, tuple[int, ...], int, int]
# The same of all calls, by kernel and dims.
Totals = dict[tuple[int, tuple[int, ...]], tuple[int, int]]


class Profiler:
    """A program that measures its kernels. Raises ExecutableError where the manifest does not describe them,
    and for programs of GPUs."""

    def __init__(
        self, manifest: Manifest, objects: Sequence[Buffer], weights: Mapping[str, Any], origin: str
    ) -> None:
        if manifest.plan is not None:
            raise ExecutableError(f"{origin}: profiles of programs of GPUs are not supported")
        if LAUNCHED not in manifest.report:
            raise ExecutableError(
                f"{origin}: made by an earlier version of mlc, the program does not list its kernels;"
                " compile the model again"
            )
        self._kernels = manifest.report[LAUNCHED]
        measured = tuple((entry["kernel"], entry.get("dims", 0)) for entry in self._kernels)
        self._program = link_measured(manifest, objects, weights, origin, measured)

    def run(self, run: Run, threads: int, calls: int | None, seconds: float, warmup: int) -> Profile:
        """Profiles the faster half of `calls` calls, or else of as many as take about `seconds`, after
        `warmup` others."""
        self._program.threads = threads
        for _ in range(warmup):
            run(self._program.call)
        done: list[tuple[int, list[Launches]]] = []
        end = time.perf_counter() + seconds
        while len(done) < calls if calls is not None else not done or time.perf_counter() < end:
            done.append(self._call(run))
        fastest = sorted(done, key=lambda call: call[0])[: (len(done) + 1) // 2]
        elapsed = sum(nanoseconds for nanoseconds, _ in fastest)
        kernels = self._kernel_profiles([launches for _, launches in fastest])
        return Profile(len(fastest), len(done), threads, elapsed / 1e9, kernels)

    def _call(self, run: Run) -> tuple[int, list[Launches]]:
        """Returns the nanoseconds of a call, and its launches."""
        found: list[Launches] = []

        def call(*arguments: Any) -> list[Any]:
            """Runs the program as `Program.call`."""
            outputs, launches = self._program.profile(*arguments)
            found.extend(launches)
            return outputs

        start = time.perf_counter_ns()
        run(call)
        return time.perf_counter_ns() - start, found

    def _kernel_profiles(self, calls: Sequence[Sequence[Launches]]) -> tuple[KernelProfile, ...]:
        """Returns the kernels that the calls launched, the longest first."""
        totals: Totals = {}
        for kernel, dims, count, nanoseconds in chain.from_iterable(calls):
            before = totals.get((kernel, dims), (0, 0))
            totals[kernel, dims] = before[0] + count, before[1] + nanoseconds
        launched = [self._kernel(index, totals) for index in sorted({kernel for kernel, _ in totals})]
        return tuple(sorted(launched, key=lambda kernel: -kernel.seconds))

    def _kernel(self, index: int, totals: Totals) -> KernelProfile:
        entry = self._kernels[index]
        own = {dims: total for (kernel, dims), total in totals.items() if kernel == index}
        return KernelProfile(
            entry["kernel"],
            sum(count for count, _ in own.values()),
            sum(nanoseconds for _, nanoseconds in own.values()) / 1e9,
            _sum_over_launches(entry, "flops", own),
            _sum_over_launches(entry, "bytes", own),
            entry["dtype"],
            entry["schedule"],
            tuple(entry["nodes"]),
        )


def _sum_over_launches(
    entry: Mapping[str, Any], key: str, totals: Mapping[tuple[int, ...], tuple[int, int]]
) -> int | None:
    """Returns the sum of a formula over all launches of a kernel, None if it is not known."""
    # Launches with dims beyond those that the runtime records have none.
    if key not in entry or not all(len(dims) == entry.get("dims", 0) for dims in totals):
        return None
    return sum(count * evaluate(entry[key], dims) for dims, (count, _) in totals.items())
