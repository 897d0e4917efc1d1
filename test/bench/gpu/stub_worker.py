"""A worker on the stub driver, whose kernels compute what their case means.

python -P stub_worker.py FAULT ROOT PIPE: "none", or what goes wrong in the kernel of gemm_64_f32.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
BESIDE = [str(HERE.parents[2]), str(HERE.parents[1] / "runtime" / "cuda")]


def kernel_of(root: Path, case: Any, fault: str) -> tuple[str, Callable[[Any], None]]:
    """The function's name of a case of one launch, and what it does with the addresses of its parameters."""
    from bench.gpu.runner.graph import read_graph
    from bench.gpu.runner.manifest import GRAPH, case_folder
    from bench.gpu.runner.on_numpy import OPERATORS
    from bench.operator_graph import evaluate
    from mlc.runtime.cuda import read_program
    from mlc.runtime.cuda.plan.parts import LaunchStep, PointerParameter, TensorBuffer

    folder = case_folder(root, case.name)
    graph, (plan, _) = read_graph(folder / GRAPH), read_program(folder)
    [step], [kernel] = plan.steps, plan.kernels
    assert isinstance(step, LaunchStep)
    names = {binding.weight: binding.tensor for binding in case.bindings}

    def run(parameters: Any) -> None:
        _break(fault)
        arrays = {}
        for index, parameter in enumerate(step.parameters):
            assert isinstance(parameter, PointerParameter)
            tensor = plan.buffers[parameter.buffer]
            assert isinstance(tensor, TensorBuffer)
            array = _at(ctypes.c_uint64.from_address(parameters[index]).value, tensor)
            arrays[names.get(tensor.name, tensor.name)] = array
        operands = {name: array.astype(np.float64) for name, array in arrays.items()}
        [found] = evaluate(graph, operands, OPERATORS)
        arrays[graph.outputs[0]][...] = found * (1.5 if fault == "wrong" else 1)

    return kernel.function, run


def _break(fault: str) -> None:
    if fault == "ends":
        os._exit(3)
    if fault == "hangs":
        time.sleep(60)


def _at(address: int, tensor: Any) -> np.ndarray:
    memory = (ctypes.c_uint8 * tensor.nbytes).from_address(address)
    return np.frombuffer(memory, tensor.spec.numpy_dtype).reshape(tensor.shape)


def main() -> int:
    """Serves standard input, as the runner's own worker."""
    sys.path[:0] = BESIDE
    from cuda_stub import Stub

    from bench.gpu.runner import worker
    from bench.gpu.runner.manifest import read_manifest
    from mlc.runtime.errors import ExecutableError

    fault, root = sys.argv.pop(1), Path(sys.argv[1])
    stub = Stub(Path(os.environ["MLC_CUDA_DRIVER"]))
    for case in read_manifest(root).cases:
        if not case.reason and case.steps == 1 and all(binding.tensor for binding in case.bindings):
            # Damaged cases have no kernel, and are the runner's to report.
            with suppress(ExecutableError):
                stub.kernel(*kernel_of(root, case, fault if case.name == "gemm_64_f32" else "none"))
    return worker.main()


if __name__ == "__main__":
    sys.exit(main())
