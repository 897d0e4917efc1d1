"""The pipelines of the graph level, up to kernels."""

from __future__ import annotations

# Graph level, whole module, for every target.
GRAPH_OPTIMIZE: list[str] = [
    # Later passes see strings and sequences as ids.
    "graph-lower-objects",
    # Every rule below looks at shapes; exporters leave many out.
    "graph-infer-shapes",
    # Equal values become one value, by which idioms are recognised; unused ones are removed.
    "cse",
    # The sizes of values that became equal are equal, too.
    "func.func(graph-merge-size-names)",
    "canonicalize",
    # Branches with constant conditions and loops with constant trip counts become straight lines, which all
    # rules below understand; loop invariants move out, and may leave branches that are equal.
    "graph-simplify-control-flow",
    "graph-hoist-invariants",
    "graph-simplify-control-flow",
    # No-ops would separate the parts of idioms.
    "graph-eliminate-noops",
    # Ops on empty tensors would be carried through all passes.
    "graph-eliminate-empty",
    # Idioms are recognised in the exporters' form, before it is decomposed.
    "graph-recognize-idioms",
    # Computes on small values before they are expanded, so that the passes below see them adjacent.
    "graph-simplify-broadcasts",
    # Quotients and powers become products, to which more algebraic rules apply.
    "graph-reduce-strength",
    "graph-simplify-algebra",
    # The remaining constants become adjacent, and fold into weights.
    "graph-reassociate-constants",
    # Parts that were split for grouped convolutions, and have equal computations, are one op again.
    "graph-eliminate-concat-split",
    # Before factors and padding fold into convolutions: exporters of channels-last models put transposes
    # between them.
    "graph-sink-transposes",
    # Batch normalisation becomes factors and offsets ...
    "graph-decompose",
    # ... which go into the weights before them.
    "graph-fold-scale",
    # Padding that exporters write as a separate op belongs to the window that reads it.
    "graph-fold-padding",
    # Last of those that move ops: slices of products and of weights, once these are final.
    "graph-hoist-movement",
    # Views of constants and scalars that these two leave.
    "graph-simplify",
    # Rules rebuild a producer at its user, which may be in a loop: it moves out again.
    "graph-hoist-invariants",
    # Factors and offsets that several ops share are computed once.
    "cse",
    # From here on all shapes are known as far as they can be.
    "graph-verify",
]

# Graph level for CPUs: blocked layouts, ready for kernels.
LOWER_GRAPH: list[str] = [
    # First: its matmuls get layouts, and its transposes cancel those around it.
    "graph-decompose-attention",
    # Slices of columns would copy; as separate products the parts fuse with their readers.
    "graph-split-products",
    # Signals are images of one row from here on.
    "graph-unsqueeze-windows",
    # Windows without padding read their input without conditions; the pads fuse into its producer.
    "graph-materialize-padding",
    # Before layouts: where a few more channels make full blocks, and the added results are sliced off.
    "graph-pad-channels",
    # Blocked channels, where their cost and that of conversions is lowest for the whole graph.
    "graph-assign-layouts",
    # In plain layout: windows of single channels run along rows, without reads beyond them ...
    "graph-unpad-windows",
    # ... and 1x1 windows are products there.
    "graph-conv-to-matmul",
    # The transforms work on blocked channels; their products are packed already.
    "graph-winograd",
    "graph-pack-matmuls",
    # Does nothing by default. Weights have their final form, so that their conversion folds with the rest.
    "graph-lower-precision",
    # Packing leaves reshapes and unpacks that cancel or are dead.
    "graph-simplify",
    "canonicalize",
    "cse",
    # Bias, activation and residual are adjacent to their matmul, without a reshape between them.
    "graph-sink-reshapes",
    "graph-simplify",
    # Pads are final: another kernel may compute them.
    "graph-mark-padding",
    # Weights are packed where they are read, which may be in a loop.
    "graph-hoist-invariants",
    # Last: all constant computation is in the graph now, packing of weights included.
    "graph-split-prepare",
    "canonicalize",
    "cse",
]

# Graph level for GPUs: images with their channels last, ready for kernels.
LOWER_GRAPH_GPU: list[str] = [
    # A GPU's plan cannot fail on data: indices are clamped, quotients by 0 are 0.
    "graph-check-data{check=false}",
    # A GPU's plan is a list of launches: remaining control flow is reported before later passes fail on it.
    "graph-verify-no-control-flow",
    # One kernel computes attention and the transposes around it, except for shapes that it lacks.
    "graph-decompose-attention{device=gpu}",
    # Slices of columns would copy; as separate products the parts fuse with their readers.
    "graph-split-products",
    # Convolutions read zeros around their image, max pools the least value; a mean counts its elements.
    "graph-materialize-padding{pools-only=true rematerialize=true}",
    # 8-bit integers are multiplied without a conversion: before their windows become matmuls.
    "func.func(graph-narrow-integer-convolutions)",
    # 1x1 windows become matmuls, others have one block of all channels; transposes around them ...
    "graph-channels-last",
    # ... cancel those around their neighbours.
    "func.func(graph-sink-transposes)",
    # Does nothing by default. Weights have their final form, so that their conversion folds with the rest.
    "graph-lower-precision",
    # Matmuls of integers, too, from which transposes may have been separated.
    "func.func(graph-narrow-integer-products)",
    # Matrix units multiply 32 bytes of a pixel at a time.
    "func.func(graph-fill-channels)",
    # Conversions came between matmuls and the transposes that they could fold.
    "func.func(graph-sink-transposes)",
    "graph-simplify",
    "canonicalize",
    "cse",
    # Bias, activation and residual are adjacent to their matmul, without a reshape between them ...
    "func.func(graph-sink-reshapes{windows=true})",
    "graph-simplify",
    "canonicalize",
    # ... and so are conversions after them, which were after two reshapes.
    "func.func(graph-sink-reshapes{windows=true})",
    "graph-simplify",
    # For matrix units that need it; no simplification comes after it.
    "func.func(graph-transpose-weights)",
    # Threads cannot index constants in their code.
    "graph-outline-constants",
    # Last: all constant computation is in the graph now.
    "graph-split-prepare",
    "canonicalize",
    "cse",
    # A plan has fixed sizes: sizes that depend on data are reported before later passes fail on them.
    "graph-verify-fixed-sizes",
    # Does nothing by default. Last, since values between kernels are final now.
    "graph-narrow-values",
]

# Graph level to kernels: fusion, outlining, deduplication.
FORM_KERNELS: list[str] = [
    # Does nothing by default. Ops are final, and each kernel is for one device.
    "graph-place",
    # Before kernels: what the host program reads must have a buffer. No rewrite can lose a check any more.
    "graph-check-data",
    "graph-form-kernels",
    # Before equal ops become one: values that several launches of a device read are transferred once.
    "host-insert-transfers",
    # Equal launches become one; launches without used results are removed.
    "canonicalize",
    "cse",
    "symbol-dce",
    # Orders branches one after the other, where that keeps fewer values alive.
    "host-order-launches",
    # Launches have their order; transfers for the other device overlap with computation.
    "host-overlap-transfers",
    # The planner and the compilation of kernels, which are independent, rely on launches that fit.
    "host-verify",
]
