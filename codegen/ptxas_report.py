"""What `ptxas -v` says about the kernels that it assembled."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_KERNEL = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_USED = re.compile(r"Used (\d+) registers")
_BARRIERS = re.compile(r"used (\d+) barriers")
_SHARED = re.compile(r"(\d+) bytes smem")
# Losses of performance are "info" lines with a code (C7510: wgmma is serialised).
_WARNING = re.compile(r"ptxas(?: \S+, line \d+;)?\s+(?:warning\s*:\s*(.+)|info\s*:\s*(\(C\d+\).+))")


@dataclass(frozen=True)
class KernelResources:
    """What one kernel needs on one GPU ("sm_90a"): registers per thread, hardware barriers, and bytes of
    static shared memory per block, of stack and of spilled registers per thread."""

    name: str
    arch: str
    registers: int = 0
    barriers: int = 0
    shared_bytes: int = 0
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0


@dataclass(frozen=True)
class PtxasReport:
    """The kernels in the order of the file, and all warnings and announced losses of performance."""

    kernels: tuple[KernelResources, ...]
    warnings: tuple[str, ...]


def parse_report(text: str) -> PtxasReport:
    """The report in the output of `ptxas -v`; lines of other kinds are passed over."""
    kernels: list[KernelResources] = []
    warnings: list[str] = []
    function = ""
    for line in text.splitlines():
        if warning := _WARNING.match(line.strip()):
            warnings.append(warning[1] or warning[2])
        elif kernel := _KERNEL.search(line):
            kernels.append(KernelResources(kernel[1], kernel[2]))
        elif properties := _PROPERTIES.search(line):
            function = properties[1]
        elif kernels:
            kernels[-1] = _with_line(kernels[-1], line, function)
    return PtxasReport(tuple(kernels), tuple(warnings))


def _with_line(kernel: KernelResources, line: str, function: str) -> KernelResources:
    """`kernel` with what a line says of it; functions that it calls have stack frames of their own."""
    if (spills := _SPILLS.search(line)) and function == kernel.name:
        stack, stores, loads = map(int, spills.groups())
        return replace(kernel, stack_bytes=stack, spill_store_bytes=stores, spill_load_bytes=loads)
    if used := _USED.search(line):
        barriers, shared = _BARRIERS.search(line), _SHARED.search(line)
        return replace(
            kernel,
            registers=int(used[1]),
            barriers=int(barriers[1]) if barriers else 0,
            shared_bytes=int(shared[1]) if shared else 0,
        )
    return kernel
