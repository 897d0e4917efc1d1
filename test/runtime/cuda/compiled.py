"""Compiled programs on the stub, whose kernels are the same thread blocks, compiled for the CPU."""

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import onnx
from cuda_stub import Stub, value
from mlc.compiler import Options, Program, compile_program
from mlc.compiler.build import Builder
from mlc.compiler.device_kernel import DeviceKernel, KernelLaunch
from mlc.compiler.levels import units_of
from mlc.passes.tloop.kernel_functions import HOST
from mlc.runtime import Image, call_entry


def compile_for(stub: Stub, model: onnx.ModelProto, options: Options) -> Program:
    """The program of a model for a GPU; the stub has its kernels."""
    codes = compile_program(model, replace(options, blocks_on_cpu=True)).objects
    units = units_of(model, options)["main"]
    assert options.pool is not None
    objects = Builder(options, options.pool).build(units)
    for name in [each for each in objects if units.devices[each] == HOST]:
        (launch,) = DeviceKernel.from_bytes(objects[name]).launches
        stub.kernel(launch.kernel.function, _on_cpu(name, launch, codes[name]))
    return compile_program(model, options)


def _on_cpu(kernel: str, launch: KernelLaunch, code: bytes) -> Callable[[Any], None]:
    """What the launch's function does, given the addresses of its parameters."""
    image = Image([code])

    def run(parameters: Any) -> None:
        addresses = {
            parameter.buffer: value(ctypes.c_uint64, parameters[number])  # type: ignore[union-attr]
            for number, parameter in enumerate(launch.parameters)
        }
        call_entry(image, kernel, [addresses[number] for number in range(len(addresses))], [], 1)

    return run
