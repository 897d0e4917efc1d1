"""The import budget: a few bytes that ask for too much are refused before anything is built."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import ImportBudget, import_model

from .models import info, model

MACHINE_LEARNING, MINE = "ai.onnx.ml", "mine"
IMAGE = info("x", 1, 1, 4, 4)
HUGE = 2**40


def one(
    op_type: str, *known: Any, x: onnx.ValueInfoProto | None = None, opset: int = 21, **attributes: Any
) -> ModelProto:
    """Returns a model of one node, whose operands are `x`, then the constants `known` (None: left out)."""
    names = ["" if array is None else f"c{index}" for index, array in enumerate(known)]
    node = helper.make_node(op_type, [*(["x"] if x else []), *names], ["y"], "big", **attributes)
    tensors = [
        numpy_helper.from_array(np.asarray(array), name)
        for array, name in zip(known, names, strict=True)
        if name
    ]
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MACHINE_LEARNING, 3)]
    return model([node], [x] if x else [], ["y"], tensors, opset_imports=opsets)


def doubling_functions(levels: int) -> ModelProto:
    """Returns a model of functions, each of which calls the next one twice."""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MINE, 1)]
    functions = [
        helper.make_function(MINE, "f0", ["a"], ["c"], [helper.make_node("Neg", ["a"], ["c"])], opsets)
    ]
    for level in range(1, levels):
        calls = [
            helper.make_node(f"f{level - 1}", [read], [written], domain=MINE)
            for read, written in ("ab", "bc")
        ]
        functions.append(helper.make_function(MINE, f"f{level}", ["a"], ["c"], calls, opsets))
    call = helper.make_node(f"f{levels - 1}", ["x"], ["y"], domain=MINE)
    return model([call], [info("x", 4)], ["y"], functions=functions, opset_imports=opsets)


def regression_tree(targets: int) -> ModelProto:
    """Returns a tree of one decision that has this many targets."""
    attributes: dict[str, Any] = {
        "nodes_treeids": [0, 0, 0],
        "nodes_nodeids": [0, 1, 2],
        "nodes_featureids": [0, 0, 0],
        "nodes_values": [0.0, 0.0, 0.0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0],
        "target_nodeids": [1, 2],
        "target_ids": [0, 0],
        "target_weights": [1.0, 2.0],
    }
    x = info("x", 1, 4)
    return one("TreeEnsembleRegressor", x=x, domain=MACHINE_LEARNING, n_targets=targets, **attributes)


TOO_LARGE = {
    "functions": (
        doubling_functions(20),
        "the model expands to 1572863 nodes, more than the import budget of 250000",
    ),
    "targets": (regression_tree(2**33), "8589934592 nodes"),
    "constant_of_shape": (one("ConstantOfShape", [HUGE, 2]), "elements"),
    "expand": (one("Expand", [HUGE, 4], x=info("x", 4)), "elements"),
    "tile": (one("Tile", [HUGE], x=info("x", 4)), "elements"),
    "pad": (one("Pad", [0, HUGE], x=info("x", 4)), "elements"),
    "range": (one("Range", 0, 2**62, 1), "elements"),
    "one_hot": (
        one("OneHot", HUGE, np.array([0, 1], np.float32), x=info("x", 4, onnx_type=TensorProto.INT64)),
        "elements",
    ),
    "input": (one("Neg", x=info("x", HUGE, HUGE)), "elements"),
    "crop": (one("CenterCropPad", [HUGE, HUGE], x=info("x", 4, 4)), "elements"),
    "pool": (one("MaxPool", x=IMAGE, kernel_shape=[HUGE] * 2, pads=[HUGE] * 4), "elements"),
    "window": (one("HannWindow", HUGE), "elements"),
    "mel": (one("MelWeightMatrix", 2**30, 2**30, 16000, np.float32(0), np.float32(8000)), "bytes"),
    "dft": (one("DFT", 2**33, x=info("x", 1, 4, 1)), "bytes"),
    "resize": (one("Resize", None, None, [1, 1, HUGE, 4], x=IMAGE, mode="linear"), "bytes"),
    "upsample": (one("Upsample", np.array([1, 1, 1e9, 1e9], np.float32), x=IMAGE, opset=9), "bytes"),
    "affine_grid": (one("AffineGrid", [1, 1, 2**20, 2**20], x=info("x", 1, 2, 3)), "bytes"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large(name: str) -> None:
    proto, message = TOO_LARGE[name]
    assert len(proto.SerializeToString()) < 1500
    with pytest.raises(ModelError) as caught:
        import_model(proto)
    text = str(caught.value)
    assert message in text and "import_budget={'" in text
    assert name == "functions" or "node 'big" in text


def test_outputs_of_split_are_not_counted_by_an_attribute() -> None:
    with pytest.raises(ModelError, match=f"num_outputs is {HUGE}, but the number of its outputs is 1"):
        import_model(one("Split", x=info("x", 4), num_outputs=HUGE))


def test_sequences_are_counted_before_they_are_split() -> None:
    nodes = [
        helper.make_node("Expand", ["x", "shape"], ["wide"]),
        helper.make_node("SplitToSequence", ["wide"], ["parts"], "split"),
        helper.make_node("ConcatFromSequence", ["parts"], ["y"], axis=0),
    ]
    shape = numpy_helper.from_array(np.array([2**32, 4]), "shape")
    with pytest.raises(ModelError, match=r"node 'split' .* 4294967296 nodes"):
        import_model(model(nodes, [info("x", 4)], ["y"], [shape]))


def test_a_node_without_outputs() -> None:
    nodes = [helper.make_node("Cast", ["x"], [], to=1), helper.make_node("Neg", ["x"], ["y"])]
    with pytest.raises(ModelError, match=r"node 'Cast:' .*output size 0"):
        import_model(model(nodes, [info("x", 4)], ["y"]))


def chain(nodes: int) -> ModelProto:
    """Returns a model of this many nodes, one after the other."""
    names = ["x", *(f"v{index}" for index in range(nodes - 1)), "y"]
    return model(
        [helper.make_node("Neg", [read], [written]) for read, written in itertools.pairwise(names)],
        [info("x", 4)],
        ["y"],
    )


@pytest.mark.parametrize(
    ("limits", "message"),
    [({"nodes": 10}, "nodes"), ({"elements": 3}, "elements"), ({"seconds": 1e-9}, "takes more than")],
)
def test_a_small_budget_refuses_what_a_larger_one_takes(limits: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        import_model(chain(11), budget=ImportBudget.with_limits(limits))
    import_model(chain(11), budget=ImportBudget.with_limits({"nodes": 1000, "elements": 4, "seconds": 600}))


def test_computed_constants_count_together() -> None:
    proto = one("Resize", None, None, [1, 1, 64, 64], x=IMAGE, mode="linear")
    import_model(proto, budget=ImportBudget.with_limits({"constant_bytes": 10**5}))
    with pytest.raises(ModelError, match=r"computes have \d+ bytes, more than the import budget of 2100"):
        import_model(proto, budget=ImportBudget.with_limits({"constant_bytes": 2100}))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"node": 1}, "no limit 'node', but nodes, constant_bytes, elements, seconds"),
        ({"nodes": 0}, "nodes must be positive, but is 0"),
        ({"nodes": 2.5}, "nodes must be positive, but is 2.5"),
        ({"seconds": float("nan")}, "seconds must be positive, but is nan"),
    ],
)
def test_wrong_limits(limits: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ImportBudget.with_limits(limits)
