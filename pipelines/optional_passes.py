"""The passes of the graph-level pipelines without which a program still compiles, only slower."""

from __future__ import annotations

# Rewrites from graph ops to equal ones that lower as well, and the order of launches. Not here: passes that
# verify, or do what users ask for by flags, those that lower (`pass_switches.LOWERS`), and those whose
# result others need (sizes, types, kernels, plans).
OPTIONAL = (
    "graph-simplify-control-flow",
    "graph-hoist-invariants",
    "graph-eliminate-noops",
    "graph-eliminate-empty",
    "graph-recognize-idioms",
    "graph-simplify-broadcasts",
    "graph-reduce-strength",
    "graph-simplify-algebra",
    "graph-reassociate-constants",
    "graph-eliminate-concat-split",
    "graph-sink-transposes",
    "graph-fold-scale",
    "graph-fold-padding",
    "graph-hoist-movement",
    "graph-simplify",
    "graph-split-products",
    "graph-pad-channels",
    "graph-unsqueeze-windows",
    "graph-assign-layouts",
    "graph-unpad-windows",
    "graph-conv-to-matmul",
    "graph-winograd",
    "graph-pack-matmuls",
    "graph-sink-reshapes",
    "graph-fill-channels",
    "host-order-launches",
    "host-overlap-transfers",
)
