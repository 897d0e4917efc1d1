"""The names of upstream's dialects, which the bindings cannot list; a test compares with the wheel."""

from __future__ import annotations

# fmt: off
UPSTREAM_DIALECTS = (
    "acc", "affine", "amdgpu", "arith", "arm_neon", "arm_sme", "arm_sve", "async", "bufferization", "builtin",
    "cf", "complex", "dlti", "emitc", "func", "gpu", "index", "irdl", "linalg", "llvm", "math", "memref",
    "ml_program", "mpi", "nvgpu", "nvvm", "omp", "pdl", "pdl_interp", "ptr", "quant", "rocdl", "scf", "shape",
    "shard", "smt", "sparse_tensor", "spirv", "tensor", "tosa", "transform", "ub", "vcix", "vector",
    "wasmssa", "x86", "xegpu", "xevm",
)
# fmt: on
