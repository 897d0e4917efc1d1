"""A pass in a plugin: replaces GELU by its approximation with tanh.

    mlc-opt --load-plugin=examples/fast_gelu.py --fast-gelu="min-elements=16" examples/gelu.mlir

An installed package registers passes by an entry point of the group `mlc.plugins` that names such a module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import apply_patterns


def use_tanh(op: ir.Operation) -> bool:
    """Changes `approximate` of a `graph.gelu` from "none" to "tanh"; returns whether it changed `op`."""
    if op.attributes["approximate"].value == "tanh":
        return False
    op.attributes["approximate"] = ir.StringAttr.get("tanh")
    return True


@dataclass(frozen=True)
class FastGelu(Pass):
    """Compute GELU by its approximation with tanh, on tensors of at least `min-elements` elements."""

    name = "fast-gelu"
    anchor = "func.func"
    exactness = "approximate"

    min_elements: int = option(1, help="leave smaller tensors as they are")

    def run(self, op: ir.Operation) -> None:
        """Applies the pattern to a function."""
        apply_patterns(op, {"graph.gelu": lambda gelu: self._is_large(gelu) and use_tanh(gelu)})

    def _is_large(self, op: ir.Operation) -> bool:
        result_type = ir.RankedTensorType(op.results[0].type)
        return result_type.has_static_shape and math.prod(result_type.shape) >= self.min_elements


def register(registry: Any) -> None:
    """Registers the pass; --load-plugin calls it."""
    registry.register(FastGelu.name, FastGelu)
