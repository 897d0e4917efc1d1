"""Families of graph ops, by the kernels that they form.

Fusion reads from them which ops take epilogues, prologues and padding.
"""

from __future__ import annotations

from mlc.dialects import graph

ELEMENTWISE = frozenset(
    f"graph.{spec.name}" for spec in graph.specs().values() if spec.family.startswith("elementwise")
)
# Those whose element type does not follow from those of their operands.
CONVERTING = frozenset({graph.Cast.NAME, graph.Bitcast.NAME})
# The same elements in the same order, under another shape.
VIEWS = frozenset({graph.Reshape.NAME, graph.Squeeze.NAME, graph.Unsqueeze.NAME})

# A scan is a separate kernel: its result depends on the order of the iterations.
SCANS = frozenset({graph.Cumsum.NAME, graph.Cumprod.NAME})
REDUCTIONS = (
    frozenset(f"graph.{spec.name}" for spec in graph.specs().values() if spec.family == "reduction") - SCANS
)
ROWS = frozenset({graph.Softmax.NAME, graph.LogSoftmax.NAME, graph.LayerNorm.NAME, graph.RmsNorm.NAME})
PRODUCTS = frozenset({graph.Matmul.NAME, graph.MatmulPacked.NAME})

# Reads and writes heads in place, at their strides.
ATTENTION = graph.Attention.NAME
WINDOWS = frozenset({graph.Conv.NAME, graph.MaxPool.NAME, graph.AveragePool.NAME})

# Ops whose result is computed element by element from coordinates that follow from the index: they fuse like
# elementwise ones.
MAPPED = frozenset(
    {graph.Transpose.NAME, graph.Expand.NAME, graph.Unpack.NAME, graph.Pack.NAME, graph.Slice.NAME}
)

# Reads elements where its indices say.
LOOKUP = graph.Gather.NAME
OTHERS = frozenset({LOOKUP, graph.GatherNd.NAME, graph.Lrn.NAME, graph.WinogradOutput.NAME})

# What elementwise ops compute as they read it.
LOOKED_UP = ELEMENTWISE | {LOOKUP}

# After these an elementwise op on a value of the same shape can run while the value is in registers or in the
# L1 cache.
TAKES_EPILOGUE = PRODUCTS | WINDOWS | ROWS | REDUCTIONS | ELEMENTWISE | MAPPED | OTHERS
TAKES_PADDING = PRODUCTS | WINDOWS | ELEMENTWISE | MAPPED | {graph.WinogradOutput.NAME}

# What a fused Winograd convolution begins with.
WINOGRAD = (graph.WinogradInput.NAME, graph.MatmulPacked.NAME)
TAKES_PROLOGUE = ROWS | REDUCTIONS
TAKES_OPERANDS = PRODUCTS | WINDOWS | TAKES_PROLOGUE | ELEMENTWISE | {ATTENTION, LOOKUP}
