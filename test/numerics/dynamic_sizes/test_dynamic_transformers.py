"""A transformer layer of any batch and length, compiled once, is right for each size."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import Arrays, compile_model, differences, runtime

WIDTH, HEADS = 32, 2


def layer() -> onnx.ModelProto:
    """Masked attention and a residual, with the shape arithmetic that exporters write."""
    generator = np.random.default_rng(0)
    constants: dict[str, np.ndarray] = {
        f"w{name}": generator.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 6 for name in "qkvo"
    }
    constants |= {"bias": generator.standard_normal(WIDTH).astype(np.float32)}
    values = {"root": 4, "one": 1, "low": -1e9}
    constants |= {name: np.asarray(value, np.float32) for name, value in values.items()}
    constants |= {"heads": np.asarray([HEADS, WIDTH // HEADS]), "width": np.asarray([WIDTH])}
    constants |= {"first": np.asarray([0]), "second": np.asarray([2]), "middle": np.asarray([1, 2])}
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Slice", ["shape", "first", "second"], ["outer"]),
        helper.make_node("Concat", ["outer", "heads"], ["apart"], axis=0),
        helper.make_node("Concat", ["outer", "width"], ["together"], axis=0),
    ]
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [
            helper.make_node("MatMul", ["x", f"w{name}"], [f"{name}0"]),
            helper.make_node("Add", [f"{name}0", "bias"], [f"{name}1"]),
            helper.make_node("Reshape", [f"{name}1", "apart"], [f"{name}2"]),
            helper.make_node("Transpose", [f"{name}2"], [name], perm=order),
        ]
    nodes += [
        helper.make_node("Unsqueeze", ["mask", "middle"], ["wide"]),
        helper.make_node("Sub", ["one", "wide"], ["dropped"]),
        helper.make_node("Mul", ["dropped", "low"], ["added"]),
        helper.make_node("MatMul", ["q", "k"], ["scores"]),
        helper.make_node("Div", ["scores", "root"], ["scaled"]),
        helper.make_node("Add", ["scaled", "added"], ["masked"]),
        helper.make_node("Softmax", ["masked"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", "v"], ["read"]),
        helper.make_node("Transpose", ["read"], ["back"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["back", "together"], ["joined"]),
        helper.make_node("MatMul", ["joined", "wo"], ["projected"]),
        helper.make_node("Add", ["projected", "x"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "layer",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", WIDTH]),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "seq"]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "seq", WIDTH])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.slow
def test_a_layer_of_any_size() -> None:
    built, generator = layer(), np.random.default_rng(1)
    executable = compile_model(built)
    for batch, length in ((1, 1), (2, 10), (3, 33), (1, 64)):
        mask = np.ones((batch, length), np.float32)
        mask[0, length // 2 + 1 :] = 0
        inputs = {"x": generator.standard_normal((batch, length, WIDTH)).astype(np.float32), "mask": mask}
        expected = runtime(built, inputs)
        assert expected is not None
        assert not differences(executable.run(inputs), expected, 1e-5), (batch, length)


# What stands between the first product, d, and the softmax of e; m is an input.
_MASKS = {"": "Identity(d)", "float[b,1,t] m": "Add(d, m)", "bool[b,1,t] m": "Where(m, d, lowest)"}


@pytest.mark.parametrize(
    "mask",
    [pytest.param("float[b,1,t] m", marks=pytest.mark.slow, id="floats"),
     pytest.param("bool[b,1,t] m", id="booleans"), pytest.param("", id="all keys")],
)  # fmt: skip
def test_products_of_batches_of_any_size(mask: str) -> None:
    """Heads and batch are one dim, and the queries come scaled."""
    built = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21]> layer (float[b,s,16] q, float[b,t,16] k, float[b,t,16] v'
        f"{mask and ', '}{mask}) => (float[b,s,16] y) <float lowest = {{-3e38}}> {{"
        f" c = Transpose<perm = [0, 2, 1]>(k) d = MatMul(q, c) e = {_MASKS[mask]}"
        " f = Softmax<axis = -1>(e) y = MatMul(f, v) }"
    )
    executable, generator = compile_model(built), np.random.default_rng(2)
    for batch, queries, keys in ((1, 1, 1), (3, 5, 7), (2, 40, 33), (0, 3, 3)):
        dims = {"q": (queries, 16), "k": (keys, 16), "v": (keys, 16)} | ({"m": (1, keys)} if mask else {})
        inputs: Arrays = {
            name: generator.standard_normal((batch, *shape)).astype(np.float32)
            for name, shape in dims.items()
        }
        if mask.startswith("bool"):
            inputs["m"] = inputs["m"] > -1
            inputs["m"][..., 0] = True
        expected = runtime(built, inputs)
        assert expected is not None
        assert not differences(executable.run(inputs), expected, 1e-5), (batch, queries, keys)
