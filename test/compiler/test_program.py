"""The report and the manifest of a compiled program."""

from __future__ import annotations

import pytest
from dense import dense_model

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.runtime import ExecutableError, host_features


@pytest.mark.parametrize(("cpu", "needed"), [("znver5", "avx512f"), ("haswell", "avx2"), ("x86-64", None)])
def test_the_manifest_names_what_the_cpu_must_have(cpu: str, needed: str | None, pool: WorkerPool) -> None:
    manifest = compile_program(dense_model(), Options(target=cpu, pool=pool)).manifest()
    target = manifest["target"]
    assert (f"{needed}={needed}" in target["cpuinfo"]) if needed else not target["cpuinfo"]
    assert (needed in target["builtins"]) if needed else not target["builtins"]


def test_code_for_a_better_cpu_is_not_run(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile_program(dense_model(), Options(target="znver5", pool=pool))
    monkeypatch.setattr(host_features, "host_flags", lambda: frozenset({"avx", "avx2", "fma"}))
    with pytest.raises(ExecutableError, match="avx512f"):
        program.executable()


@pytest.mark.parametrize("threads", [0, -1, 1000])
def test_a_wrong_thread_count_is_refused_before_compiling(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be 1 to 256"):
        mlc.compile("no such file", threads=threads)


def test_errors_are_part_of_the_api() -> None:
    with pytest.raises(mlc.ModelError):
        mlc.compile("no such file.onnx")
    with pytest.raises(mlc.TargetError):
        mlc.compile("no such file.onnx", target="pentium9")
