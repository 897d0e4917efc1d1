"""Idioms in the forms of exporters: each is recognised, and compiled means what ONNX Runtime says.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|), 2e-3 for f16 (see `oracle`).
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from attention_forms import ATTENTION, ROTARY
from idiom_builder import Form, model_of
from idiom_forms import ACTIVATIONS, NORMALISATIONS, SOFTMAX
from oracle import wrong_outputs

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.frontends.onnx import import_model
from mlc.passes.common.rewriting import collect_ops
from mlc.pipelines.driver import run_pipeline

FAMILIES = {
    "activations": ACTIVATIONS,
    "normalisations": NORMALISATIONS,
    "softmax": SOFTMAX,
    "attention": ATTENTION,
    "rotary": ROTARY,
}
FORMS = {name: form for family in FAMILIES.values() for name, form in family.items()}
PIPELINE = "graph-infer-shapes,cse,canonicalize,graph-eliminate-noops,graph-recognize-idioms,canonicalize,cse"
UNCOUNTED = ("weight", "constant", "reshape", "unsqueeze", "squeeze", "identity")


def _recognise(form: Form) -> tuple[ir.Module, list[ir.Operation]]:
    """Returns the ops that remain of a form, and the module that owns them."""
    model, _ = model_of({"form": form})
    module = import_model(model).module
    run_pipeline(f"builtin.module({PIPELINE})", module)
    ops = collect_ops(module.operation)
    return module, [op for op in ops if op.name.startswith("graph.") and _short(op) not in UNCOUNTED]


def _short(op: ir.Operation) -> str:
    return op.name.removeprefix("graph.")


@pytest.mark.parametrize("name", FORMS)
def test_form_is_recognised(name: str) -> None:
    _module, ops = _recognise(FORMS[name])
    assert sorted(map(_short, ops)) == sorted(FORMS[name].ops)
    for what, expected in FORMS[name].found.items():
        (op,) = (op for op in ops if _short(op) == FORMS[name].ops[-1])
        assert _is(_property(op, what), expected), what


def _is(actual: Any, expected: Any) -> bool:
    return math.isclose(actual, expected, rel_tol=1e-6) if isinstance(expected, float) else actual == expected


def _property(op: ir.Operation, what: str) -> Any:
    if what == "mask":
        return str(graph.element_type(op.operands[3])) if len(op.operands) > 3 else None
    return graph.shape_of(op.operands[1])[-3] if what == "heads" else graph.attribute(op, what)


@pytest.mark.parametrize("family", FAMILIES)
def test_forms_mean_what_onnx_runtime_says(family: str) -> None:
    assert wrong_outputs(*model_of(FAMILIES[family])) == {}


def _wrong(name: str, old: float, new: float) -> Form:
    """A form with one constant changed."""

    def write(builder: Any) -> str:
        operand = builder.operand
        builder.operand = lambda value: operand(new if isinstance(value, float) and value == old else value)
        return FORMS[name].write(builder)

    return Form(write)


@pytest.mark.parametrize(
    ("name", "old", "new", "op"),
    [
        ("gelu_torchscript", 2**0.5, 1.5, "gelu"),
        ("gelu_tanh_cube", 0.044715, 0.05, "gelu"),
        ("quick_gelu", 1.702, 1.6, "gelu"),
        ("hard_swish_tensorflow", 1 / 6, 0.2, "hard_swish"),
        ("gelu_torchscript", 0.5, 0.25, "gelu"),
    ],
)
def test_another_constant_is_another_function(name: str, old: float, new: float, op: str) -> None:
    _module, ops = _recognise(_wrong(name, old, new))
    assert op not in map(_short, ops)
