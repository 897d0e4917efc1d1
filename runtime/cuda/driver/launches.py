"""Launches of kernels: checked and packed once, enqueued often."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod

import numpy as np

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import CudaError
from mlc.runtime.cuda.driver.modules import Function
from mlc.runtime.cuda.driver.signatures import (
    CLUSTER_DIMENSION,
    PROGRAMMATIC_SERIALIZATION,
    LaunchAttribute,
    LaunchConfig,
)
from mlc.runtime.cuda.driver.streams import Stream
from mlc.runtime.cuda.driver.tensor_map import TensorMap
from mlc.runtime.tensors import bfloat16_bits

MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
PORTABLE_CLUSTER, MAX_CLUSTER = 8, 16

_INTEGERS: dict[str, type[ctypes.c_uint8 | ctypes.c_uint16 | ctypes.c_uint32 | ctypes.c_uint64]] = {
    "i8": ctypes.c_uint8,
    "i16": ctypes.c_uint16,
    "i32": ctypes.c_uint32,
    "i64": ctypes.c_uint64,
}
SCALARS = frozenset((*_INTEGERS, "f16", "bf16", "f32", "f64"))
Scalar = (
    ctypes.c_uint8 | ctypes.c_uint16 | ctypes.c_uint32 | ctypes.c_uint64 | ctypes.c_float | ctypes.c_double
)
Parameter = TensorMap | Scalar


def pointer(address: int) -> ctypes.c_uint64:
    """Returns a pointer parameter; its `value` may be changed between launches."""
    return ctypes.c_uint64(address)


def scalar(dtype: str, value: float) -> Scalar:
    """Returns a scalar parameter of type "i8", "i16", "i32", "i64" (signed or not), "f16", "bf16", "f32",
    "f64".

    Raises ValueError if an integer does not fit; floats are rounded.
    """
    if dtype in _INTEGERS:
        made = _INTEGERS[dtype]
        bits = 8 * ctypes.sizeof(made)
        if not isinstance(value, int) or not -(1 << bits - 1) <= value < 1 << bits:
            raise ValueError(f"{value!r} is no {dtype}")
        return made(value % (1 << bits))
    match dtype:
        case "f32":
            return ctypes.c_float(value)
        case "f64":
            return ctypes.c_double(value)
        case "f16":
            return ctypes.c_uint16(int(np.float16(value).view(np.uint16)))
        case "bf16":
            return ctypes.c_uint16(int(bfloat16_bits(np.array([value], np.float32))[0]))
    raise ValueError(f"'{dtype}' is no type of a parameter; there are {', '.join(sorted(SCALARS))}")


class Launch:
    """A kernel with its geometry and parameters."""

    def __init__(
        self,
        function: Function,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        parameters: Sequence[Parameter],
        *,
        cluster: tuple[int, int, int] = (1, 1, 1),
        shared_bytes: int = 0,
        overlaps: bool = False,
    ) -> None:
        """`grid` counts blocks, `block` threads, `cluster` blocks; `shared_bytes` are dynamic, per block. The
        parameters are kept; `enqueue` reads their values. With `overlaps` it may begin before the preceding
        launch on the stream has ended: both kernels must wait for the work before them.

        Raises CudaError naming the rule if the device cannot launch this.
        """
        self.function = function
        check_geometry(grid, block, cluster, str(function))
        _check_device(function, block, cluster)
        if shared_bytes:
            function.reserve_shared(shared_bytes)
        self.parameters = tuple(parameters)
        self._pointers = (ctypes.c_void_p * max(len(self.parameters), 1))(*map(_address, self.parameters))
        self._geometry = (*grid, *block, shared_bytes)
        self._doing = f"launch {function}"
        if prod(cluster) > PORTABLE_CLUSTER:
            function.allow_large_clusters()
        given = [_attribute(CLUSTER_DIMENSION, *cluster)] if prod(cluster) > 1 else []
        given += [_attribute(PROGRAMMATIC_SERIALIZATION, 1)] if overlaps else []
        self._config = None
        if given:
            self._attributes = (LaunchAttribute * len(given))(*given)
            address = ctypes.addressof(self._attributes)
            self._config = LaunchConfig(grid, block, shared_bytes, None, address, len(given))

    def enqueue(self, stream: Stream) -> None:
        """Launches the kernel on a stream with the present values of its parameters; does not wait."""
        device = self.function.device
        if self._config is None:
            device.call(
                "cuLaunchKernel",
                self.function.handle,
                *self._geometry,
                stream.handle,
                self._pointers,
                None,
                doing=self._doing,
            )
            return
        self._config.stream = stream.handle
        config = ctypes.byref(self._config)
        device.call("cuLaunchKernelEx", config, self.function.handle, self._pointers, None, doing=self._doing)


def _attribute(attribute_id: int, *values: int) -> LaunchAttribute:
    return LaunchAttribute(attribute_id, 0, (ctypes.c_uint * 16)(*values))


def check_geometry(
    grid: tuple[int, int, int], block: tuple[int, int, int], cluster: tuple[int, int, int], what: str
) -> None:
    """Raises CudaError for a geometry that no device supports."""
    for name, sizes, limits in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)):
        if not all(1 <= size <= limit for size, limit in zip(sizes, limits, strict=True)):
            raise CudaError(f"{what}: {name} {list(sizes)} is outside 1 to {list(limits)}")
    if prod(block) > MAX_THREADS:
        raise CudaError(f"{what}: a block of {prod(block)} threads is above {MAX_THREADS}")
    if min(cluster) < 1 or prod(cluster) > MAX_CLUSTER:
        raise CudaError(f"{what}: cluster {list(cluster)} is not of 1 to {MAX_CLUSTER} blocks")
    if any(blocks % size for blocks, size in zip(grid, cluster, strict=True)):
        raise CudaError(f"{what}: grid {list(grid)} is no multiple of cluster {list(cluster)}")


def _check_device(function: Function, block: tuple[int, int, int], cluster: tuple[int, int, int]) -> None:
    device: Device = function.device
    most = function.attribute("max_threads")
    if prod(block) > most:
        raise CudaError(f"{function} can run with {most} threads per block, not with {prod(block)}")
    if prod(cluster) > 1 and not device.properties.clusters:
        raise CudaError(
            f"{function} is launched in clusters, which {device} ({device.properties.architecture}) lacks"
        )


def _address(parameter: Parameter) -> int:
    return parameter.encoded_address if isinstance(parameter, TensorMap) else ctypes.addressof(parameter)
