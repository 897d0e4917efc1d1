"""The lit configuration, as a project elsewhere uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_CONFIGURATION = """
import os
from mlc.tools.lit import configure
configure(config, lit_config, name="elsewhere", root=os.path.dirname(__file__))
"""
_PASSING = "// RUN: mlc-opt %s --cse | filecheck %s\n// CHECK: func.func @f\nfunc.func private @f()\n"
_ROUNDTRIP = "// RUN: %roundtrip\n// CHECK: func.func private @f()\nfunc.func private @f()\n"
_FAILING = "// RUN: mlc-opt %s | filecheck %s\n// CHECK: func.func @g\nfunc.func private @f()\n"


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    lit = Path(sys.executable).with_name("lit")
    return subprocess.run([lit, "-v", folder], capture_output=True, text=True, check=False)


def project(folder: Path, *tests: str) -> Path:
    (folder / "lit.cfg.py").write_text(_CONFIGURATION)
    for index, text in enumerate(tests):
        (folder / f"test{index}.mlir").write_text(text)
    return folder


def test_another_project_s_tests_run(tmp_path: Path) -> None:
    done = run(project(tmp_path, _PASSING.replace("@f\n", "private @f\n", 1), _ROUNDTRIP))
    assert done.returncode == 0, done.stdout
    assert "Passed: 2" in done.stdout


def test_another_project_s_tests_can_fail(tmp_path: Path) -> None:
    done = run(project(tmp_path, _FAILING))
    assert done.returncode == 1
    assert "FAIL: elsewhere :: test0.mlir" in done.stdout


def test_programs_of_tests_come_from_the_caller_s_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = os.pathsep.join(["/from/the/caller", *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", paths)
    test = "// RUN: %python -c 'import sys; print(sys.path)' | filecheck %s\n// CHECK: /from/the/caller\n"
    assert run(project(tmp_path, test)).returncode == 0
