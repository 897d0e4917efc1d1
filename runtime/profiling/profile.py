"""Profiles: the time of calls in each kernel, and in the host program around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Peaks:
    """The rates that the threads of a call reach together on this machine: multiply-adds of f32, in 1e9
    operations per second, and reads of memory, in 1e9 bytes per second."""

    gflops: float
    gb_per_second: float


@dataclass(frozen=True)
class KernelProfile:
    """The launches of a kernel in all profiled calls: their count and their seconds.

    `flops` and `moved_bytes` (operands and results, each once) are those of all launches, None if they are
    not known; `dtype` is the element type that the kernel computes with; `nodes` are the ONNX nodes of all
    its launches."""

    kernel: str
    launches: int
    seconds: float
    flops: int | None
    moved_bytes: int | None
    dtype: str
    schedule: str
    nodes: tuple[str, ...]

    @property
    def gflops(self) -> float | None:
        """1e9 floating-point operations per second."""
        return None if self.flops is None or not self.seconds else self.flops / self.seconds / 1e9

    @property
    def gb_per_second(self) -> float | None:
        """1e9 moved bytes per second."""
        return None if self.moved_bytes is None or not self.seconds else self.moved_bytes / self.seconds / 1e9


@dataclass(frozen=True)
class Profile:
    """The time of `calls` calls, the faster half of `of_calls`, on `threads` threads, `seconds` in total, by
    kernel, the longest first.

    The slower half is left out since other processes may have interrupted it. `sizes` are those of the
    specialised program that ran, None for the general one. `str()` is a table."""

    calls: int
    of_calls: int
    threads: int
    seconds: float
    kernels: tuple[KernelProfile, ...]
    sizes: Mapping[str, int] | None = None
    peaks: Peaks | None = None

    @property
    def kernel_seconds(self) -> float:
        """The time in kernels."""
        return sum(kernel.seconds for kernel in self.kernels)

    @property
    def host_seconds(self) -> float:
        """The time outside of kernels: that of the call itself and of the host program, with its copies,
        checks, and functions on strings and sequences."""
        return self.seconds - self.kernel_seconds

    def share(self, seconds: float) -> float:
        """Returns the share of all calls' time, from 0 to 1."""
        return seconds / self.seconds if self.seconds else 0.0

    def ms(self, seconds: float) -> float:
        """Returns the milliseconds of one call, on average."""
        return seconds / self.calls * 1e3

    def gflops_of_peak(self, kernel: KernelProfile) -> float | None:
        """Returns the share of the machine's peak that a kernel on f32 reaches; None for others."""
        if self.peaks is None or kernel.gflops is None or kernel.dtype != "float32":
            return None
        return kernel.gflops / self.peaks.gflops

    def gb_of_peak(self, kernel: KernelProfile) -> float | None:
        """Returns the share of the memory's bandwidth, which exceeds 1 if the data was in a cache."""
        if self.peaks is None or kernel.gb_per_second is None:
            return None
        return kernel.gb_per_second / self.peaks.gb_per_second

    def to_json(self) -> dict[str, Any]:
        """Returns the profile as JSON data. Times and launches are those of one call, on average."""
        peaks = self.peaks
        return {
            "calls": self.calls,
            "of_calls": self.of_calls,
            "threads": self.threads,
            "sizes": None if self.sizes is None else dict(self.sizes),
            "call_ms": self.ms(self.seconds),
            "kernels_ms": self.ms(self.kernel_seconds),
            "host_ms": self.ms(self.host_seconds),
            "peaks": peaks and {"gflops": peaks.gflops, "gb_per_second": peaks.gb_per_second},
            "kernels": [self._kernel_json(kernel) for kernel in self.kernels],
        }

    def _kernel_json(self, kernel: KernelProfile) -> dict[str, Any]:
        return {
            "kernel": kernel.kernel,
            "launches": kernel.launches / self.calls,
            "ms": self.ms(kernel.seconds),
            "share": self.share(kernel.seconds),
            "gflops": kernel.gflops,
            "gflops_of_peak": self.gflops_of_peak(kernel),
            "gb_per_second": kernel.gb_per_second,
            "gb_of_peak": self.gb_of_peak(kernel),
            "dtype": kernel.dtype,
            "schedule": kernel.schedule,
            "nodes": list(kernel.nodes),
        }

    def __str__(self) -> str:
        from mlc.runtime.profiling.table import format_profile

        return format_profile(self)
