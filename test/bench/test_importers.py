"""ONNX models for engines that do not read them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from bench.importers import onnx_graph
from bench.models import reference
from bench.operator_graph import Operator, OperatorNode, check, evaluate, reshaped_extents, window

RNG = np.random.default_rng(0)


def small_network(path: Path, opset: int = 17) -> Path:
    """Convolution, pools with uneven padding, a concatenation, a reshape with a copied dim, a product."""
    weights = {
        "w": RNG.standard_normal((4, 2, 3, 3), np.float32),
        "b": RNG.standard_normal(4, np.float32),
        "m": np.float32(0.1) * RNG.standard_normal((5, 12 * 4 * 3), np.float32),
    }
    nodes = [
        helper.make_node("Constant", [], ["shape"], value=numpy_helper.from_array(np.array([0, -1]))),
        helper.make_node(
            "Conv", ["x", "w", "b"], ["c"], group=2, strides=[2, 2], pads=[1, 0, 2, 1], kernel_shape=[3, 3]
        ),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 1, 1]),
        helper.make_node("AveragePool", ["r"], ["q"], kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1]),
        helper.make_node("AveragePool", ["r"], ["s"], kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 1, 1]),
        helper.make_node("Concat", ["p", "q", "s"], ["k"], axis=1),
        helper.make_node("Reshape", ["k", "shape"], ["f"]),
        helper.make_node("Gemm", ["f", "m"], ["g"], transB=1),
        helper.make_node("Softmax", ["g"], ["y"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 4, 6, 6))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 5))],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, path)
    return path


def test_a_graph_is_read_as_plain_data(tmp_path: Path) -> None:
    graph = onnx_graph.read(small_network(tmp_path / "m.onnx"))
    assert (graph.inputs, graph.outputs, len(graph.nodes)) == (("x",), ("y",), 9)
    assert set(graph.constants) == {"w", "b", "m", "shape"}
    assert graph.nodes[0].attributes["pads"] == [1, 0, 2, 1]
    assert window(graph.nodes[0].attributes) == ((2, 2), [(1, 2), (0, 1)])


def test_what_an_importer_lacks_is_named_at_once(tmp_path: Path) -> None:
    graph = onnx_graph.read(small_network(tmp_path / "m.onnx"))
    known = dict.fromkeys(["Conv", "Relu", "MaxPool", "AveragePool", "Concat", "Gemm"], max)
    with pytest.raises(NotImplementedError, match="lacks Reshape, Softmax"):
        check(graph, known)
    with pytest.raises(NotImplementedError, match="opset 11"):
        onnx_graph.read(small_network(tmp_path / "old.onnx", opset=11))
    with pytest.raises(NotImplementedError, match="auto_pad SAME_UPPER"):
        window({"auto_pad": "SAME_UPPER"})


def test_a_reshape_copies_dims() -> None:
    assert reshaped_extents((2, 3, 4), [0, -1]) == [2, -1]


def test_nodes_are_evaluated_with_the_operators_given() -> None:
    nodes = (
        OperatorNode("Split", ("x",), ("a", "b"), {}),
        OperatorNode("Sub", ("a", "b", ""), ("y",), {"factor": 10}),
    )
    graph = onnx_graph.OnnxGraph(("x",), ("y", "b"), nodes, {})
    operators: dict[str, Operator] = {
        "Split": lambda _, x: (x[0], x[1]),
        "Sub": lambda a, x, y, none: a["factor"] * (x - y) if none is None else 0,
    }
    assert evaluate(graph, {"x": [7, 4]}, operators) == [30, 4]


def test_jax_computes_what_onnxruntime_does(tmp_path: Path) -> None:
    jax: ModuleType = pytest.importorskip("bench.importers.in_jax", exc_type=ImportError)
    path = small_network(tmp_path / "m.onnx")
    graph, x = onnx_graph.read(path), RNG.standard_normal((1, 4, 6, 6), np.float32)
    (found,) = evaluate(graph, {**graph.constants, "x": x}, jax.OPERATORS)
    np.testing.assert_allclose(found, reference.run(path, {"x": x})[0], rtol=1e-4, atol=1e-6)


def test_torch_computes_what_onnxruntime_does(tmp_path: Path) -> None:
    torch: ModuleType = pytest.importorskip("bench.importers.in_torch", exc_type=ImportError)
    path = small_network(tmp_path / "m.onnx")
    x = RNG.standard_normal((1, 4, 6, 6), np.float32)
    (found,) = torch.import_model(path)(torch.torch.from_numpy(x))
    np.testing.assert_allclose(found.detach(), reference.run(path, {"x": x})[0], rtol=1e-4, atol=1e-6)
