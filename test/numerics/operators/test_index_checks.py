"""Indices of ONNX operators that are out of range: calls fail as ONNX Runtime's do, and say where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import oracle
import pytest
from onnx import TensorProto, helper

from mlc.frontends.errors import ModelError

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
DATA = np.arange(6, dtype=np.float32).reshape(3, 2)
BOXES = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], np.float32)


def i64(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def f32(*shape: int) -> np.ndarray:
    return np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)


def node_model(
    op: str,
    inputs: list[np.ndarray],
    named: bool = False,
    domain: str = "",
    opset: int = 18,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node; `named`: the first dims of its inputs have names, and no size."""
    names = [f"x{index}" for index in range(len(inputs))]
    # ONNX Runtime reads no cache without the outputs that continue it.
    results = ["y", "keys", "values"] if op == "GroupQueryAttention" else ["y"]
    node = helper.make_node(op, names, results, name="at", domain=domain, **attributes)
    declared = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(value.dtype),
            [f"{name}_{axis}" if named and axis == 0 else size for axis, size in enumerate(value.shape)],
        )
        for name, value in zip(names, inputs, strict=True)
    ]
    rank = {"ArrayFeatureExtractor": 2}.get(op)
    shape = None if rank is None else [None] * rank
    outputs = [helper.make_tensor_value_info(name, F32, shape) for name in results]
    graph = helper.make_graph([node], "g", declared, outputs)
    versions = {"": opset, "ai.onnx.ml": 3, "com.microsoft": 1}
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid(name, versions[name]) for name in {"", domain}],
        ir_version=10,
    )


