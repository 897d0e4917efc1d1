"""The named pipelines: each one visible list of pipeline elements, in order.

A list holds pipeline text: passes of ours and of upstream, nested anchors, other named pipelines. A name
stands anywhere a pass does: in pipeline text, and as `mlc-opt --graph-optimize`. `mlc-opt
--list-passes` shows what there is to choose from.
"""

from __future__ import annotations

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry

# Graph level, whole module: what every target wants.
GRAPH_OPTIMIZE: list[str] = [
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
    # Layouts and kernels are for straight lines: what control flow is left is named before it confuses them.
    "graph-verify-no-control-flow",
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
    # Last: all constant work is in the graph now, packing of weights included.
    "graph-split-prepare",
    "canonicalize",
    "cse",
]

# Graph level for GPUs: images with their channels last, ready for kernels.
LOWER_GRAPH_GPU: list[str] = [
    # Layouts and kernels are for straight lines: what control flow is left is named before it confuses them.
    "graph-verify-no-control-flow",
    # A kernel computes attention whole, and the transposes around it, but for shapes that it lacks.
    "graph-decompose-attention{device=gpu}",
    # Slices of columns would copy; as products of their own the parts meet what reads them.
    "graph-split-products",
    # Convolutions read zeros around their image, pools need their padding in memory.
    "graph-materialize-padding{pools-only=true}",
    # 1x1 windows become products, others have a block of all channels; transposes around them ...
    "graph-channels-last",
    # ... meet those around their neighbours.
    "func.func(graph-sink-transposes)",
    # Nothing by default. Weights have their last form, whose conversion is constant work like any other.
    "graph-lower-precision",
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
    # Threads cannot look numbers up in their code.
    "graph-outline-constants",
    # Last: all constant work is in the graph now.
    "graph-split-prepare",
    "canonicalize",
    "cse",
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
    # The planner and the kernels' compilation, each on its own, rely on launches that fit their kernels.
    "host-verify",
]

# A kernel's loops and memrefs to the llvm dialect: upstream's conversions, in an order in which each finds
# what it converts.
CPU_TO_LLVM: list[str] = [
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "lower-affine",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-vector-to-llvm{enable-x86=1 use-vector-alignment=0}",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm",
    "convert-index-to-llvm",
    "arith-expand",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-openmp-to-llvm",
    "convert-ub-to-llvm",
    "reconcile-unrealized-casts",
    "canonicalize",
    "cse",
    "llvm-verify-translatable",
]

# A kernel's loops, some of them parallel, to the llvm dialect.
CPU_THREADS_TO_LLVM: list[str] = [
    "func.func(tloop-map-parallel-loops)",
    "convert-scf-to-openmp",
    "func.func(tloop-balance-threads)",
    "func.func(tloop-stack-buffers)",
    # Drops the stack scopes around parallel iterations, which hold no allocation any more.
    "canonicalize",
    # The kernel contract: nothing is allocated. `malloc` would link, and leak.
    "tloop-verify-loops",
    "kernel-entry",
    *CPU_TO_LLVM,
]

# One kernel, from graph ops in its body to the llvm dialect.
CPU_KERNEL: list[str] = [
    "func.func(graph-to-linalg)",
    # What has no lowering is named here; later passes would fail on it without naming the op.
    "graph-verify-lowered",
    "canonicalize",
    "cse",
    # One computation per chain of elementwise ops; schedules then see an anchor and an epilogue.
    "tloop-fuse-elementwise",
    "canonicalize",
    "cse",
    # The planner lets such kernels write over an operand; two loop nests would read what is overwritten.
    "tloop-verify-in-place",
    "func.func(tloop-expand-math)",
    "tloop-default-schedules",
    "tloop-apply-schedules",
    # What a schedule from a file has left whole.
    "func.func(tloop-lower-windows)",
    "canonicalize",
    "cse",
    # Results are computed in the destination: no temporaries for them.
    "eliminate-empty-tensors",
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map}",
    # Loops return the buffer that they wrote; only then is it plain that the kernel's result needs no copy.
    "canonicalize",
    "buffer-results-to-out-params{hoist-static-allocs=1}",
    "canonicalize",
    "cse",
    # A tensor that survived would reach LLVM as a cast that cannot be translated.
    "tloop-verify-loops{heap=true}",
    # Kernels written as loops have had their schedules applied; what follows knows the loops of scf.
    "func.func(tloop-lower-affine-loops)",
    "func.func(tloop-lower-copies)",
    "func.func(buffer-loop-hoisting)",
    "func.func(convert-linalg-to-loops)",
    # Each factor of a register tile is loaded where it is used.
    "func.func(tloop-sink-loads)",
    "func.func(tloop-unroll-strided-reads)",
    # LLVM calls a function for each number where the processor has no instruction.
    "func.func(tloop-expand-bf16)",
    "func.func(convert-vector-to-scf{full-unroll=1})",
    "fold-memref-alias-ops",
    "canonicalize",
    "cse",
    # Register tiles as LLVM keeps them in registers: a value per row, and one address for what is loaded.
    "func.func(tloop-split-accumulators)",
    "canonicalize",
    "cse",
    "func.func(tloop-share-addresses)",
    "func.func(tloop-prefetch-panels)",
    # It counts along all loops around a tile, which are no loops any more behind tloop-map-parallel-loops.
    "func.func(tloop-prefetch-tiles)",
    *CPU_THREADS_TO_LLVM,
]

