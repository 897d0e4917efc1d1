"""Groups of graph ops that have fields in common; `views.py` has a view of each group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .spec import OpSpec, specs


@dataclass(frozen=True)
class Group:
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


def groups() -> Mapping[str, Group]:
    """The groups by the names of their views."""
    return {
        "Unary": Group("an elementwise op on one operand", _ops_with("x", family="elementwise")),
        "Binary": Group("an elementwise op on two operands", _ops_with("a", "b", family="elementwise")),
        "Reduction": Group(
            "a reduction along axes", tuple(name for name in specs() if name.startswith("reduce_"))
        ),
        "Cumulation": Group("sums or products up to each position", ("cumsum", "cumprod")),
        "ArgReduction": Group("the position of an extreme element", ("arg_max", "arg_min")),
        "MatrixProduct": Group("a product of matrices", ("matmul", "matmul_packed")),
        "Window": Group("an op on sliding windows", ("conv", "max_pool", "average_pool")),
        "Pool": Group("a pooling", ("max_pool", "average_pool")),
        "SoftmaxLike": Group("a softmax or its logarithm", ("softmax", "log_softmax")),
        "Normalisation": Group("a normalisation along axes", ("layer_norm", "rms_norm")),
        "Gathering": Group(
            "an op that gathers elements by indices", ("gather", "gather_elements", "gather_nd")
        ),
        "Scattering": Group("an op that updates elements by indices", ("scatter_elements", "scatter_nd")),
        "Reshaping": Group(
            "an op that keeps the elements in their order", ("reshape", "squeeze", "unsqueeze")
        ),
        "Quantisation": Group("a quantisation or its inverse", ("quantize_linear", "dequantize_linear")),
    }
