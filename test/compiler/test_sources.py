"""Sources of models, and the errors for objects that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from dense import dense_model, dense_result, save_external

from mlc.bindings import ir
from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program
from mlc.compiler.sources.graph_module import ModuleSource
from mlc.compiler.sources.onnx_model import OnnxSource
from mlc.compiler.sources.open_source import open_source
from mlc.dialects import create_context
from mlc.frontends.errors import ModelError
from mlc.frontends.weights.store import content_hash
from mlc.passes.base import PassError

ADD_ONE = """
func.func @main(%x: tensor<4xf32> {graph.name = "in"}) -> (tensor<4xf32> {graph.name = "out"}) {
  %one = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.add"(%x, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_types_of_sources(tmp_path: Path) -> None:
    onnx.save(dense_model(), tmp_path / "m.onnx")
    assert isinstance(open_source(tmp_path / "m.onnx"), OnnxSource)
    assert isinstance(open_source(str(tmp_path / "m.onnx")), OnnxSource)
    assert isinstance(open_source(dense_model()), OnnxSource)
    assert isinstance(open_source(dense_model().SerializeToString()), OnnxSource)
    assert isinstance(open_source(tmp_path / "m.mlir"), ModuleSource)
    with create_context(), ir.Location.unknown():
        assert isinstance(open_source(ir.Module.parse(ADD_ONE)), ModuleSource)


def test_names(tmp_path: Path) -> None:
    onnx.save(dense_model(), tmp_path / "resnet.v1.onnx")
    assert open_source(tmp_path / "resnet.v1.onnx").name == "resnet.v1"
    assert open_source(dense_model()).name == "model"


def test_other_objects_are_refused() -> None:
    with pytest.raises(CompileError, match="value of type int; give a path, an ONNX ModelProto"):
        open_source(3)
    with pytest.raises(CompileError, match="value of type GraphProto"):
        open_source(dense_model().graph)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nothing\.onnx"):
        open_source(tmp_path / "nothing.onnx")


def test_equal_bytes_have_one_digest(tmp_path: Path) -> None:
    model = dense_model()
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    digests = {
        open_source(given).digest() for given in (model, model.SerializeToString(), tmp_path / "m.onnx")
    }
    assert len(digests) == 1
    assert open_source(dense_model(scale=2)).digest() not in digests


def test_a_module_compiles_with_its_names(pool: WorkerPool) -> None:
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(ADD_ONE)
    before = str(module)
    program = compile_program(module, Options(pool=pool))
    assert (program.inputs, program.outputs) == (("in",), ("out",))
    assert program.executable()(np.zeros(4, np.float32))[0].tolist() == [1.0] * 4
    assert str(module) == before, "the caller's module must stay as it was"


def test_a_module_file_with_weights_beside_it(tmp_path: Path, pool: WorkerPool) -> None:
    data = np.arange(512, dtype=np.float32)
    (tmp_path / "w.bin").write_bytes(data.tobytes())
    weight = f'{{source = "w.bin", offset = 0, size = 2048, hash = "{content_hash(data.tobytes())}"}}'
    (tmp_path / "m.mlir").write_text(
        f"""func.func @main(%x: tensor<512xf32>) -> tensor<512xf32> {{
  %w = "graph.weight"() {weight} : () -> tensor<512xf32>
  %0 = "graph.add"(%x, %w) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}}"""
    )
    program = compile_program(tmp_path / "m.mlir", Options(pool=pool))
    assert (program.inputs, program.outputs) == (("input0",), ("output0",))
    assert np.array_equal(program.executable()(np.ones(512, np.float32))[0], data + 1)


def test_a_module_without_main(tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text("func.func @other() { return }")
    with pytest.raises(CompileError, match=r"m\.mlir has no function @main"):
        compile_program(tmp_path / "m.mlir", Options())


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("func.func private @main(%x: tensor<4xf32>) -> tensor<4xf32>", "no function @main with a body"),
        ("func.func @main(%x: f32) { return }", "input 'input0' is a f32: every input must be a tensor"),
        ("func.func @main(%x: tensor<*xf32>) { return }", "input 'input0' is a tensor<\\*xf32>"),
    ],
)
def test_signatures_that_cannot_be_compiled(tmp_path: Path, text: str, cause: str) -> None:
    (tmp_path / "m.mlir").write_text(text)
    with pytest.raises(CompileError, match=cause):
        compile_program(tmp_path / "m.mlir", Options())