# One kernel, from graph ops in its body to launches of thread blocks.
ACCEL_KERNEL: list[str] = [
    # A kernel of attention is a program at once: no schedule makes its softmax one that never has whole rows.
    "accel-from-attention",
    # What lies around an image is read as zeros, and never in memory.
    "func.func(graph-pad-windows)",
    "func.func(graph-to-linalg)",
    # What has no lowering is named here; later passes would fail on it without naming the op.
    "graph-verify-lowered",
    "canonicalize",
    "cse",
    # Fills are computations like any other: schedules name them, and blocks share them.
    "func.func(linalg-generalize-named-ops)",
    # One computation per chain of elementwise ops; schedules then see an anchor and an epilogue.
    "tloop-fuse-elementwise",
    "canonicalize",
    "cse",
    "tloop-schedule-blocks",
    "tloop-apply-schedules",
    "canonicalize",
    "cse",
    # Tiles of tensors as vectors.
    "accel-from-tiles",
    # Places of tiles as sums and products, which blocks compute.
    "lower-affine",
    "canonicalize",
    "cse",
]

# One kernel, from launches of thread blocks to the llvm dialect: how a GPU's programs run on any machine.
# Right numbers are what it is for, not speed.
ACCEL_CPU: list[str] = [
    "func.func(accel-to-cpu)",
    "canonicalize",
    "cse",
    # One computation per chain of elementwise ops, with one buffer for its result.
    "func.func(convert-elementwise-to-linalg)",
    "func.func(linalg-fuse-elementwise-ops)",
    "canonicalize",
    "cse",
    "func.func(tloop-expand-math)",
    # Tiles that loops carry are updated where they lie.
    "one-shot-bufferize",
    "canonicalize",
    "cse",
    # A tensor that survived would reach LLVM as a cast that cannot be translated.
    "tloop-verify-loops{heap=true}",
    "func.func(tloop-lower-copies)",
    "func.func(convert-linalg-to-loops)",
    # LLVM has no floats of 8 bits. They may become bf16, so before that.
    "func.func(tloop-expand-f8)",
    # LLVM calls a function for each number where the processor has no instruction.
    "func.func(tloop-expand-bf16)",
    "fold-memref-alias-ops",
    "canonicalize",
    "cse",
    *CPU_THREADS_TO_LLVM,
]

# What comes before blocks become threads, on every GPU.
ACCEL_BEFORE_THREADS: list[str] = [
    # Copies run ahead of what is computed; the passes below see rings of buffers and groups of copies.
    "accel-pipeline-loops",
    "canonicalize",
    "cse",
    # On tiles, where it is plain which buffers an op reads and writes.
    "accel-insert-barriers",
]

# Launches of thread blocks as kernels of threads, in a gpu.module, and calls of them.
ACCEL_TO_THREADS: list[str] = [
    *ACCEL_BEFORE_THREADS,
    "accel-distribute",
    # Threads compute their places again and again.
    "canonicalize",
    "cse",
]

# The same for sm_90a.
ACCEL_TO_THREADS_SM90A: list[str] = [
    # Where the copy engine can run ahead, warps of their own tell it to; in other loops all warps copy.
    "accel-specialize-warps",
    *ACCEL_BEFORE_THREADS,
    "accel-distribute{arch=sm_90a}",
    "canonicalize",
    "cse",
]

