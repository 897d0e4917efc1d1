"""Runs NVIDIA's assembler, from PTX to the code of one GPU (cubin), and parses the output of `ptxas -v`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from mlc.codegen.errors import CodegenError

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
    """The resources of one kernel on one GPU ("sm_90a"): registers per thread, hardware barriers, and bytes
    of static shared memory per block, of stack and of spilled registers per thread."""

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
    """The kernels in the order of the file, and all warnings and performance remarks."""

    kernels: tuple[KernelResources, ...]
    warnings: tuple[str, ...]


def parse_report(text: str) -> PtxasReport:
    """Parses the output of `ptxas -v`; other lines are ignored."""
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
    """Returns `kernel` with the resources in a line, unless `function`, which it calls, has them."""
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


_TOOLKIT_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_DEFAULT_TOOLKIT = "/usr/local/cuda"


def find_ptxas() -> str | None:
    """Returns the path of ptxas: on $PATH, in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, or triton's wheel."""
    return find_tool("ptxas")


def find_tool(name: str) -> str | None:
    """Returns the path of one of CUDA's programs, searched like ptxas. Nothing of triton is imported."""
    toolkits = [os.environ[name] for name in _TOOLKIT_VARIABLES if os.environ.get(name)]
    folders = [Path(toolkit, "bin") for toolkit in (*toolkits, _DEFAULT_TOOLKIT)]
    spec = find_spec("triton")
    packages = (spec.submodule_search_locations or []) if spec else []
    folders += [Path(package, "backends/nvidia/bin") for package in packages]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, folders)))


def assemble_ptx(ptx: bytes, arch: str, optimize: int = 3) -> bytes:
    """Returns the cubin of `ptx` for `arch` ("sm_90a"), at ptxas's level 0 to 3.

    Raises CodegenError with ptxas's messages, or with the folders that were searched for ptxas.
    """
    return _assemble(ptx, arch, optimize)[0]


def assemble_with_report(ptx: bytes, arch: str, optimize: int = 3) -> tuple[bytes, PtxasReport]:
    """Returns the cubin as `assemble_ptx` does, and the report of ptxas. Raises CodegenError."""
    cubin, output = _assemble(ptx, arch, optimize, "-v")
    return cubin, parse_report(output)


def _assemble(ptx: bytes, arch: str, optimize: int, *options: str) -> tuple[bytes, str]:
    """Returns the cubin, and the output of ptxas."""
    program = find_ptxas()
    if program is None:
        raise CodegenError(
            "ptxas, NVIDIA's assembler, was not found",
            (
                f"looked on PATH, in CUDA_HOME, CUDA_PATH, {_DEFAULT_TOOLKIT} and triton; "
                "--mlir-to-ptx needs none",
            ),
        )
    with tempfile.TemporaryDirectory(prefix="mlc-ptxas-") as folder:
        source, result = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_bytes(ptx)
        command = [program, *options, f"-arch={arch}", f"-O{optimize}", source.name, "-o", result.name]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
            )
        except OSError as error:
            raise CodegenError(f"{program} cannot be run: {error.strerror}") from error
        output = done.stdout + done.stderr
        if done.returncode != 0:
            messages = output.strip().splitlines()
            raise CodegenError(f"ptxas failed with status {done.returncode}", tuple(messages))
        return result.read_bytes(), output
