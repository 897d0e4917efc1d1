"""NVIDIA's assembler, from PTX to the code of one GPU (cubin), where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from mlc.codegen.errors import CodegenError
from mlc.codegen.ptxas_report import PtxasReport, parse_report

_TOOLKIT_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_DEFAULT_TOOLKIT = "/usr/local/cuda"


def find_ptxas() -> str | None:
    """The path of ptxas: on $PATH, in $CUDA_HOME or $CUDA_PATH, in /usr/local/cuda, or in triton's wheel."""
    return find_tool("ptxas")


def find_tool(name: str) -> str | None:
    """The path of one of CUDA's programs: where `find_ptxas` looks. Nothing of triton is imported."""
    toolkits = [os.environ[name] for name in _TOOLKIT_VARIABLES if os.environ.get(name)]
    folders = [Path(toolkit, "bin") for toolkit in (*toolkits, _DEFAULT_TOOLKIT)]
    spec = find_spec("triton")
    packages = (spec.submodule_search_locations or []) if spec else []
    folders += [Path(each, "backends/nvidia/bin") for each in packages]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, folders)))


def assemble_ptx(ptx: bytes, arch: str, optimize: int = 3) -> bytes:
    """The cubin of `ptx` for `arch` ("sm_90a"), at ptxas's level 0 to 3.

    Raises CodegenError with ptxas's messages, or saying where ptxas was looked for.
    """
    return _assemble(ptx, arch, optimize)[0]


def assemble_with_report(ptx: bytes, arch: str, optimize: int = 3) -> tuple[bytes, PtxasReport]:
    """The cubin as of `assemble_ptx`, what its kernels need, and ptxas's warnings. Raises CodegenError."""
    cubin, output = _assemble(ptx, arch, optimize, "-v")
    return cubin, parse_report(output)


def _assemble(ptx: bytes, arch: str, optimize: int, *options: str) -> tuple[bytes, str]:
    """The cubin, and what ptxas says."""
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
