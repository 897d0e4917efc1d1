# /// script
# dependencies = [
#   "iree-base-compiler[onnx]==3.13.0", "iree-base-runtime==3.13.0", "onnx==1.23.2", "numpy>=2,<3"
# ]
# ///
"""IREE with its ONNX importer and its code generator for this CPU, at its highest level of optimisation."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import iree.runtime as rt
import numpy as np
import onnx
from iree.compiler.tools import CompilerToolError, compile_file

from bench.engines import Call

FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O3",
    "--iree-opt-data-tiling",
    "--iree-opt-const-eval=true",
    # Off by default, but convolutions are several times slower without.
    "--iree-global-opt-use-im2col-for-convs",
)
# Some normalisations need more stack than IREE allows by default.
MORE_STACK = "--iree-llvmcpu-stack-allocation-limit=1048576"
OPSET = 17


def version() -> str:
    """Returns the compiler's version."""
    return metadata.version("iree-base-compiler")


def load(path: Path, threads: int, options: Sequence[str] = ()) -> Call:
    """Compiles the model with `options`, flags of iree-compile without the dashes; returns its function."""
    flags = [*FLAGS, *(f"--{option}" for option in options)]
    instance = rt.VmInstance()
    if threads > 1:
        rt.flags.parse_flags(f"--task_topology_group_count={threads}")
    device = rt.get_device("local-task" if threads > 1 else "local-sync")
    code = rt.VmModule.copy_buffer(instance, _compile(path, flags))
    context = rt.SystemContext(vm_modules=[code], config=rt.Config(device=device))
    entry = next(name for name in code.function_names if not name.startswith("__") and "$async" not in name)
    function = context.modules[code.name][entry]
    names = _inputs(path)

    def call(inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Runs one inference."""
        results = function(*(inputs[name] for name in names))
        found = results if isinstance(results, list | tuple) else (results,)
        return [result.to_host() for result in found]

    return call


def _compile(path: Path, flags: Sequence[str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        imported = Path(folder) / "model.mlir"
        importer = [sys.executable, "-m", "iree.compiler.tools.import_onnx", str(path), "-o", str(imported)]
        subprocess.run([*importer, f"--opset-version={OPSET}"], check=True)
        options = {"target_backends": [], "extra_args": list(flags), "input_type": "auto"}
        try:
            return compile_file(str(imported), **options)
        except CompilerToolError as error:
            if "stack allocation limit" not in str(error):
                raise
            return compile_file(str(imported), **{**options, "extra_args": [*flags, MORE_STACK]})


def _inputs(path: Path) -> list[str]:
    graph = onnx.load(path, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    return [value.name for value in graph.input if value.name not in weights]
