"""Models whose constant values exceed the budget of @prepare compute what they should.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

from idiom_builder import Builder, Writer, model_of
from oracle import wrong_outputs


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


def test_against_onnxruntime() -> None:
    replaced = {"graph-split-prepare": "graph-split-prepare{budget=0}"}
    assert wrong_outputs(MODEL, INPUTS, replace_passes=replaced) == {}
