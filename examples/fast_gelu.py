"""A pass as a plugin: GELU by its approximation with tanh.

    mlc-opt --load-plugin=examples/fast_gelu.py --fast-gelu="min-elements=16" examples/gelu.mlir

An installed package offers its passes by an entry point of the group `mlc.plugins` that names such a module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import apply_patterns


def use_tanh(op: ir.Operation) -> bool:
    """gelu{approximate = "none"} -> gelu{approximate = "tanh"}; whether it changed `op`."""
    if op.attributes["approximate"].value == "tanh":
        return False
    op.attributes["approximate"] = ir.StringAttr.get("tanh")
    return True


@dataclass(frozen=True)
class FastGelu(Pass):
    """Computes GELU by its approximation with tanh, on tensors that are large enough to matter."""

    name = "fast-gelu"
    anchor = "func.func"
    exactness = "approximate"

    min_elements: int = option(1, help="leave smaller tensors as they are")

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, {"graph.gelu": lambda gelu: self._is_large(gelu) and use_tanh(gelu)})

    def _is_large(self, op: ir.Operation) -> bool:
        kind = ir.RankedTensorType(op.results[0].type)
        return kind.has_static_shape and math.prod(kind.shape) >= self.min_elements


def register(registry: Any) -> None:
    """What --load-plugin calls."""
    registry.register(FastGelu.name, FastGelu)
