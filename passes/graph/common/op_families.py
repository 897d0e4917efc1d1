"""Families of graph ops that passes ask for by name.

Kinds of graph ops by the kernels that they form.
"""

from __future__ import annotations

from mlc.dialects import graph

ELEMENTWISE = frozenset(
    f"graph.{spec.name}" for spec in graph.specs().values() if spec.family.startswith("elementwise")
)
# Those whose element type does not follow from those of their operands.
CONVERTING = frozenset({"graph.cast", "graph.bitcast"})
# The same elements in the same order, under another shape.
VIEWS = frozenset({"graph.reshape", "graph.squeeze", "graph.unsqueeze"})

# A scan is a kernel of its own: its result depends on the order of the iterations.
SCANS = frozenset({"graph.cumsum", "graph.cumprod"})
REDUCTIONS = (
    frozenset(f"graph.{spec.name}" for spec in graph.specs().values() if spec.family == "reduction") - SCANS
)
ROWS = frozenset({"graph.softmax", "graph.log_softmax", "graph.layer_norm", "graph.rms_norm"})
PRODUCTS = frozenset({"graph.matmul", "graph.matmul_packed"})

# Reads and writes heads where they lie.
ATTENTION = "graph.attention"
WINDOWS = frozenset({"graph.conv", "graph.max_pool", "graph.average_pool"})

# Ops whose result is computed element by element from places that follow from the index: they fuse like
# elementwise ones.
MAPPED = frozenset({"graph.transpose", "graph.expand", "graph.unpack", "graph.pack", "graph.slice"})

# Reads elements where its indices say.
LOOKUP = "graph.gather"
OTHERS = frozenset({LOOKUP, "graph.gather_nd", "graph.lrn", "graph.winograd_output"})

# What elementwise ops compute as they read it.
LOOKED_UP = ELEMENTWISE | {LOOKUP}

# After these an elementwise op on a value of the same shape can run while the value is in registers or in the
# first cache.
TAKES_EPILOGUE = PRODUCTS | WINDOWS | ROWS | REDUCTIONS | ELEMENTWISE | MAPPED | OTHERS
TAKES_PADDING = PRODUCTS | WINDOWS | ELEMENTWISE | MAPPED | {"graph.winograd_output"}

# What a fused Winograd convolution begins with.
WINOGRAD = ("graph.winograd_input", "graph.matmul_packed")
TAKES_PROLOGUE = ROWS | REDUCTIONS
TAKES_OPERANDS = PRODUCTS | WINDOWS | TAKES_PROLOGUE | ELEMENTWISE | {ATTENTION, LOOKUP}
