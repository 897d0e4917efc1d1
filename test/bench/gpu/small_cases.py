"""Cases that compile in a second or two, and one that does not compile."""

from __future__ import annotations

from dataclasses import replace

from onnx import helper

from bench.gpu.cases import PlannedCase, elements, gemm, rows
from bench.gpu.models import CaseModel, one_operator
from bench.gpu.runner.manifest import GpuCase, WeightSource


def folded_model() -> CaseModel:
    """Returns y = x w scale + bias; `@prepare` computes the part that depends only on weights."""
    nodes = [
        helper.make_node("Mul", ["w", "scale"], ["scaled"]),
        helper.make_node("MatMul", ["x", "scaled"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["y"]),
    ]
    weights = [
        WeightSource("w", "float32", (64, 512), seed=1),
        WeightSource("scale", "float32", (512,), "uniform", 0.5, 1.5, 2),
        WeightSource("bias", "float32", (512,), seed=3),
    ]
    return one_operator(nodes, [WeightSource("x", "float32", (32, 64))], (32, 512), weights)


def unknown() -> CaseModel:
    """An operator that nobody has."""
    node = helper.make_node("Unheard", ["x"], ["y"])
    return one_operator([node], [WeightSource("x", "float32", (4,))], (4,))


FOLDED = PlannedCase(GpuCase("folded_f32", "model", "f32", peers=("torch",), tolerance=1e-5), folded_model)
ROUNDED = PlannedCase(GpuCase("folded_bf16", "model", "bf16", peers=("torch",), tolerance=2e-2), folded_model)
UNKNOWN = PlannedCase(GpuCase("unknown_f32", "memory", "f32", peers=("torch",)), unknown)
GEMM = gemm(64, "f32")
BATCHED = gemm(32, "f16", batch=2)
GELU = elements("gelu", (32, 64), "bf16")
NORM = rows("layer_norm", (16, 512), "f32")
SMALL = [FOLDED, ROUNDED, GEMM, BATCHED, GELU, replace(NORM, case=replace(NORM.case, weight=0.5)), UNKNOWN]
