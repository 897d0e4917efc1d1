"""The report and the manifest of a compiled program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dense import dense_model

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.runtime import ExecutableError, host_features
from mlc.targets import parse_target


@pytest.mark.parametrize(
    ("cpu", "needed"),
    [
        ("znver5", "avx512f avx512vp2intersect avxvnni"),
        ("graniterapids", "avx512fp16 amx-fp16"),
        ("haswell", "avx2"),
        ("x86-64", ""),
    ],
)
def test_the_manifest_names_what_the_cpu_must_have(cpu: str, needed: str, pool: WorkerPool) -> None:
    manifest = compile_program(dense_model(), Options(target=cpu, pool=pool)).manifest()
    required = {check.partition("=")[0] for check in manifest["target"]["requires"]}
    assert set(needed.split()) <= required
    assert required if needed else not required


@pytest.mark.parametrize("cpu", ["znver5", "sapphirerapids", "graniterapids"])
def test_a_file_for_a_better_cpu_is_not_run(
    cpu: str, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compile_program(dense_model(), Options(target=cpu, pool=pool)).save(tmp_path / "dense.mlcx")
    own = parse_target("znver4")
    monkeypatch.setattr(host_features, "host_has", lambda check: own.has(check.partition("=")[0]))
    missing = "avx512vp2intersect, avxvnni" if cpu == "znver5" else "avx512fp16, avxvnni, amx-tile, amx-int8"
    with pytest.raises(ExecutableError, match=f"for cpu '{cpu}' with {missing}.*, which this machine"):
        mlc.load(tmp_path / "dense.mlcx")


def test_a_file_of_this_machine_is_run(pool: WorkerPool, tmp_path: Path) -> None:
    compile_program(dense_model(), Options(pool=pool)).save(tmp_path / "dense.mlcx")
    assert mlc.load(tmp_path / "dense.mlcx").outputs


@pytest.mark.parametrize("threads", [0, -1, 1000])
def test_a_wrong_thread_count_is_refused_before_compiling(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be 1 to 256"):
        mlc.compile("no such file", threads=threads)


@pytest.mark.parametrize(
    ("option", "error", "message"),
    [
        ({"threads": "2"}, TypeError, "threads must be an integer, not '2'"),
        ({"jobs": -1}, ValueError, "jobs must not be negative, but is -1"),
        ({"jobs": "all"}, TypeError, "jobs must be an integer, not 'all'"),
        ({"dims": ["n"]}, TypeError, r"dims must be a mapping by name, not \['n'\]"),
        ({"shapes": 3}, TypeError, "shapes must be a mapping by name, not 3"),
        ({"disable_passes": "cse"}, TypeError, "disable_passes must be a sequence of names, not 'cse'"),
        ({"independent_dims": 3}, TypeError, "independent_dims must be a sequence of names, not 3"),
    ],
)
def test_options_of_another_form(option: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        mlc.compile(b"", **option)


def test_errors_are_part_of_the_api() -> None:
    with pytest.raises(mlc.ModelError):
        mlc.compile("no such file.onnx")
    with pytest.raises(mlc.TargetError):
        mlc.compile("no such file.onnx", target="pentium9")
