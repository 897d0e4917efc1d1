"""Which function imports which ONNX operator, by domain, name and opset."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mlc.frontends.onnx.node import Node
    from mlc.frontends.onnx.values import Held, Value

OperatorFunction = Callable[["Node"], "Value | Sequence[Held]"]
_Function = TypeVar("_Function", bound=OperatorFunction)

_MODULES = (
    "attention", "axes", "batch_norm", "bit_casts", "branches", "causal_convolution", "columns",
    "compaction", "contraction", "control", "convolution", "creation", "cropping", "deformable", "dropout",
    "einsum", "elementwise", "gradient", "grids", "indexing", "logic", "max_rois", "mel", "movement",
    "normalisation", "one_hot", "optionals", "ordering", "padding", "pooling", "quantisation",
    "quantised_products",
    "random_numbers", "ranges", "recurrent", "reduction", "resize", "rois", "sequence_map",
    "sequence_split", "sequences", "signal", "slicing", "splitting", "strings", "suppression", "tf_idf",
    "tiling", "training", "transposed_convolution", "unpooling",
    "microsoft.activations", "microsoft.attention", "microsoft.blocks", "microsoft.group_query",
    "microsoft.movement", "microsoft.nbits", "microsoft.normalisation", "microsoft.products",
    "microsoft.quantised", "microsoft.quantised_attention", "microsoft.quantised_products",
    "microsoft.rotary",
    "ml.label_encoder", "ml.linear", "ml.maps", "ml.preprocessing", "ml.support_vectors",
    "ml.tree_ensemble", "ml.trees",
)  # fmt: skip


@dataclass(frozen=True)
class Registration:
    """`function` imports the operator in opsets `since` to `until` (inclusive; None: no end)."""

    function: OperatorFunction
    since: int
    until: int | None


_REGISTRY: dict[tuple[str, str], list[Registration]] = {}


def onnx_operator(
    *names: str, since: int = 1, until: int | None = None, domain: str = ""
) -> Callable[[_Function], _Function]:
    """Registers the decorated function for the operators `names` of a domain and range of opsets."""

    def register(function: _Function) -> _Function:
        for name in names:
            _REGISTRY.setdefault((domain, name), []).append(Registration(function, since, until))
        return function

    return register


def lookup(domain: str, name: str, opset: int) -> OperatorFunction | None:
    """The function for an operator in an opset, or None."""
    _load()
    for entry in _REGISTRY.get((domain, name), ()):
        if entry.since <= opset and (entry.until is None or opset <= entry.until):
            return entry.function
    return None


def registered() -> dict[tuple[str, str], list[Registration]]:
    """All registrations: (domain, name) -> entries."""
    _load()
    return dict(_REGISTRY)


def foreign_domains() -> list[str]:
    """The domains in which someone else than this package has registered operators."""
    entries = ((domain, entry) for (domain, _), found in _REGISTRY.items() for entry in found)
    foreign = (
        domain for domain, entry in entries if not entry.function.__module__.startswith("mlc.frontends.")
    )
    return sorted(set(foreign))


@cache
def _load() -> None:
    for module in _MODULES:
        importlib.import_module(f"mlc.frontends.onnx.operators.{module}")
