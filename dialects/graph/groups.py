"""Groups of graph ops that have fields in common; `views.py` has a view of each group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .spec import OpSpec, specs


@dataclass(frozen=True)
class ViewGroup:
    """Ops that have fields in common, by their names without the dialect's."""

    summary: str
    ops: tuple[str, ...]


def _ops_with(*operands: str, family: str) -> tuple[str, ...]:
    """The ops of a family with these operands."""
    return tuple(
        name for name, spec in specs().items() if spec.family == family and _operands(spec) == operands
    )


def _operands(spec: OpSpec) -> tuple[str, ...]:
    return tuple(operand.name for operand in spec.operands)


def groups() -> Mapping[str, ViewGroup]:
    """The groups by the names of their views."""
    return {
        "Unary": ViewGroup("an elementwise op on one operand", _ops_with("x", family="elementwise")),
        "Binary": ViewGroup("an elementwise op on two operands", _ops_with("a", "b", family="elementwise")),
        "Reduction": ViewGroup(
            "a reduction along axes", tuple(name for name in specs() if name.startswith("reduce_"))
        ),
        "Cumulation": ViewGroup("sums or products up to each position", ("cumsum", "cumprod")),
        "ArgReduction": ViewGroup("the position of an extreme element", ("arg_max", "arg_min")),
        "MatrixProduct": ViewGroup("a product of matrices", ("matmul", "matmul_packed")),
        "Window": ViewGroup("an op on sliding windows", ("conv", "max_pool", "average_pool")),
        "Pool": ViewGroup("a pooling", ("max_pool", "average_pool")),
        "SoftmaxLike": ViewGroup("a softmax or its logarithm", ("softmax", "log_softmax")),
        "Normalisation": ViewGroup("a normalisation along axes", ("layer_norm", "rms_norm")),
        "Gathering": ViewGroup(
            "an op that gathers elements by indices", ("gather", "gather_elements", "gather_nd")
        ),
        "Scattering": ViewGroup("an op that updates elements by indices", ("scatter_elements", "scatter_nd")),
        "Reshaping": ViewGroup(
            "an op that keeps the elements in their order", ("reshape", "squeeze", "unsqueeze")
        ),
        "Quantisation": ViewGroup("a quantisation or its inverse", ("quantize_linear", "dequantize_linear")),
    }
