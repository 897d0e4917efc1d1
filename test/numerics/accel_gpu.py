"""Programs of thread blocks as code of threads, which the emulator runs."""

from __future__ import annotations

import numpy as np
import pytest
from emulator import Options, launch
from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.passes.rewriting import collect_ops
from mlc.pipelines.driver import run_pipeline

PIPELINES = {
    "sm_80": "accel-to-threads",
    "gfx90a": "accel-to-threads-gfx90a",
    "gfx942": "accel-to-threads-gfx942",
}


def run(text: str, *arrays: np.ndarray, arch: str = "sm_80") -> None:
    """Runs the kernel of a module on its inputs and outputs, with races detected. Skips tiles of f8."""
    if "xf8E" in text:
        pytest.skip("floats of 8 bits are not distributed to threads yet")
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(f"builtin.module({PIPELINES[arch]})", module)
        for call in collect_ops(module.operation, "gpu.launch_func"):
            _launch(module, call, arrays)


def _launch(module: ir.Module, call: ir.Operation, arrays: tuple[np.ndarray, ...]) -> None:
    segments = list(ir.DenseI32ArrayAttr(call.attributes["operandSegmentSizes"]))
    operands = list(call.operands)
    grid = tuple(_number(each) for each in operands[:3])
    shared_bytes = _number(operands[6]) if segments[10] else 0
    arguments = [_argument(each, arrays) for each in operands[6 + segments[10] :]]
    options = Options(seed=1, races=True)
    launch(module, *arguments, grid=grid, shared_bytes=shared_bytes, options=options)


def _number(value: ir.Value) -> int:
    return int(ir.IntegerAttr(value.owner.attributes["value"]).value)


def _argument(value: ir.Value, arrays: tuple[np.ndarray, ...]) -> np.ndarray | int:
    """The array whose pointer is passed, or a number."""
    while not isinstance(value, ir.BlockArgument):
        if value.owner.name == "arith.constant":
            return _number(value)
        value = value.owner.operands[0]
    return arrays[value.arg_number]