def is_refused_by_onnxruntime(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> bool:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    try:
        session.run(None, inputs)
    except Exception:
        return True
    return False


def outside(index: int, where: str, axis: int, size: int) -> str:
    return f"index {index}{where} is out of bounds for axis {axis} of size {size}"


# Operator, options, inputs in range, then inputs out of range with the message's end.
Bad = list[tuple[list[np.ndarray], str]]
CASES: dict[str, tuple[str, dict[str, Any], list[np.ndarray], Bad]] = {
    "gather": (
        "Gather",
        {},
        [DATA, i64([2, -3])],
        [
            ([DATA, i64([2, 3])], outside(3, " at [0, 1]", 0, 3)),
            ([DATA, i64([-4, 9])], outside(-4, " at [0, 0]", 0, 3)),
            ([DATA, i64([0, -(1 << 63)])], outside(-(1 << 63), " at [0, 1]", 0, 3)),
            ([DATA, i64([(1 << 63) - 1, 0])], outside((1 << 63) - 1, " at [0, 0]", 0, 3)),
        ],
    ),
    "gather_i32": (
        "Gather",
        {"axis": 1},
        [DATA, np.array([1, -2], np.int32)],
        [
            ([DATA, np.array([2, 0], np.int32)], outside(2, " at [0]", 1, 2)),
            ([DATA, np.array([0, -3], np.int32)], outside(-3, " at [1]", 1, 2)),
        ],
    ),
    "gather_many": (
        "Gather",
        {},
        [DATA, np.arange(1001) % 3],
        [
            ([DATA, np.where(np.arange(1001) == at, 3, 0)], outside(3, f" at [{at}]", 0, 3))
            for at in (0, 501, 1000)
        ],
    ),
    "gather_scalar": (
        "Gather",
        {},
        [DATA, i64(1)[0]],
        [([DATA, np.array(3)], outside(3, "", 0, 3))],
    ),
    "gather_elements": (
        "GatherElements",
        {},
        [DATA, i64([2, -3])],
        [
            ([DATA, i64([0, 3])], outside(3, " at [0, 1]", 0, 3)),
            ([DATA, i64([-4, 0])], outside(-4, " at [0, 0]", 0, 3)),
        ],
    ),
    "gather_nd": (
        "GatherND",
        {},
        [DATA, i64([2, -2], [-3, 1])],
        [
            ([DATA, i64([0, 0], [3, 0])], outside(3, " at [1, 0]", 0, 3)),
            ([DATA, i64([2, 2], [3, 0])], outside(2, " at [0, 1]", 1, 2)),
            ([DATA, i64([0, 0], [0, -3])], outside(-3, " at [1, 1]", 1, 2)),
        ],
    ),
    "gather_nd_batch": (
        "GatherND",
        {"batch_dims": 1},
        [DATA, i64([0], [1], [-2])],
        [([DATA, i64([0], [2], [0])], outside(2, " at [1, 0]", 1, 2))],
    ),
    "scatter_elements": (
        "ScatterElements",
        {"axis": 1},
        [DATA, i64([1, -2]), f32(1, 2)],
        [
            ([DATA, i64([1, 2]), f32(1, 2)], outside(2, " at [0, 1]", 1, 2)),
            ([DATA, i64([-3, 0]), f32(1, 2)], outside(-3, " at [0, 0]", 1, 2)),
        ],
    ),
    "scatter": (
        "Scatter",
        {"opset": 10},
        [DATA, i64([2, 1]), f32(1, 2)],
        [([DATA, i64([1, 3]), f32(1, 2)], outside(3, " at [0, 1]", 0, 3))],
    ),
    "scatter_nd": (
        "ScatterND",
        {},
        [DATA, i64([2, -2], [-3, 1]), f32(2)],
        [
            ([DATA, i64([0, 0], [3, 0]), f32(2)], outside(3, " at [1, 0]", 0, 3)),
            ([DATA, i64([0, -3], [0, 0]), f32(2)], outside(-3, " at [0, 1]", 1, 2)),
        ],
    ),
    "tensor_scatter": (
        "TensorScatter",
        {"opset": 24},
        [f32(2, 4, 2), f32(2, 2, 2), i64(2, 0)],
        [
            ([f32(2, 4, 2), f32(2, 2, 2), i64(0, 3)], outside(4, " at [1, 1, 1]", 1, 4)),
            ([f32(2, 4, 2), f32(2, 2, 2), i64(-1, 0)], outside(-1, " at [0, 0, 1]", 1, 4)),
        ],
    ),
    "array_feature_extractor": (
        "ArrayFeatureExtractor",
        {"domain": "ai.onnx.ml"},
        [DATA, i64(1)],
        [
            ([DATA, i64(2)], outside(2, " at [0]", 1, 2)),
            ([DATA, i64(-1)], outside(-1, " at [0]", 1, 2)),
        ],
    ),
    "reverse_sequence": (
        "ReverseSequence",
        {"time_axis": 0, "batch_axis": 1},
        [f32(4, 2), i64(4, 0)],
        [
            ([f32(4, 2), i64(4, 5)], outside(5, " at [1]", 0, 5)),
            ([f32(4, 2), i64(-1, 4)], outside(-1, " at [0]", 0, 5)),
        ],
    ),
    "roi_align": (
        "RoiAlign",
        {"output_height": 2, "output_width": 2},
        [f32(2, 1, 4, 4), BOXES, i64(1, 0)],
        [
            ([f32(2, 1, 4, 4), BOXES, i64(0, 2)], outside(2, " at [1]", 0, 2)),
            ([f32(2, 1, 4, 4), BOXES, i64(-1, 0)], outside(-1, " at [0]", 0, 2)),
        ],
    ),
    # What follows does not depend on the indices.
    "gather_of_one": (
        "Gather",
        {},
        [DATA[:1], i64([0, -1])],
        [
            ([DATA[:1], i64([0, 1])], outside(1, " at [0, 1]", 0, 1)),
            ([DATA[:1], i64([-2, 0])], outside(-2, " at [0, 0]", 0, 1)),
        ],
    ),
    "roi_align_of_one": (
        "RoiAlign",
        {"output_height": 2, "output_width": 2},
        [f32(1, 1, 4, 4), BOXES, i64(0, 0)],
        [
            ([f32(1, 1, 4, 4), BOXES, i64(0, 1)], outside(1, " at [1]", 0, 1)),
            ([f32(1, 1, 4, 4), BOXES, i64(-1, 0)], outside(-1, " at [0]", 0, 1)),
        ],
    ),
}
CACHE = f32(2, 1, 4, 16) / 100
KEYS = f32(2, 1, 16) / 100
TABLE = f32(16, 8) / 100
TOTAL = np.array(5, np.int32)


def attention_inputs(*last: int, position: int = 4) -> list[np.ndarray]:
    """Inputs of attention with a cache, with the position of each sequence's last key."""
    positions = i64([4], [position])
    return [KEYS, KEYS, KEYS, CACHE, CACHE, np.array(last, np.int32), TOTAL, TABLE, TABLE, positions]


STATIC: dict[str, tuple[str, dict[str, Any], list[np.ndarray], Bad]] = {
    "max_unpool": (
        "MaxUnpool",
        {"opset": 11, "kernel_shape": [2, 2], "strides": [2, 2]},
        [f32(1, 1, 2, 2), i64([[[0, 1], [2, 15]]])],
        [
            ([f32(1, 1, 2, 2), i64([[[0, 16], [2, 15]]])], outside(16, " at [1]", 0, 16)),
            ([f32(1, 1, 2, 2), i64([[[0, 1], [-1, 15]]])], outside(-1, " at [2]", 0, 16)),
        ],
    ),
    "loss": (
        "NegativeLogLikelihoodLoss",
        {},
        [f32(2, 3), i64(1, 2)],
        [([f32(2, 3), i64(1, 3)], outside(3, " at [1, 0]", 1, 3))],
    ),
    "rotary_embedding": (
        "RotaryEmbedding",
        {"domain": "com.microsoft"},
        [f32(1, 2, 2, 4), i64([0, 3]), f32(4, 2), f32(4, 2)],
        [
            ([f32(1, 2, 2, 4), i64([4, 0]), f32(4, 2), f32(4, 2)], outside(4, " at [0, 0]", 0, 4)),
            ([f32(1, 2, 2, 4), i64([0, -1]), f32(4, 2), f32(4, 2)], outside(-1, " at [0, 1]", 0, 4)),
        ],
    ),
    "roi_align_samples": (
        "RoiAlign",
        {"output_height": 2, "output_width": 2, "sampling_ratio": 2},
        [f32(2, 1, 4, 4), BOXES, i64(1, 0)],
        [([f32(2, 1, 4, 4), BOXES, i64(0, 2)], outside(2, " at [1]", 0, 2))],
    ),
    "group_query_attention": (
        "GroupQueryAttention",
        {"domain": "com.microsoft", "num_heads": 1, "kv_num_heads": 1, "do_rotary": 1},
        attention_inputs(4, 4),
        [
            (attention_inputs(4, 5), outside(5, " at [1]", 0, 5)),
            (attention_inputs(-1, 4), outside(-1, " at [0]", 0, 5)),
            (attention_inputs(4, 4, position=16), outside(16, " at [1, 0]", 0, 16)),
        ],
    ),
}


@pytest.mark.parametrize(
    ("name", "named"), [(n, d) for n in CASES for d in (False, True)] + [(n, False) for n in STATIC]
)
def test_operators(name: str, named: bool) -> None:
    """The error says the index, where it is, and the bound; a later call works."""
    op, options, good, bad = {**CASES, **STATIC}[name]
    model = node_model(op, good, named, **options)
    program = oracle.compile_model(model)
    inputs = [{f"x{i}": value for i, value in enumerate(values)} for values, _ in [(good, ""), *bad]]
    expected = oracle.expected_of(model, inputs[0])
    for values, (_, message) in zip(inputs[1:], bad, strict=True):
        assert is_refused_by_onnxruntime(model, values)
        with pytest.raises(ValueError) as caught:
            program.run(values)
        assert str(caught.value).endswith(f": {message}") and "at" in str(caught.value).partition(":")[0]
        assert not oracle.differences(program.run(inputs[0]), expected)


def test_attention_without_cache() -> None:
    """The position of the last key decides nothing: all sequences have as many keys."""
    names = ["q", "k", "v", "", "", "last", "total"]
    options: dict[str, Any] = {"domain": "com.microsoft", "num_heads": 1, "kv_num_heads": 1}
    node = helper.make_node("GroupQueryAttention", names, ["y", "keys", "values"], name="at", **options)
    keys = f32(2, 3, 16) / 100
    inputs: dict[str, np.ndarray] = {
        **dict.fromkeys("qkv", keys),
        "last": np.array([2, 2], np.int32),
        "total": np.array(3, np.int32),
    }
    declared = {
        name: (helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for name, value in inputs.items()
    }
    model = graph_model([node], declared, dict.fromkeys(("y", "keys", "values"), F32))
    program = oracle.compile_model(model)
    assert not oracle.differences(program.run(inputs), oracle.expected_of(model, inputs))
    wrong = inputs | {"last": np.array([2, 3], np.int32)}
    assert is_refused_by_onnxruntime(model, wrong)
    with pytest.raises(ValueError, match=r"at': index 3 at \[1\] is out of bounds for axis 0 of size 3"):
        program.run(wrong)


@pytest.mark.parametrize("operator", ["CumSum", "ReduceSum"])
def test_axis_of_one(operator: str) -> None:
    """An axis that the call chooses, of a tensor of one element, which is the result in any case."""
    node = helper.make_node(operator, ["x", "axis"], ["y"], name="at")
    model = graph_model([node], {"x": (F32, [1, 1]), "axis": (I64, [1])}, {"y": F32})
    program = oracle.compile_model(model)
    x = f32(1, 1)
    np.testing.assert_array_equal(program.run({"x": x, "axis": i64(-2)})["y"], x)
    for axis in (2, -3):
        assert is_refused_by_onnxruntime(model, {"x": x, "axis": i64(axis)})
        with pytest.raises(ValueError, match=rf"{operator} 'y': an axis is outside of \[-2, 1\]"):
            program.run({"x": x, "axis": i64(axis)})


@pytest.mark.parametrize("named", [False, True])
def test_unchecked(named: bool) -> None:
    """The nearest element is read, and the report says that nothing is checked."""
    model = node_model("Gather", [DATA, i64(0)], named)
    program = oracle.compile_model(model, unchecked_indices=True)
    np.testing.assert_array_equal(program.run({"x0": DATA, "x1": i64(7)})["y"], DATA[2:])
    report = program.report()
    assert report["unchecked_indices"] and not report["index_checks"]
    assert oracle.compile_model(model).report()["index_checks"] == 1


def graph_model(
    nodes: list[onnx.NodeProto],
    inputs: Mapping[str, tuple[int, Sequence[int | str]]],
    outputs: dict[str, int],
) -> onnx.ModelProto:
    declared = [helper.make_tensor_value_info(name, *type_) for name, type_ in inputs.items()]
    results = [helper.make_tensor_value_info(name, type_, None) for name, type_ in outputs.items()]
    graph = helper.make_graph(nodes, "g", declared, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def constant(name: str, values: Any) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.asarray(values)))


def test_fused_with_neighbours_on_threads() -> None:
    """Indices that an elementwise op computes, and a look-up that a product and an elementwise op read."""
    table, weights = f32(50, 64) / 100, f32(64, 64) / 1000
    nodes = [
        constant("one", np.int64(1)),
        constant("t", table),
        constant("w", weights),
        helper.make_node("Add", ["i", "one"], ["j"]),
        helper.make_node("Gather", ["t", "j"], ["e"], name="look_up"),
        helper.make_node("MatMul", ["e", "w"], ["p"]),
        helper.make_node("Relu", ["p"], ["y"]),
    ]
    for rows in (200, "n"):
        program = oracle.compile_model(graph_model(nodes, {"i": (I64, [rows])}, {"y": F32}), threads=2)
        ids = np.arange(200) % 49
        np.testing.assert_allclose(program.run({"i": ids})["y"], table[ids + 1] @ weights, rtol=1e-4)
        with pytest.raises(ValueError, match=r"index 50 at \[199\] is out of bounds for axis 0 of size 50"):
            program.run({"i": np.where(np.arange(200) == 199, 49, 0)})


PROVEN = {
    "arg_max": [helper.make_node("ArgMax", ["x"], ["i"], axis=0, keepdims=0)],
    "top_k": [constant("k", i64(2)), helper.make_node("TopK", ["x", "k"], ["v", "i"], axis=0)],
    "clip": [
        constant("low", np.int64(-3)),
        constant("high", np.int64(2)),
        helper.make_node("Clip", ["n", "low", "high"], ["i"]),
    ],
    "mod": [constant("d", np.int64(3)), helper.make_node("Mod", ["n", "d"], ["i"])],
    "where": [
        helper.make_node("ArgMax", ["x"], ["a"], axis=0, keepdims=0),
        helper.make_node("ArgMin", ["x"], ["b"], axis=0, keepdims=0),
        helper.make_node("Cast", ["n"], ["c"], to=TensorProto.BOOL),
        helper.make_node("Where", ["c", "a", "b"], ["i"]),
    ],
}


@pytest.mark.parametrize("rows", [3, "rows"])
@pytest.mark.parametrize("name", PROVEN)
def test_no_check_where_the_range_is_known(name: str, rows: int | str) -> None:
    """Indices that are in range whatever the data are need none; of clip and mod if the size is known."""
    nodes = [*PROVEN[name], helper.make_node("Gather", ["x", "i"], ["y"])]
    model = graph_model(nodes, {"x": (F32, [rows, 2]), "n": (I64, [2])}, {"y": F32})
    is_proven = rows == 3 or name not in ("clip", "mod")
    assert oracle.compile_model(model).report()["index_checks"] == (0 if is_proven else 1)


def loop(trips: str, body: list[onnx.NodeProto]) -> onnx.NodeProto:
    """A loop whose body computes `row` from `iteration`."""
    graph = helper.make_graph(
        [helper.make_node("Identity", ["going"], ["again"]), *body],
        "body",
        [
            helper.make_tensor_value_info("iteration", I64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
        ],
        [
            helper.make_tensor_value_info("again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("row", F32, None),
        ],
    )
    return helper.make_node("Loop", [trips, ""], ["y"], body=graph)


@pytest.mark.parametrize("rows", [3, "rows"])
def test_loop(rows: int | str) -> None:
    """Each iteration checks the indices that it reads."""
    body = [
        helper.make_node("Gather", ["i", "iteration"], ["at"], name="outer"),
        helper.make_node("Gather", ["x", "at"], ["row"], name="inner"),
    ]
    model = graph_model(
        [constant("trips", np.int64(4)), loop("trips", body)],
        {"x": (F32, [rows, 2]), "i": (I64, ["m" if rows == "rows" else 4])},
        {"y": F32},
    )
    program = oracle.compile_model(model)
    np.testing.assert_array_equal(program.run({"x": DATA, "i": i64(2, 0, -1, 1)})["y"], DATA[[2, 0, 2, 1]])
    with pytest.raises(ValueError, match="inner': index 3 is out of bounds for axis 0 of size 3"):
        program.run({"x": DATA, "i": i64(2, 0, 3, 1)})
    if rows == "rows":
        with pytest.raises(ValueError, match="outer': index 2 is out of bounds for axis 0 of size 2"):
            program.run({"x": DATA, "i": i64(2, 0)})


def test_loop_for_its_checks() -> None:
    """A loop whose results nothing reads, whose body checks a carried value."""
    body = helper.make_graph(
        [
            helper.make_node("Gather", ["x", "at"], ["row"], name="inner"),
            helper.make_node("Add", ["at", "step"], ["next"]),
            helper.make_node("Identity", ["going"], ["again"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("iteration", I64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("at", I64, []),
        ],
        [
            helper.make_tensor_value_info("again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", I64, []),
        ],
    )
    nodes = [
        constant("zero", np.int64(0)),
        helper.make_node("Loop", ["trips", "", "zero"], ["last"], body=body),
        helper.make_node("Neg", ["x"], ["y"]),
    ]
    inputs = {"x": (F32, [3, 2]), "trips": (I64, []), "step": (I64, [])}
    model = graph_model(nodes, inputs, {"y": F32})
    program = oracle.compile_model(model)
    good = {"x": DATA, "trips": np.array(3), "step": np.array(1)}
    np.testing.assert_array_equal(program.run(good)["y"], -DATA)
    assert is_refused_by_onnxruntime(model, good | {"trips": np.array(4)})
    with pytest.raises(ValueError, match="inner': index 3 is out of bounds for axis 0 of size 3"):
        program.run(good | {"trips": np.array(4)})


def test_no_check_of_iterations() -> None:
    """A loop that runs once for each row reads rows that exist."""
    body = [helper.make_node("Gather", ["x", "iteration"], ["row"])]
    shape = [
        helper.make_node("Shape", ["x"], ["s"], start=0, end=1),
        helper.make_node("Squeeze", ["s"], ["trips"]),
    ]
    for rows in (3, "rows"):
        program = oracle.compile_model(
            graph_model([*shape, loop("trips", body)], {"x": (F32, [rows, 2])}, {"y": F32})
        )
        assert program.report()["index_checks"] == 0
        np.testing.assert_array_equal(program.run({"x": DATA})["y"], DATA)


def branch(name: str, nodes: list[onnx.NodeProto]) -> onnx.GraphProto:
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info("r", F32, None)])


def test_branches() -> None:
    """Only the branch that runs checks, constants included."""
    one = branch("one", [helper.make_node("Gather", ["x", "i"], ["r"], name="taken")])
    other = branch(
        "other", [constant("far", i64(5)), helper.make_node("Gather", ["x", "far"], ["r"], name="constant")]
    )
    nodes = [helper.make_node("If", ["c"], ["y"], then_branch=one, else_branch=other)]
    inputs = {"x": (F32, [3, 2]), "i": (I64, [1]), "c": (TensorProto.BOOL, [])}
    program = oracle.compile_model(graph_model(nodes, inputs, {"y": F32}))
    np.testing.assert_array_equal(program.run({"x": DATA, "i": i64(1), "c": np.array(True)})["y"], DATA[1:2])
    with pytest.raises(ValueError, match="taken': index 3 at"):
        program.run({"x": DATA, "i": i64(3), "c": np.array(True)})
    with pytest.raises(
        ValueError, match=r"constant': index 5 at \[0\] is out of bounds for axis 0 of size 3"
    ):
        program.run({"x": DATA, "i": i64(3), "c": np.array(False)})


def far_constant(count: int) -> onnx.ModelProto:
    nodes = [constant("far", np.full(count, 5)), helper.make_node("Gather", ["x", "far"], ["y"], name="at")]
    return graph_model(nodes, {"x": (F32, [3, 2])}, {"y": F32})


def test_constant_out_of_range() -> None:
    """The model cannot be compiled; one whose constant is in the weights fails when it runs."""
    with pytest.raises(
        ModelError, match=r"^<memory>: Gather 'at': index 5 is out of bounds for axis 0 of size 3"
    ):
        oracle.compile_model(far_constant(1))
    program = oracle.compile_model(far_constant(500))
    with pytest.raises(ValueError, match=r"'at': index 5 at \[0\] is out of bounds for axis 0 of size 3"):
        program.run({"x": DATA})


def test_constant_and_dynamic_size() -> None:
    """Only the size is compared."""
    nodes = [constant("i", i64(4, 0, 2)), helper.make_node("Gather", ["x", "i"], ["y"], name="at")]
    program = oracle.compile_model(graph_model(nodes, {"x": (F32, ["rows", 2])}, {"y": F32}))
    assert program.report()["index_checks"] == 0
    np.testing.assert_array_equal(program.run({"x": f32(5, 2)})["y"], f32(5, 2)[[4, 0, 2]])
    with pytest.raises(
        ValueError, match="index 4 is out of bounds for axis 0: rows must be at least 5, got 3 and 5"
    ):
        program.run({"x": DATA})
