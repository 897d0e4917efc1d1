"""Models for GPUs: the plan and its images, numbers of the thread blocks on the CPU, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from dense import dense_model, dense_result
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.codegen.ptxas import find_ptxas
from mlc.compiler import CompiledProgram, CompileError, Options, compile_program
from mlc.compiler.build import Builder
from mlc.compiler.code_path import CodePath
from mlc.compiler.dump import dump_ir
from mlc.compiler.emit import emit_program
from mlc.runtime import Executable, ExecutableError, load
from mlc.runtime.cuda import DriverMissingError, Plan
from mlc.runtime.cuda.plan.parts import ArenaBuffer, LaunchStep

ARCHITECTURES = ("sm_80", "sm_90a")
TOLERANCE = 1e-5


def layers() -> onnx.ModelProto:
    """Two products with bias and activation, layer normalisation, softmax: x [3, 40] -> y [3, 24]."""
    rng = np.random.default_rng(0)
    shapes = {"w1": [40, 72], "b1": [72], "scale": [72], "shift": [72], "w2": [72, 24], "b2": [24]}
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["a"], "first"),
        helper.make_node("Tanh", ["a"], ["b"], "activation"),
        helper.make_node("LayerNormalization", ["b", "scale", "shift"], ["c"], "norm"),
        helper.make_node("Gemm", ["c", "w2", "b2"], ["d"], "second"),
        helper.make_node("Softmax", ["d"], ["y"], "probabilities", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 40])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 24])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.fixture(params=ARCHITECTURES)
def architecture(request: pytest.FixtureRequest) -> str:
    return request.param


def compile_layers(
    architecture: str, pool: WorkerPool, cache: bool = False, **options: object
) -> CompiledProgram:
    given = Options(target=f"cuda:{architecture}", pool=pool, cache=cache, **options)  # type: ignore[arg-type]
    return compile_program(layers(), given)


def test_the_plan_launches_what_the_images_hold(architecture: str, pool: WorkerPool) -> None:
    program = compile_layers(architecture, pool)
    plan = Plan.from_json(program.manifest()["plan"])
    assert [value.name for value in plan.tensors("input").values()] == ["x"]
    assert [value.shape for value in plan.tensors("output").values()] == [(3, 24)]
    assert any(isinstance(buffer, ArenaBuffer) and buffer.nbytes > 0 for buffer in plan.buffers)
    assert all(isinstance(step, LaunchStep) for step in plan.steps)
    assert len(plan.steps) == program.report["launches"] == 4
    for kernel in plan.kernels:
        image = plan.images[kernel.image]
        text = program.objects[image.name].decode()
        assert image.architecture == architecture
        assert f".target {architecture}" in text
        (threads,) = re.findall(rf"\.entry {kernel.function}\(.*?\)\s*\.reqntid (\d+)", text, re.DOTALL)
        assert kernel.block == (int(threads), 1, 1)
        assert kernel.overlap == ("griddepcontrol.wait" in text) == (architecture == "sm_90a")


def test_what_the_assembler_says_is_in_the_report(pool: WorkerPool) -> None:
    gpu = compile_layers("sm_80", pool).report["gpu"]
    assert gpu["assembled"] == (find_ptxas() is not None)
    assert [kernel["grid"][1:] for kernel in gpu["kernels"]] == [[1, 1]] * 4
    if not gpu["assembled"]:
        pytest.skip("ptxas (a CUDA toolkit, or triton) is not installed")
    assert gpu["warnings"] == []
    for kernel in gpu["kernels"]:
        assert 0 < kernel["registers"] <= 255
        assert (kernel["spill_store_bytes"], kernel["spill_load_bytes"]) == (0, 0)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (a CUDA toolkit, or triton) is not installed")
def test_cubins_instead_of_ptx(pool: WorkerPool) -> None:
    program = compile_layers("sm_80", pool, cubin=True)
    assert [name.rpartition(".")[2] for name in program.objects] == ["cubin"] * 4
    assert all(image.startswith(b"\x7fELF") for image in program.objects.values())


def test_results_of_the_blocks_on_the_cpu(architecture: str, pool: WorkerPool) -> None:
    ort = pytest.importorskip("onnxruntime")
    x = np.random.default_rng(1).normal(size=(3, 40)).astype(np.float32)
    program = compile_layers(architecture, pool, blocks_on_cpu=True)
    assert program.plan is None
    session = ort.InferenceSession(layers().SerializeToString(), providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": x})
    (found,) = program.executable(threads=2)(x)
    assert np.max(np.abs(found - wanted)) <= TOLERANCE * np.max(np.abs(wanted))


def test_blocks_on_the_cpu_through_the_api(x: np.ndarray) -> None:
    model = dense_model()
    executable = mlc.compile(model, "cuda:sm_80", blocks_on_cpu=True, threads=1, jobs=1)
    assert np.allclose(executable(x)[0], dense_result(x, model), rtol=1e-5, atol=1e-5)


def test_the_cache_gives_the_same_program(pool: WorkerPool) -> None:
    first, second = (compile_layers("sm_80", pool, cache=True) for _ in range(2))
    assert (first.report["from_cache"], second.report["from_cache"]) == (False, True)
    assert (first.plan, first.objects) == (second.plan, second.objects)
    assert first.report["gpu"] == second.report["gpu"]
    assert not compile_layers("sm_90a", pool, cache=True).report["from_cache"]
    assert compile_layers("sm_80", pool, cache=True, blocks_on_cpu=True).plan is None


def test_files_need_no_driver_until_they_are_called(
    pool: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLC_CUDA_DRIVER", str(tmp_path / "libcuda.so.1"))
    program, path = compile_layers("sm_80", pool), tmp_path / "model.mlcx"
    program.save(path)
    executable = load(path)
    assert [str(spec) for spec in executable.inputs] == ["x: float32[3,40]"]
    assert [bytes(code) for code in executable.objects] == list(program.objects.values())
    assert executable.weights.keys() == program.named_weights().keys()
    executable.save(tmp_path / "again.mlcx")
    assert (tmp_path / "again.mlcx").read_bytes() == path.read_bytes()
    with pytest.raises(DriverMissingError, match="cannot load the CUDA driver"):
        executable(np.zeros((3, 40), np.float32))


def test_a_plan_without_its_images_is_refused(pool: WorkerPool) -> None:
    program = compile_layers("sm_80", pool)
    manifest = program.manifest()
    manifest["plan"]["steps"][0]["launch"]["kernel"] = 99
    with pytest.raises(ExecutableError, match=r"plan: steps\[0\]: kernel 99 is not 0 to 3"):
        Executable(manifest, list(program.objects.values()), program.named_weights())


def test_all_kernels_that_fail_are_named_at_once(
    pool: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Builder._job

    def failing(self: Builder, text: str, pipeline: str, path: CodePath) -> dict[str, object]:
        return job(self, text, pipeline.replace("nvgpu-kernel", "llvm-verify-translatable"), path)

    monkeypatch.setattr(Builder, "_job", failing)
    with pytest.raises(CompileError) as raised:
        compile_layers("sm_80", pool, reproducer_dir=str(tmp_path))
    error = raised.value
    assert error.message == "4 of 4 kernels cannot be compiled for cuda:sm_80"
    for node in ("first", "norm", "second", "probabilities"):
        assert any("kernel @" in note and node in note and "translated" in note for note in error.notes), node
    assert len(list(tmp_path.glob("mlc-reproducer-*.mlir"))) == 4


def test_what_is_not_for_gpus(pool: WorkerPool, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="cuda:sm_80 cannot be a shared library"):
        compile_layers("sm_80", pool).save_shared_library(tmp_path / "model.so")
    with pytest.raises(CompileError, match="no object files for cuda:sm_80"):
        emit_program(layers(), Options(target="cuda:sm_80"), "obj")
    with pytest.raises(mlc.TargetError, match="blocks_on_cpu needs a GPU as target"):
        compile_program(layers(), Options(blocks_on_cpu=True))
    with pytest.raises(mlc.TargetError, match="unknown target cpu 'cuda:sm_13'"):
        compile_program(layers(), Options(target="cuda:sm_13"))


def test_one_text_of_all_kernels() -> None:
    text = emit_program(layers(), Options(target="cuda:sm_80", jobs=1), "asm").decode()
    assert text.count(".visible .entry") == 4
    assert text.count(".extern .shared") == 1


def test_levels_of_a_kernel(tmp_path: Path) -> None:
    files = dump_ir(layers(), Options(target="cuda:sm_80", jobs=1), tmp_path, ["softmax*"])
    texts = {path.name: path.read_text() for path in files}
    assert "graph.softmax" in texts["2-lowered.mlir"]
    contents = {
        "linalg.mlir": "linalg.generic",
        "scheduled.mlir": 'tloop.block = "producer0"',
        "blocks.mlir": "accel.launch",
        "threads.mlir": "nvvm.shfl.sync",
        "llvm.mlir": "gpu.launch_func",
        "llvm.ll": "define",
        "kernel.ptx": ".visible .entry softmax",
    }
    assert {name: text for name, text in contents.items() if text not in texts.get(name, "")} == {}
