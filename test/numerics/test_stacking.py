"""Stacked products and convolutions compute what those apart do, and so does what stays out of @prepare.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

import pytest
from idiom_builder import Builder, Writer, model_of
from oracle import wrong_outputs

from mlc.frontends.onnx import import_model
from mlc.passes.common.rewriting import collect_ops
from mlc.pipelines.driver import run_pipeline

STACK = "graph-stack-contractions{min-gain=-100}"


def heads(b: Builder) -> str:
    x = b.input(2, 6, 8)
    q, k, v = (b.Add(b.MatMul(x, b.value(8, columns)), b.value(columns)) for columns in (16, 16, 12))
    scores = b.MatMul(
        b.Transpose(b.Reshape(q, [2, 6, 4, 4]), perm=[0, 2, 1, 3]),
        b.Transpose(b.Reshape(k, [2, 6, 4, 4]), perm=[0, 2, 3, 1]),
    )
    return b.MatMul(b.Softmax(scores), b.Transpose(b.Reshape(v, [2, 6, 4, 3]), perm=[0, 2, 1, 3]))


def gate(b: Builder) -> str:
    x = b.input(5, 8)
    return b.Mul(b.Sigmoid(b.MatMul(x, b.value(8, 24))), b.MatMul(x, b.value(8, 24)))


def row(b: Builder) -> str:
    x = b.input(1, 40)
    parts = [b.Gemm(x, b.value(columns, 40), b.value(columns), transB=1) for columns in (3, 5, 32)]
    return b.Concat(*map(b.Tanh, parts), axis=1)


def branches(batch: int) -> Writer:
    def write(b: Builder) -> str:
        x = b.input(batch, 16, 7, 7)
        thin = [b.Relu(b.Conv(x, b.value(outputs, 16, 1, 1), b.value(outputs))) for outputs in (32, 16, 8)]
        wide = b.Conv(thin[1], b.value(16, 16, 3, 3), pads=[1] * 4)
        return b.Concat(thin[0], wide, thin[2], axis=1)

    return write


def shortcut(b: Builder) -> str:
    x = b.input(1, 16, 8, 8)
    inner = b.Relu(b.Conv(x, b.value(16, 16, 1, 1), b.value(16), strides=[2, 2]))
    return b.Add(b.Conv(inner, b.value(32, 16, 1, 1)), b.Conv(x, b.value(32, 16, 1, 1), strides=[2, 2]))


FORMS = {
    "heads": heads,
    "gate": gate,
    "row": row,
    "branches": branches(1),
    "branches_2": branches(2),
    "shortcut": shortcut,
}
MODEL, INPUTS = model_of(FORMS, opset=13)
SWITCHES = {
    "stacked": {"graph-verify": f"{STACK},graph-verify"},
    "budget": {"graph-split-prepare": "graph-split-prepare{budget=0}"},
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_against_onnxruntime(switch: str) -> None:
    assert wrong_outputs(MODEL, INPUTS, replace_passes=SWITCHES[switch]) == {}


def test_every_group_is_one_op() -> None:
    module = import_model(MODEL).module
    run_pipeline(f"builtin.module(graph-optimize,{STACK})", module)
    # The products of the heads' scores and values, and those that read what another op computed, stay.
    assert len(collect_ops(module.operation, ("graph.conv"))) == 2 * 2 + 2
    weighted = [op for op in collect_ops(module.operation, "graph.matmul") if op.operands[1].type.rank == 2]
    assert len(weighted) == 3
