"""Tests of what the build writes: cases, reasons, weights that are drawn the same way, sizes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_cases import FOLDED, SMALL

from bench.gpu.artefact import draw
from bench.gpu.build import MIB, build, check_size, main
from bench.gpu.cases import default_cases
from bench.gpu.runner.loading import load_case
from bench.gpu.runner.manifest import read_manifest
from bench.gpu.runner.on_numpy import NumpyLibrary
from mlc.runtime.cuda import Device
from mlc.runtime.tensors import TensorSpec


def test_the_manifest_lists_all(artefacts: Path) -> None:
    manifest = read_manifest(artefacts)
    assert [case.name for case in manifest.cases] == [planned.case.name for planned in SMALL]
    assert manifest.architecture == "sm_80"
    reasons = {case.name: case.reason for case in manifest.cases}
    assert "Unheard" in reasons.pop("unknown_f32")
    assert not any(reasons.values())
    assert not (artefacts / "cases/unknown_f32").exists()


def test_weights_are_not_shipped(artefacts: Path) -> None:
    assert [path.name for path in artefacts.rglob("*.npz")] == []
    [case] = [case for case in read_manifest(artefacts).cases if case.name == "layer_norm_f32"]
    assert [(binding.tensor, binding.weight) for binding in case.bindings] == [
        ("scale", "w0"),
        ("bias", "w1"),
    ]


@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize(("name", "dtype"), [("folded_f32", "float32"), ("folded_bf16", "bfloat16")])
def test_prepare_runs_where_the_weights_are_drawn(
    artefacts: Path, name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody has installed ml_dtypes."""
    [case] = [case for case in read_manifest(artefacts).cases if case.name == name]
    assert [binding.tensor for binding in case.bindings] == ["", "bias"]
    model = FOLDED.model()
    values = {weight.name: np.frombuffer(draw(weight, model), np.float32) for weight in model.weights}
    numpy_dtype = TensorSpec("", dtype, ()).numpy_dtype
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with Device() as device:
        loaded = load_case(artefacts, case, NumpyLibrary(device), device)
        for weight, array in loaded.weights.items():
            np.testing.assert_array_equal(array.reshape(-1), values[weight])
        buffers = loaded.program.plan.tensors("weight")
        found = {
            buffer.name: _bytes(loaded.program, index, buffer.nbytes) for index, buffer in buffers.items()
        }
        loaded.program.close()
    scaled = values["w"].reshape(64, 512) * values["scale"]
    np.testing.assert_array_equal(found["w0"].view(numpy_dtype).reshape(64, 512), scaled.astype(numpy_dtype))
    np.testing.assert_array_equal(found["w1"].view(np.float32), values["bias"])


def _bytes(program: Any, index: int, count: int) -> np.ndarray:
    from mlc.runtime.cuda.driver.memory import host_bytes

    return host_bytes(program._memory.addresses[index], count, program).copy()


def test_the_folder_has_what_it_imports(artefacts: Path) -> None:
    """The folder contains every imported file of mlc and bench; all other imports exist on a machine with
    torch. The plans call no CPU functions, which would import mlc's extension."""
    allowed = sys.stdlib_module_names | {"numpy", "torch", "triton", "ml_dtypes"}
    for path in artefacts.rglob("*.py"):
        for name in _imports_of(path):
            if name == "mlc.runtime._native":
                continue
            if name.partition(".")[0] not in ("mlc", "bench"):
                assert name.partition(".")[0] in allowed, f"{path} imports {name}"
            else:
                module = artefacts / name.replace(".", "/")
                assert module.with_suffix(".py").exists() or (module / "__init__.py").exists(), (
                    path,
                    name,
                )


def _imports_of(path: Path) -> Iterator[str]:
    """The modules that a file imports, also within functions, but not for types only."""
    tree = ast.parse(path.read_text())
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    guarded = [node for node in tests if ast.unparse(node.test) == "TYPE_CHECKING"]
    typing = {child for node in guarded for child in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node not in typing:
            yield node.module
        elif isinstance(node, ast.Import) and node not in typing:
            yield from (name.name for name in node.names)


def test_default_cases_are_named_apart() -> None:
    names = [case.case.name for case in default_cases()]
    assert len(set(names)) == len(names)
    assert {"bert_base_s128_f32", "gemm_8192_bf16", "attention_d128_causal_bf16", "transpose_f32"} <= set(
        names
    )


def test_models_that_are_not_built_are_reasons(tmp_path: Path) -> None:
    root = tmp_path / "made"
    [planned] = [planned for planned in default_cases(tmp_path) if planned.case.name == "resnet50_f32"]
    [case] = build(root, [planned], "sm_80", MIB)
    assert "No such file" in case.reason and "resnet50.onnx" in case.reason


def test_folders_have_a_limit(artefacts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 < check_size(artefacts, 40 * MIB) < MIB
    with pytest.raises(ValueError, match=r"has 0\.\d MiB, more than 0 MiB; the largest: cases/\w+/\w+\.ptx"):
        check_size(artefacts, 1000)
    assert main(["--output", str(artefacts)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["--output", str(tmp_path / "new"), "--arch", "sm_13"]) == 2
    assert "cuda:sm_13" in capsys.readouterr().err
    assert main(["--output", str(tmp_path / "new"), "--only", "nothing"]) == 2
    assert "no case matches 'nothing'" in capsys.readouterr().err


@pytest.mark.slow
def test_the_kernels_of_the_default_list_compile_and_are_small(tmp_path: Path) -> None:
    """The kernels take a tenth of the limit: the models' kernels are more, and of the same types."""
    cases = [case for case in default_cases() if case.case.group != "model"]
    done = build(tmp_path / "made", cases, "sm_90a", 4 * MIB)
    assert {case.name: case.reason for case in done if case.reason} == {}
    assert len(done) == len(cases)
