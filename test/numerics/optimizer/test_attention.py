"""Attention in one kernel: heads where they are stored, odd numbers of queries and keys, masks.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import compile_model, differences, runtime, wrong_outputs

from mlc.compiler import Options
from mlc.compiler.levels import levels
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class Case:
    """`mask`: "added" or "chosen" per key, "causal" as a triangle of booleans, or none. `heads` are the
    queries'; keys and values have as many, or `shared`. `safe`: weights that are NaN count as 0. `scaled`:
    scores have a scale."""

    queries: int
    keys: int
    heads: int
    width: int
    features: int
    mask: str = ""
    batch: int = 1
    shared: int = 0
    safe: bool = False
    scaled: bool = True


CASES = [
    Case(197, 197, 3, 64, 64),
    Case(128, 128, 2, 64, 64, "causal"),
    # The third block begins within the second one.
    Case(82, 50, 2, 24, 80, "added", batch=2),
    Case(37, 100, 2, 17, 33, "chosen"),
    Case(16, 5, 4, 8, 8, batch=3),
    # More keys than queries: each query sees those before it, and the first ones.
    Case(40, 57, 2, 16, 16, "causal"),
    Case(33, 700, 1, 16, 32),
    Case(31, 31, 2, 16, 16, "causal"),
    Case(512, 512, 1, 32, 32, "chosen"),
    Case(1000, 1000, 1, 16, 16, "causal"),
    Case(20, 2000, 2, 16, 16),
    # Values 2 KB apart, which are copied.
    Case(130, 1024, 8, 64, 64),
    # Groups of heads: of 3 heads with their keys, of all heads, and with a mask for each query.
    Case(64, 64, 6, 16, 16, batch=2, shared=2),
    Case(33, 70, 4, 16, 24, "added", batch=2, shared=1),
    Case(128, 128, 8, 64, 64, "causal", shared=2),
    # Nothing stands between the first product and the softmax.
    Case(37, 67, 2, 16, 16, scaled=False),
]


def model_of(case: Case) -> onnx.ModelProto:
    """Rows of q, k and v hold all heads: they are transposed, as exporters write it."""
    rows = {"q": case.queries, "k": case.keys, "v": case.keys}
    widths = {"q": case.width, "k": case.width, "v": case.features}
    nodes, weights, inputs = [], {}, []
    for name in "qkv":
        heads = case.heads if name == "q" else case.shared or case.heads
        inputs.append((name, TensorProto.FLOAT, [case.batch, rows[name], heads * widths[name]]))
        weights[f"{name}_heads"] = np.array([case.batch, rows[name], heads, widths[name]])
        nodes.append(helper.make_node("Reshape", [name, f"{name}_heads"], [f"{name}_split"]))
        if heads < case.heads:
            repeated, constants = repeat_heads(name, case, weights[f"{name}_heads"])
            nodes += repeated
            weights |= constants
            continue
        order = [0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]
        nodes.append(helper.make_node("Transpose", [f"{name}_split"], [f"{name}_first"], perm=order))
    weights |= {"scale": np.array(case.width**-0.5 if case.scaled else 1, np.float32)}
    weights |= {"low": np.array(np.finfo(np.float32).min)}
    nodes.append(helper.make_node("MatMul", ["q_first", "k_first"], ["product"]))
    nodes.append(helper.make_node("Mul", ["product", "scale"], ["scores"]))
    last = "scores" if not case.mask else "masked"
    if case.mask == "added":
        inputs.append(("mask", TensorProto.FLOAT, [case.batch, 1, 1, case.keys]))
        nodes.append(helper.make_node("Add", ["scores", "mask"], ["masked"]))
    elif case.mask:
        shape = [case.batch, 1, 1, case.keys]
        if case.mask == "causal":
            weights["mask"] = np.tri(case.queries, case.keys, case.keys - case.queries, dtype=bool)
        else:
            inputs.append(("mask", TensorProto.BOOL, shape))
        nodes.append(helper.make_node("Where", ["mask", "scores", "low"], ["masked"]))
    weights["joined"] = np.array([case.batch, case.queries, case.heads * case.features])
    nodes.append(helper.make_node("Softmax", [last], ["shares" if case.safe else "weights"], axis=-1))
    if case.safe:
        weights["zero"] = np.array(0, np.float32)
        nodes.append(helper.make_node("IsNaN", ["shares"], ["nothing"]))
        nodes.append(helper.make_node("Where", ["nothing", "zero", "shares"], ["weights"]))
    nodes += [
        helper.make_node("MatMul", ["weights", "v_first"], ["values"]),
        helper.make_node("Transpose", ["values"], ["rows"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["rows", "joined"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "attention",
        [helper.make_tensor_value_info(*info) for info in inputs],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, weights["joined"].tolist())],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def repeat_heads(
    name: str, case: Case, shape: np.ndarray
) -> tuple[list[onnx.NodeProto], dict[str, np.ndarray]]:
    """`[batch, rows, heads, width]` as `<name>_first` with each head as often as a group has queries."""
    batch, rows, heads, width = shape
    constants = {
        f"{name}_axis": np.array([2]),
        f"{name}_groups": np.array([batch, heads, case.heads // heads, rows, width]),
        f"{name}_joined": np.array([batch, case.heads, rows, width]),
    }
    last = f"{name}_all" if name == "k" else f"{name}_first"
    nodes = [
        helper.make_node("Transpose", [f"{name}_split"], [f"{name}_once"], perm=[0, 2, 1, 3]),
        helper.make_node("Unsqueeze", [f"{name}_once", f"{name}_axis"], [f"{name}_one"]),
        helper.make_node("Expand", [f"{name}_one", f"{name}_groups"], [f"{name}_expanded"]),
        helper.make_node("Reshape", [f"{name}_expanded", f"{name}_joined"], [last]),
    ]
    if name == "k":
        nodes.append(helper.make_node("Transpose", [last], ["k_first"], perm=[0, 1, 3, 2]))
    return nodes, constants


def inputs_of(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Normally distributed values; of booleans the first is true, so that no query is without a key."""
    rng = np.random.default_rng(1)
    found: dict[str, np.ndarray] = {}
    for info in model.graph.input:
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        value = rng.standard_normal(shape).astype(np.float32)
        found[info.name] = value
        if info.type.tensor_type.elem_type == TensorProto.BOOL:
            found[info.name] = value > 0
            found[info.name][..., 0] = True
    return found


