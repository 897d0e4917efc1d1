"""The graph level, up to kernels."""

from __future__ import annotations

# Graph level, whole module: what every target wants.
GRAPH_OPTIMIZE: list[str] = [
    # Objects are numbers to all that follows.
    "graph-lower-objects",
    # Every rule below looks at shapes; exporters leave many out.
    "graph-infer-shapes",
    # Equal values become one value, by which idioms are recognised; what nobody uses goes.
    "cse",
    "canonicalize",
    # Branches and loops whose course constants tell become straight lines, which all rules below understand;
    # what loops compute anew each time moves out, and may leave branches without a difference.
    "graph-simplify-control-flow",
    "graph-hoist-invariants",
    "graph-simplify-control-flow",
    # No-ops would stand between the parts of idioms.
    "graph-eliminate-noops",
    # What is computed of nothing would only be carried along.
    "graph-eliminate-empty",
    # Idioms are recognised in the exporters' form, before it is taken apart.
    "graph-recognize-idioms",
    # Work on small values before they are expanded, so that the passes below see them next to each other.
    "graph-simplify-broadcasts",
    # Quotients and powers as products, of which the laws of algebra know more.
    "graph-reduce-strength",
    "graph-simplify-algebra",
    # The constants that are left meet, and go into weights.
    "graph-reassociate-constants",
    # What was split for grouped convolutions, and computed alike in each part, is one op again.
    "graph-eliminate-concat-split",
    # Before factors and padding fold into convolutions: exporters of channels-last models put transposes
    # between them.
    "graph-sink-transposes",
    # Batch normalisation becomes factors and offsets ...
    "graph-decompose",
    # ... which go into the weights before them.
    "graph-fold-scale",
    # Padding that exporters make an op of its own belongs to the window that reads it.
    "graph-fold-padding",
    # Last of those that move ops: parts of products and of weights, once these are what they will be.
    "graph-hoist-movement",
    # Views of constants and numbers that these two leave.
    "graph-simplify",
    # Rules build a producer anew where its user is, which may be in a loop: it moves out again.
    "graph-hoist-invariants",
    # Factors and offsets that several ops share are computed once.
    "cse",
    # From here on all shapes are known as far as they can be.
    "graph-verify",
]

# Graph level: layouts that vector machines want, ready for kernels.
LOWER_GRAPH: list[str] = [
    # First: its products get layouts, and its transposes meet those around it.
    "graph-decompose-attention",
    # Slices of columns would copy; as products of their own the parts meet what reads them.
    "graph-split-products",
    # Windows without padding read their input without conditions; the pads fuse into what computes it.
    "graph-materialize-padding",
    # Before layouts: where few channels more make blocks, and what they add is easily cut off.
    "graph-pad-channels",
    # Blocked channels, where they and the conversions at their edges are cheapest for the whole graph.
    "graph-assign-layouts",
    # What is left plain: windows of single channels run along rows, beyond which they read nothing ...
    "graph-unpad-windows",
    # ... and 1x1 windows are products there.
    "graph-conv-to-matmul",
    # Blocked channels are what the transforms work on; their products are packed already.
    "graph-winograd",
    "graph-pack-matmuls",
    # Nothing by default. Weights have their last form, whose conversion is constant work like any other.
    "graph-lower-precision",
    # Packing leaves reshapes and unpacks that cancel or are dead.
    "graph-simplify",
    "canonicalize",
    "cse",
    # Bias, activation and residual meet their product, without a reshape between them.
    "graph-sink-reshapes",
    "graph-simplify",
    # Weights are packed where they are read, which may be in a loop.
    "graph-hoist-invariants",
    # Last: all constant work is in the graph now, packing of weights included.
    "graph-split-prepare",
    "canonicalize",
    "cse",
]

# Graph level for GPUs: images with their channels last, ready for kernels.
LOWER_GRAPH_GPU: list[str] = [
    # A GPU's plan is a list of launches: what control flow is left is named before it confuses what follows.
    "graph-verify-no-control-flow",
    # A kernel computes attention whole, and the transposes around it, but for shapes that it lacks.
    "graph-decompose-attention{device=gpu}",
    # Slices of columns would copy; as products of their own the parts meet what reads them.
    "graph-split-products",
    # Convolutions read zeros around their image, pools what is least; a mean knows how many it counts.
    "graph-materialize-padding{pools-only=true rematerialize=true}",
    # Integers of 8 bits are multiplied as they lie in memory: before their windows become products.
    "func.func(graph-narrow-integer-convolutions)",
    # 1x1 windows become products, others have a block of all channels; transposes around them ...
    "graph-channels-last",
    # ... meet those around their neighbours.
    "func.func(graph-sink-transposes)",
    # Nothing by default. Weights have their last form, whose conversion is constant work like any other.
    "graph-lower-precision",
    # Products of integers, too, of which transposes may have come apart.
    "func.func(graph-narrow-integer-products)",
    # Tensor units multiply 32 bytes of a pixel at a time.
    "func.func(graph-fill-channels)",
    # Conversions came between products and the transposes that they could read through.
    "func.func(graph-sink-transposes)",
    "graph-simplify",
    "canonicalize",
    "cse",
    # Bias, activation and residual meet their product, without a reshape between them ...
    "func.func(graph-sink-reshapes{windows=true})",
    "graph-simplify",
    "canonicalize",
    # ... and conversions behind them, which were behind two.
    "func.func(graph-sink-reshapes{windows=true})",
    "graph-simplify",
    # For tensor units that want it so; no simplification comes after it.
    "func.func(graph-transpose-weights)",
    # Threads cannot look numbers up in their code.
    "graph-outline-constants",
    # Last: all constant work is in the graph now.
    "graph-split-prepare",
    "canonicalize",
    "cse",
    # A plan has fixed sizes: what data say is named before it confuses what follows.
    "graph-verify-fixed-sizes",
    # Nothing by default: what kernels leave to each other is known once all else is as it will be.
    "graph-narrow-values",
]

# Graph level to kernels: fusion, outlining, deduplication.
FORM_KERNELS: list[str] = [
    # Nothing by default. Ops are what they will be, and kernels are of one device each.
    "graph-place",
    "graph-form-kernels",
    # Before equal ops become one: what several launches of a device read is transferred once.
    "host-insert-transfers",
    # Equal launches are one; launches of unused results go.
    "canonicalize",
    "cse",
    "symbol-dce",
    # Branches one after the other, where that keeps fewer values alive.
    "host-order-launches",
    # Launches have their order; what the other device needs next is moved while this one computes.
    "host-overlap-transfers",
    # The planner and the kernels' compilation, each on its own, rely on launches that fit their kernels.
    "host-verify",
]
