"""The instructions of PTX's machine code, as NVIDIA's assembler and disassembler tell them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from mlc.codegen.ptxas import assemble_ptx, find_ptxas


def find_nvdisasm() -> str | None:
    """NVIDIA's disassembler: on PATH, in /usr/local/cuda*, or in triton (the extra `gpu-test`)."""
    spec = find_spec("triton")
    packages = (spec.submodule_search_locations or []) if spec else []
    toolkits = [str(each) for each in sorted(Path("/usr/local").glob("cuda*/bin"))]
    folders = [os.environ.get("PATH", ""), *toolkits, *(f"{each}/backends/nvidia/bin" for each in packages)]
    return shutil.which("nvdisasm", path=os.pathsep.join(folders))


def instructions(ptx: bytes, arch: str) -> Counter[str]:
    """How often each instruction is in the code, without its suffixes: "HGMMA". Skips the test without ptxas
    or nvdisasm."""
    program = find_nvdisasm()
    if find_ptxas() is None or program is None:
        pytest.skip("ptxas (CUDA toolkit) or nvdisasm (the same, or the extra gpu-test) is not installed")
    with tempfile.TemporaryDirectory(prefix="mlc-sass-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(assemble_ptx(ptx, arch))
        command = [program, "-c", str(path)]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Counter(word.split(".")[0] for line in listing.splitlines() for word in line.split())