def kernels_of(model: onnx.ModelProto, **options: Any) -> list[str]:
    """The names of the ops in the model's kernels, without movement and masks."""
    module = dict(levels(model, Options(**options)))["form-kernels"].operation
    ops = [op.name.removeprefix("graph.") for op in collect_ops(module) if op.name.startswith("graph.")]
    movement = ("transpose", "reshape", "constant", "weight", "prepared", "where", "full", "trilu")
    return [name for name in ops if name not in movement]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_kernel_says_what_onnx_runtime_says(case: Case) -> None:
    model = model_of(case)
    inputs = inputs_of(model)
    assert kernels_of(model) == ["attention"]
    assert wrong_outputs(model, inputs) == {}


@pytest.mark.parametrize("processor", ["haswell", "x86-64"])
def test_vectors_of_other_lengths(processor: str) -> None:
    model = model_of(Case(197, 57, 4, 24, 40, "causal", shared=2))
    inputs = inputs_of(model)
    expected = runtime(model, inputs)
    assert expected is not None
    assert differences(compile_model(model, target=processor).run(inputs), expected) == {}


def test_threads_share_the_queries_of_one_head() -> None:
    """Parts of 125 queries, whose last blocks compute some again: the same bits as on one thread."""
    model = model_of(Case(1000, 1000, 1, 16, 16, "causal"))
    inputs = inputs_of(model)
    alone, together = (compile_model(model, threads=count).run(inputs)["y"] for count in (1, 2))
    np.testing.assert_array_equal(alone, together)


def test_the_option_takes_it_apart() -> None:
    replaced = {"graph-decompose-attention": "graph-decompose-attention{one-kernel=false}"}
    assert kernels_of(model_of(CASES[0]), replace_passes=replaced) == ["matmul", "mul", "softmax", "matmul"]


@pytest.mark.parametrize("masked", [-np.inf, -3e38])
def test_masked_keys_count_nothing(masked: float) -> None:
    """Whatever they and their values are."""
    case = Case(48, 40, 1, 16, 16, "added")
    model = model_of(case)
    inputs = inputs_of(model)
    inputs["mask"][..., 20:] = masked
    whole = compile_model(model).run(inputs)["y"]
    assert np.isfinite(whole).all()
    for name in "kv":
        inputs[name][:, 20:] = 1e3
    np.testing.assert_array_equal(compile_model(model).run(inputs)["y"], whole)


def test_queries_without_any_key_count_as_zero() -> None:
    """The model asks for zero; in the second of two batches no key is left."""
    model = model_of(Case(48, 40, 2, 16, 16, "added", batch=2, safe=True))
    inputs = inputs_of(model)
    inputs["mask"][1] = -np.inf
    assert kernels_of(model) == ["attention"]
    expected = runtime(model, inputs)
    assert expected is not None and not expected["y"][1].any()
    assert differences(compile_model(model).run(inputs), expected) == {}
