"""Compiles functions of graph ops as they stand, each op a separate loop, and runs them in this process."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from mlc.bindings import ir, llvm
from mlc.codegen.emit import emit
from mlc.codegen.host_target import host_target
from mlc.dialects.graph.elements import dtype_of
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.lists.cpu import CPU_KERNEL

# Passes that fuse ops, approximate functions, or refuse the heap.
_LEFT_OUT = (
    "linalg-fuse-elementwise-ops", "tloop-expand-math", "tloop-default-schedules", "tloop-apply-schedules",
    "tloop-verify-loops", "tloop-sink-loads", "tloop-split-accumulators", "tloop-share-addresses",
    "tloop-prefetch", "tloop-unroll-strided-reads", "tloop-map-parallel-loops",
    "tloop-stack-buffers", "tloop-verify-in-place",
)  # fmt: skip
# Nor may two results be one value: each is written to a separate buffer.
PIPELINE = ",".join(
    entry for entry in CPU_KERNEL if entry != "cse" and not any(name in entry for name in _LEFT_OUT)
)


Types = tuple[Sequence[ir.Type], Sequence[ir.Type]]


class Program:
    """Compiled functions; `types` are the argument and result types of each."""

    def __init__(self, library: ctypes.CDLL, types: Mapping[str, Types]) -> None:
        self.library = library
        self.types = types

    def run(self, name: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Returns the results of a function."""
        types = map(ir.RankedTensorType, self.types[name][1])
        results = [np.empty(type_.shape, dtype_of(str(type_.element_type))) for type_ in types]
        arrays = [*inputs, *results]
        pointers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
        self.library[name](pointers, None)
        return results


@contextmanager
def compile_module(module: ir.Module) -> Iterator[Program]:
    """The functions of a module, which is used up; not to be run after the block."""
    types = {}
    for function in module.body:
        attributes = function.operation.attributes
        attributes["tloop.kernel"] = ir.UnitAttr.get()
        # Results of private functions become arguments.
        attributes["sym_visibility"] = ir.StringAttr.get("private")
        type_ = attributes["function_type"].value
        types[attributes["sym_name"].value] = (list(type_.inputs), list(type_.results))
    run_pipeline(f"builtin.module(graph-materialize-padding,{PIPELINE})", module, verify_each=False)
    text = llvm.translate_module_to_llvmir(module.operation)
    data = emit(text, host_target(), optimize=0, own_runtime=False)
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "rules.o", Path(folder) / "rules.so"
        source.write_bytes(data)
        subprocess.run(["cc", "-shared", "-o", library, source, "-lm"], check=True)
        yield Program(ctypes.CDLL(str(library)), types)