# The same for AMD's GPUs.
ACCEL_TO_THREADS_GFX90A: list[str] = [
    *ACCEL_BEFORE_THREADS,
    "accel-distribute{arch=gfx90a}",
    "canonicalize",
    "cse",
]
ACCEL_TO_THREADS_GFX942: list[str] = [
    *ACCEL_BEFORE_THREADS,
    "accel-distribute{arch=gfx942}",
    "canonicalize",
    "cse",
]

# Kernels of threads in a gpu.module to the llvm dialect, with instructions of AMD's GPUs.
AMDGPU_TO_LLVM: list[str] = [
    "gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, reconcile-unrealized-casts,"
    " canonicalize, cse)",
]

# One kernel of an AMD GPU, from graph ops in its body to the llvm dialect.
GFX90A_KERNEL: list[str] = [
    "accel-kernel",
    # LLVM has no functions for GPUs: exponentials and their like become arithmetic, on whole tiles.
    "func.func(tloop-expand-math)",
    "accel-to-threads-gfx90a",
    "amdgpu-to-llvm",
]
GFX942_KERNEL: list[str] = [
    "accel-kernel",
    "func.func(tloop-expand-math)",
    "accel-to-threads-gfx942",
    "amdgpu-to-llvm",
]

# Kernels of threads in a gpu.module to the llvm dialect, with instructions of NVIDIA's GPUs. Launches stay as
# they are: the compiler makes a plan of them.
NVGPU_TO_LLVM: list[str] = [
    "gpu.module(canonicalize, cse, convert-scf-to-cf, convert-to-llvm, convert-nvvm-to-llvm,"
    " reconcile-unrealized-casts, canonicalize, cse)",
]

# One kernel of an NVIDIA GPU, from graph ops in its body to the llvm dialect.
NVGPU_KERNEL: list[str] = [
    "accel-kernel",
    # LLVM has no functions for GPUs: exponentials and their like become arithmetic, on whole tiles.
    "func.func(tloop-expand-math)",
    "accel-to-threads",
    "nvgpu-to-llvm",
]
NVGPU_KERNEL_SM90A: list[str] = [
    "accel-kernel",
    "func.func(tloop-expand-math)",
    "accel-to-threads-sm90a",
    "nvgpu-to-llvm",
]

# The host functions `@main` and `@prepare`, to the llvm dialect.
CPU_HOST: list[str] = [
    # Straight to the llvm dialect: a host function only computes addresses and calls kernels.
    "host-entry",
    "canonicalize",
    "cse",
    "llvm-verify-translatable",
]

_PIPELINES: dict[str, list[str]] = {
    "accel-cpu": ACCEL_CPU,
    "accel-kernel": ACCEL_KERNEL,
    "accel-to-threads": ACCEL_TO_THREADS,
    "accel-to-threads-gfx90a": ACCEL_TO_THREADS_GFX90A,
    "accel-to-threads-gfx942": ACCEL_TO_THREADS_GFX942,
    "accel-to-threads-sm90a": ACCEL_TO_THREADS_SM90A,
    "amdgpu-to-llvm": AMDGPU_TO_LLVM,
    "cpu-host": CPU_HOST,
    "cpu-kernel": CPU_KERNEL,
    "form-kernels": FORM_KERNELS,
    "gfx90a-kernel": GFX90A_KERNEL,
    "gfx942-kernel": GFX942_KERNEL,
    "graph-optimize": GRAPH_OPTIMIZE,
    "lower-graph": LOWER_GRAPH,
    "lower-graph-gpu": LOWER_GRAPH_GPU,
    "nvgpu-kernel": NVGPU_KERNEL,
    "nvgpu-kernel-sm90a": NVGPU_KERNEL_SM90A,
    "nvgpu-to-llvm": NVGPU_TO_LLVM,
}


def register_pipeline(name: str, elements: list[str]) -> None:
    """Adds a named pipeline (for plugins). Raises `ValueError` if the name is taken."""
    if _PIPELINES.setdefault(name, elements) != elements:
        raise ValueError(f"pipeline '{name}' is already registered")


def lookup_pipeline(name: str) -> list[str] | None:
    """The elements of the pipeline called `name`, installed plugins included, or None."""
    if not (name in _PIPELINES or name in upstream_passes() or registry.is_registered(name)):
        registry.load_installed_plugins()
    return _PIPELINES.get(name)


def pipeline_names() -> list[str]:
    """All names, sorted."""
    return sorted(_PIPELINES)
