"""The table of upstream passes: names, class names, anchors, options with defaults.

The bindings list neither passes nor the ops on which they can run, so `upstream_passes.tsv` is generated
by `python -m mlc.bindings.probe_passes`; a test compares it with the wheel. Reading it does not load the
wheel. `UPSTREAM_DIALECTS` are the names of upstream's dialects, which the bindings cannot list either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

# fmt: off
UPSTREAM_DIALECTS = (
    "acc", "affine", "amdgpu", "arith", "arm_neon", "arm_sme", "arm_sve", "async", "bufferization", "builtin",
    "cf", "complex", "dlti", "emitc", "func", "gpu", "index", "irdl", "linalg", "llvm", "math", "memref",
    "ml_program", "mpi", "nvgpu", "nvvm", "omp", "pdl", "pdl_interp", "ptr", "quant", "rocdl", "scf", "shape",
    "shard", "smt", "sparse_tensor", "spirv", "tensor", "tosa", "transform", "ub", "vcix", "vector",
    "wasmssa", "x86", "xegpu", "xevm",
)


TABLE = Path(__file__).with_name("upstream_passes.tsv")


@dataclass(frozen=True)
class UpstreamPass:
    """One upstream pass or upstream pipeline.

    `title` is its C++ class name, as IR dumps show it. `anchors` are the ops, of those probed, on which it
    can be scheduled. `options` are the options with their defaults, in MLIR's syntax, without braces.
    """

    name: str
    title: str
    anchors: tuple[str, ...]
    options: str

    @property
    def anchor(self) -> str:
        """The op for passes without explicit nesting: the module if possible, else the first accepted one."""
        return self.anchors[0] if self.anchors else "builtin.module"


@cache
def upstream_passes() -> dict[str, UpstreamPass]:
    """Returns all upstream passes by name."""
    table = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, title, anchors, options = line.split("\t")
        table[name] = UpstreamPass(name, title, tuple(anchors.split()), options)
    return table
