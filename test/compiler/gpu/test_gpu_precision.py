"""Models for GPUs in lower precision: values between kernels, the count of kernels, and results."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.bindings import ir
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.compiler.levels import planned_module
from mlc.passes.common.rewriting import collect_ops

ROWS, WIDTH = 32, 64


def model(
    nodes: list[onnx.NodeProto], weights: dict[str, list[int]], rows: int, columns: int
) -> onnx.ModelProto:
    """From x [rows, WIDTH] to y [rows, columns]."""
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in weights.items()}
    scaled = {name: array / np.sqrt(array.shape[0], dtype=np.float32) for name, array in arrays.items()}
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, columns])],
        [numpy_helper.from_array(array, name) for name, array in scaled.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def residual_block() -> onnx.ModelProto:
    """Products, two of which add what came before them, with normalisations between them. A product and a sum
    read `a`, a normalisation and a sum `c`."""
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["p"]),
        helper.make_node("LayerNormalization", ["p", "scale", "shift"], ["a"]),
        helper.make_node("Gemm", ["a", "w2", "b1"], ["q"]),
        helper.make_node("Tanh", ["q"], ["t"]),
        helper.make_node("Add", ["t", "a"], ["c"]),
        helper.make_node("LayerNormalization", ["c", "scale", "shift"], ["n"]),
        helper.make_node("MatMul", ["n", "w3"], ["m"]),
        helper.make_node("Add", ["m", "c"], ["s"]),
        helper.make_node("Softmax", ["s"], ["y"], axis=1),
    ]
    square = [WIDTH, WIDTH]
    vectors = {name: [WIDTH] for name in ("b1", "scale", "shift")}
    return model(nodes, {"w1": square, "w2": square, "w3": square, **vectors}, ROWS, WIDTH)


def launches(precision: str) -> list[tuple[str, str]]:
    """The kernels of the block's launches, in order, and the element type of what each writes."""
    pipelines = ("graph-optimize", "lower-graph-gpu", "form-kernels")
    options = Options(target="cuda:sm_80", precision=precision, pipelines=pipelines)
    module = planned_module(residual_block(), options)
    functions = {op.operation.attributes["sym_name"].value: op.operation for op in module.body}
    kernels = [op.attributes["kernel"].value for op in collect_ops(functions["main"], "tloop.launch")]
    return [(name, _output_type(functions[name])) for name in kernels]


def _output_type(kernel: ir.Operation) -> str:
    (result,) = kernel.attributes["function_type"].value.results
    return str(result.element_type)


def test_no_kernel_only_converts() -> None:
    """But for x, which is the caller's: as many launches as in f32. They store 16 bits, but for what
    normalisations and the softmax read, and the result."""
    narrow, single = launches("bf16"), launches("f32")
    assert len(narrow) == len(single) + 1
    assert narrow[0][0].startswith("cast_")
    assert all(set(name.split("_")[:-1]) != {"cast"} for name, _ in narrow[1:])
    assert [written for _, written in narrow] == ["bf16", "f32", "bf16", "f32", "bf16", "f32", "f32"]


@pytest.mark.parametrize(("precision", "tolerance"), [("bf16", 2e-2), ("f16", 3e-3)])
def test_results(precision: str, tolerance: float, pool: WorkerPool) -> None:
    ort = pytest.importorskip("onnxruntime")
    options = Options(target="cuda:sm_80", precision=precision, blocks_on_cpu=True, pool=pool, cache=False)
    x = np.random.default_rng(1).normal(size=(ROWS, WIDTH)).astype(np.float32)
    program = compile_program(residual_block(), options)
    session = ort.InferenceSession(residual_block().SerializeToString(), providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": x})
    (found,) = program.executable(threads=2)(x)
    error = np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))
    assert 1e-5 < error <= tolerance


def test_weights_of_tf32_are_stored_as_wgmma_reads_them(pool: WorkerPool) -> None:
    product = model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"w": [WIDTH, 512]}, 1024, 512)
    options = Options(target="cuda:sm_90a", precision="tf32", pool=pool, cache=False)
    program = compile_program(product, options)
    (image,) = program.objects.values()
    assert b"wgmma.mma_async" in image
    assert b".tf32.tf32" in image
    assert [list(value.shape) for value in program.named_weights().values()] == [[512, WIDTH]]
