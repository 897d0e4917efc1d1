"""The search for ptxas, and what it says."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mlc.codegen import ptxas
from mlc.codegen.errors import CodegenError


def make_ptxas(folder: Path, script: str) -> None:
    folder.mkdir(parents=True)
    program = folder / "ptxas"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(ptxas, "_DEFAULT_TOOLKIT", str(tmp_path / "nothing"))
    monkeypatch.setattr(ptxas, "find_spec", lambda name: None)


def test_missing_ptxas_says_where_it_was_looked_for() -> None:
    with pytest.raises(CodegenError, match="not found\nlooked on PATH, in CUDA_HOME"):
        ptxas.assemble_ptx(b"", "sm_80")


def test_programs_of_tritons_wheel_are_found_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "packages" / "triton"
    make_ptxas(folder / "backends/nvidia/bin", "")
    (folder / "__init__.py").write_text("raise ImportError('it is only looked for')\n")
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    assert ptxas.find_ptxas() is None
    monkeypatch.setattr(ptxas, "find_spec", find_spec)
    assert ptxas.find_ptxas() == str(folder / "backends/nvidia/bin/ptxas")
    assert ptxas.find_tool("nvdisasm") is None
    make_ptxas(tmp_path / "cuda" / "bin", "")
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda"))
    assert ptxas.find_ptxas() == str(tmp_path / "cuda/bin/ptxas")


def test_toolkit_is_found_and_its_output_returned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_ptxas(tmp_path / "cuda" / "bin", 'echo "$@" > kernel.cubin')
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert ptxas.assemble_ptx(b"", "sm_90a", 1) == b"-arch=sm_90a -O1 kernel.ptx -o kernel.cubin\n"


def test_messages_of_ptxas_reach_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_ptxas(tmp_path / "bin", "echo 'line 3: bad opcode' >&2; exit 255")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(CodegenError, match="failed with status 255\nline 3: bad opcode"):
        ptxas.assemble_ptx(b"", "sm_80")


def test_report_comes_with_the_cubin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    says = "ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas info    : Used 12 registers"
    make_ptxas(tmp_path / "bin", f'echo "$@" > kernel.cubin\ncat >&2 <<END\n{says}\nEND')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    cubin, report = ptxas.assemble_with_report(b"", "sm_80")
    assert cubin == b"-v -arch=sm_80 -O3 kernel.ptx -o kernel.cubin\n"
    assert [(kernel.name, kernel.registers) for kernel in report.kernels] == [("k", 12)]
