# /// script
# dependencies = ["apache-tvm==0.27.0.post1", "apache-tvm-ffi==0.1.14.post1", "onnx==1.23.2", "numpy>=2,<3"]
# ///
"""TVM with its ONNX importer and the default pipeline of its CPU target, without tuning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from bench.engines import Call


def version() -> str:
    """Returns the package's version."""
    return str(tvm.__version__)


def load(path: Path, threads: int) -> Call:
    """Compiles the model; returns the function `main` of TVM's virtual machine."""
    model = onnx.load(path)
    weights = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in weights]
    cpu = tvm.target.codegen.llvm_get_system_cpu()
    target = tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": threads})
    main = relax.VirtualMachine(_compile(from_onnx(model), target), tvm.cpu())["main"]

    def call(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Runs one inference."""
        results = main(*(tvm.runtime.tensor(inputs[name], tvm.cpu()) for name in names))
        found = [results] if isinstance(results, tvm.runtime.Tensor) else results
        return [result.numpy() for result in found]

    return call


def _compile(module: tvm.IRModule, target: tvm.target.Target) -> relax.VMExecutable:
    simplify = (
        relax.transform.DecomposeOpsForInference(),
        relax.transform.CanonicalizeBindings(),
        relax.transform.FoldConstant(),
    )
    with target:
        module = tvm.transform.Sequential(simplify)(module)
    with tvm.transform.PassContext(opt_level=3):
        pipeline = relax.backend.cpu_generic.get_default_pipeline(target)
        return tvm.compile(module, target=target, relax_pipeline=pipeline)
