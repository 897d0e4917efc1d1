"""The only package that imports the MLIR wheel (`torch_mlir`).

Attributes are loaded on first use (PEP 562), so that `import mlc.bindings` is cheap. Everything that depends
on the wheel's name, version or faults is here, so that a change of wheel is a change of this folder.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_mlir import ir as ir
    from torch_mlir import rewrite as rewrite
    from torch_mlir.dialects import ext as ext
    from torch_mlir.dialects import transform as transform
    from torch_mlir.dialects.transform import interpreter as interpreter
    from torch_mlir.passmanager import PassManager as PassManager

    from mlc.bindings.context import create_context as create_context
    from mlc.bindings.diagnostics import Diagnostic as Diagnostic
    from mlc.bindings.diagnostics import DiagnosticsError as DiagnosticsError
    from mlc.bindings.diagnostics import capture_diagnostics as capture_diagnostics
    from mlc.bindings.diagnostics import emit_diagnostic as emit_diagnostic
    from mlc.bindings.diagnostics import position as position
    from mlc.bindings.dialects import affine as affine
    from mlc.bindings.dialects import arith as arith
    from mlc.bindings.dialects import bufferization as bufferization
    from mlc.bindings.dialects import builtin as builtin
    from mlc.bindings.dialects import cf as cf
    from mlc.bindings.dialects import func as func
    from mlc.bindings.dialects import gpu as gpu
    from mlc.bindings.dialects import linalg as linalg
    from mlc.bindings.dialects import llvm as llvm
    from mlc.bindings.dialects import math as math
    from mlc.bindings.dialects import memref as memref
    from mlc.bindings.dialects import nvvm as nvvm
    from mlc.bindings.dialects import rocdl as rocdl
    from mlc.bindings.dialects import scf as scf
    from mlc.bindings.dialects import tensor as tensor
    from mlc.bindings.dialects import vector as vector
    from mlc.bindings.operations import address as address
    from mlc.bindings.operations import outermost_op as outermost_op
    from mlc.bindings.operations import parent_op as parent_op
    from mlc.bindings.parsing import ParseError as ParseError
    from mlc.bindings.parsing import parse_file as parse_file
    from mlc.bindings.parsing import parse_module as parse_module
    from mlc.bindings.upstream import UpstreamPassError as UpstreamPassError
    from mlc.bindings.upstream import run_upstream as run_upstream
    from mlc.bindings.upstream_table import UpstreamPass as UpstreamPass
    from mlc.bindings.upstream_table import upstream_passes as upstream_passes

_WHEEL = "torch_mlir"

# Python names of the dialects' modules: those here, which have views too, and `dialects.<name>` in the wheel.
# fmt: off
_VIEWED = frozenset((
    "affine", "arith", "bufferization", "builtin", "cf", "func", "gpu", "linalg", "llvm", "math", "memref",
    "nvvm", "rocdl", "scf", "tensor", "vector",
))
_DIALECTS = frozenset((
    "amdgpu", "complex", "emitc", "ext", "index", "irdl", "ml_program", "nvgpu", "openacc", "openmp", "pdl",
    "quant", "shape", "shard", "smt", "sparse_tensor", "spirv", "tosa", "transform", "ub", "x86",
))
# fmt: on

# name -> (module, attribute or None for the module itself)
_EXPORTS: dict[str, tuple[str, str | None]] = {
    "ir": (f"{_WHEEL}.ir", None),
    "rewrite": (f"{_WHEEL}.rewrite", None),
    "interpreter": (f"{_WHEEL}.dialects.transform.interpreter", None),
    "PassManager": (f"{_WHEEL}.passmanager", "PassManager"),
    "create_context": ("mlc.bindings.context", "create_context"),
    "Diagnostic": ("mlc.bindings.diagnostics", "Diagnostic"),
    "DiagnosticsError": ("mlc.bindings.diagnostics", "DiagnosticsError"),
    "capture_diagnostics": ("mlc.bindings.diagnostics", "capture_diagnostics"),
    "emit_diagnostic": ("mlc.bindings.diagnostics", "emit_diagnostic"),
    "position": ("mlc.bindings.diagnostics", "position"),
    "address": ("mlc.bindings.operations", "address"),
    "outermost_op": ("mlc.bindings.operations", "outermost_op"),
    "parent_op": ("mlc.bindings.operations", "parent_op"),
    "ParseError": ("mlc.bindings.parsing", "ParseError"),
    "parse_file": ("mlc.bindings.parsing", "parse_file"),
    "parse_module": ("mlc.bindings.parsing", "parse_module"),
    "UpstreamPass": ("mlc.bindings.upstream_table", "UpstreamPass"),
    "UpstreamPassError": ("mlc.bindings.upstream", "UpstreamPassError"),
    "run_upstream": ("mlc.bindings.upstream", "run_upstream"),
    "upstream_passes": ("mlc.bindings.upstream_table", "upstream_passes"),
}


def __getattr__(name: str) -> Any:
    if name in _VIEWED:
        value = import_module(f"mlc.bindings.dialects.{name}")
    elif name in _DIALECTS:
        value = import_module(f"{_WHEEL}.dialects.{name}")
    elif name in _EXPORTS:
        module, attribute = _EXPORTS[name]
        value = import_module(module)
        value = getattr(value, attribute) if attribute else value
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_VIEWED, *_DIALECTS, *_EXPORTS})