DYNAMIC = """
func.func @main(%x: tensor<?x4xf32> {graph.name = "in"},
                %y: tensor<?x?xf32> {graph.dims = ["rows", "columns"]}) -> tensor<?x4xf32> {
  %0 = "graph.add"(%x, %y) : (tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""


@pytest.mark.parametrize(
    "sizes",
    [
        {"shapes": {"in": [2, -1], "input1": [1, 4]}},
        {"shapes": {"in": [2, -1], "input1": [-1, 4]}, "dims": {"rows": 1}},
        {"shapes": {"in": [2, 4]}, "dims": {"rows": 1, "columns": 4}},
    ],
)
def test_inputs_of_modules_get_shapes(tmp_path: Path, pool: WorkerPool, sizes: dict[str, Any]) -> None:
    (tmp_path / "m.mlir").write_text(DYNAMIC)
    options = Options(pool=pool, **sizes)
    executable = compile_program(tmp_path / "m.mlir", options).executable()
    assert executable(np.ones((2, 4), np.float32), np.ones((1, 4), np.float32))[0].tolist() == [[2.0] * 4] * 2


@pytest.mark.parametrize(
    ("sizes", "cause"),
    [
        ({"dims": {"n": 3}}, r"dims\['n'\]: the model has no dynamic dim 'n' \(it has: 'rows', 'columns'\)"),
        (
            {"dims": {"n": (1, 3)}},
            r"dims\['n'\]: the model has no dynamic dim 'n' \(it has: 'rows', 'columns'\)",
        ),
        (
            {"dims": {"rows": 2, "columns": (1, 4)}, "shapes": {"input1": [-1, 4]}},
            "has no dynamic dim 'columns'",
        ),
        (
            {"dims": {"rows": 2}, "shapes": {"input1": [3, -1]}},
            r"the dim 'rows' gets two sizes: 2 by dims={'rows': 2}, and 3 by shapes={'input1': \[3, -1\]}",
        ),
        ({"dims": {"rows": 2}, "shapes": {"input1": [2]}}, r"shapes={'input1': \[2\]}: the input has rank 2"),
        ({"dims": {"rows": (3, 2)}}, r"dims\['rows'\]: no size is at least 3 and at most 2"),
        ({"dims": {"rows": (-1, 2)}}, r"dims\['rows'\]: -1 is no size"),
        ({"dims": {"rows": (1, 2, 3)}}, r"dims\['rows'\]: \(1, 2, 3\) is no range: give"),
        ({"dims": {"rows": 3}, "shapes": {"in": [2, 4]}}, "graph.add"),
        ({"shapes": {"x": [2, 4]}}, r"shapes\['x'\]: @main has no input 'x' \(it has: 'in', 'input1'\)"),
        ({"shapes": {"in": [2]}}, r"shapes={'in': \[2\]}: the input has rank 2"),
        (
            {"shapes": {"in": [2, 1 << 63]}},
            r"shapes\['in'\]: 9223372036854775808 is no size: an integer from -1",
        ),
        ({"shapes": {"in": [2, 5]}}, r"shapes={'in': \[2, 5\]}: the input's type fixes dim 1 to 4"),
        ({"shapes": {"in": [2, 4], "input1": [3, 4]}}, "graph.add"),
    ],
)
def test_sizes_that_a_module_does_not_take(tmp_path: Path, sizes: dict[str, Any], cause: str) -> None:
    (tmp_path / "m.mlir").write_text(DYNAMIC)
    with pytest.raises((CompileError, PassError), match=cause):
        compile_program(tmp_path / "m.mlir", Options(**sizes))


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
def test_sizes_that_a_gpu_must_know(tmp_path: Path, target: str) -> None:
    (tmp_path / "m.mlir").write_text(DYNAMIC)
    with pytest.raises(CompileError, match="all inputs must be tensors of known sizes") as caught:
        compile_program(tmp_path / "m.mlir", Options(target=target, shapes={"in": [2, 4]}))
    assert caught.value.notes == ("input 'input1' is ?x?: give dims={'rows': N, 'columns': N}",)
    with pytest.raises(CompileError) as caught:
        compile_program(tmp_path / "m.mlir", Options(target=target, dims={"rows": 1, "columns": (4, 4)}))
    assert caught.value.notes == (
        "input 'in' is ?x4: give shapes={'in': [?, 4]} with integers",
        "input 'input1' is 1x?: give dims={'columns': N}",
    )


def test_external_data(tmp_path: Path, x: np.ndarray, pool: WorkerPool) -> None:
    save_external(dense_model(), tmp_path / "m.onnx")
    program = compile_program(tmp_path / "m.onnx", Options(pool=pool, cache=False))
    result = program.executable(threads=1)(x)[0]
    assert np.allclose(result, dense_result(x, dense_model()), rtol=1e-5, atol=1e-5)
