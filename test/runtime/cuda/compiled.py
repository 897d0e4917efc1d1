"""Compiled programs on the stub, whose kernels are the same thread blocks, compiled for the CPU."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import onnx
from cuda_stub import Stub, value

from mlc.compiler import CompiledProgram, Options, compile_program
from mlc.compiler.build import Builder
from mlc.compiler.device.kernel import DeviceKernel, KernelLaunch
from mlc.compiler.levels import units_of
from mlc.passes.common.kernel_functions import HOST
from mlc.runtime import Image, call_entry
from mlc.runtime.cuda.plan.parts import PointerParameter


def compile_for(stub: Stub, model: onnx.ModelProto, options: Options) -> CompiledProgram:
    """The program of a model for a GPU; the stub has its kernels."""
    codes = compile_program(model, replace(options, blocks_on_cpu=True)).objects
    units = units_of(model, options)["main"]
    assert options.pool is not None
    objects = Builder(options, options.pool).build(units)
    for name in [unit for unit in objects if units.devices[unit] == HOST]:
        launches = DeviceKernel.from_bytes(objects[name]).launches
        for launch, run in zip(launches, _on_cpu(name, launches, codes[name]), strict=True):
            stub.kernel(launch.kernel.function, run)
    return compile_program(model, options)


def _on_cpu(kernel: str, launches: Sequence[KernelLaunch], code: bytes) -> list[Callable[[Any], None]]:
    """Returns the functions of a kernel's launches, called with the addresses of their parameters: the last
    one runs the whole kernel, once the addresses of all are known."""
    image = Image([code])
    addresses: dict[int, int] = {}

    def launch(index: int, parameters: Any) -> None:
        for position, parameter in enumerate(launches[index].parameters):
            if isinstance(parameter, PointerParameter):
                addresses[parameter.buffer] = value(ctypes.c_uint64, parameters[position])
        if index == len(launches) - 1:
            call_entry(image, kernel, [addresses[buffer] for buffer in range(len(addresses))], [], 1)

    return [partial(launch, index) for index in range(len(launches))]
