"""The registry of the functions that import ONNX operators, by domain, name and opset."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from mlc.threads import once

if TYPE_CHECKING:
    from mlc.frontends.onnx.node import Node
    from mlc.frontends.onnx.values import OnnxValue, Value

OperatorFunction = Callable[["Node"], "Value | Sequence[OnnxValue]"]
_Function = TypeVar("_Function", bound=OperatorFunction)

_MODULES = (
    "control_flow.conditional", "control_flow.loop_and_scan", "image.col2im", "image.grid_sample",
    "image.max_roi_pool", "image.non_max_suppression", "image.resize", "image.roi_align",
    "math.contraction", "math.einsum", "math.elementwise", "math.fourier_transforms", "math.logical",
    "math.mel_weight_matrix", "math.quantisation", "math.reduction", "math.top_k", "microsoft.activations",
    "microsoft.attention", "microsoft.block_quantised", "microsoft.dynamic_quantize_lstm",
    "microsoft.fused_products",
    "microsoft.group_query_attention", "microsoft.movement", "microsoft.normalisation",
    "microsoft.quantised", "microsoft.rotary_embedding", "microsoft.tokenizer", "ml.label_encoder",
    "ml.linear", "ml.maps", "ml.preprocessing", "ml.support_vectors", "ml.tree_ensembles", "nn.attention",
    "nn.checked_bodies", "nn.convolution",
    "nn.deformable_convolution", "nn.dropout", "nn.max_unpool", "nn.normalisation", "nn.pooling",
    "nn.qlinear_products", "nn.recurrent", "nn.transposed_convolution", "objects.optionals",
    "objects.sequence_map", "objects.sequences", "objects.strings", "objects.tf_idf", "tensor.casts",
    "tensor.center_crop_pad", "tensor.compaction", "tensor.creation", "tensor.gather_scatter",
    "tensor.movement", "tensor.one_hot", "tensor.padding", "tensor.random_generation", "tensor.slicing",
    "tensor.splitting", "tensor.squeeze", "training.gradient", "training.optimizers",
)  # fmt: skip


@dataclass(frozen=True)
class Registration:
    """The function that imports an operator in opsets `since` to `until` (inclusive; None: no end)."""

    function: OperatorFunction
    since: int
    until: int | None


_REGISTRY: dict[tuple[str, str], list[Registration]] = {}


def onnx_operator(
    *names: str, since: int = 1, until: int | None = None, domain: str = ""
) -> Callable[[_Function], _Function]:
    """Registers the decorated function for the operators `names` of a domain and range of opsets."""

    def register(function: _Function) -> _Function:
        """Registers `function` and returns it."""
        for name in names:
            _REGISTRY.setdefault((domain, name), []).append(Registration(function, since, until))
        return function

    return register


def lookup(domain: str, name: str, opset: int) -> OperatorFunction | None:
    """Returns the function for an operator in an opset, or None."""
    _load()
    for entry in _REGISTRY.get((domain, name), ()):
        if entry.since <= opset and (entry.until is None or opset <= entry.until):
            return entry.function
    return None


def registrations() -> dict[tuple[str, str], list[Registration]]:
    """Returns all registrations by domain and name."""
    _load()
    return dict(_REGISTRY)


def foreign_domains() -> list[str]:
    """Returns the domains in which code outside this package has registered operators, sorted."""
    entries = ((domain, entry) for (domain, _), found in _REGISTRY.items() for entry in found)
    foreign = (
        domain for domain, entry in entries if not entry.function.__module__.startswith("mlc.frontends.")
    )
    return sorted(set(foreign))


@once
def _load() -> None:
    for module in _MODULES:
        importlib.import_module(f"mlc.frontends.onnx.operators.{module}")
