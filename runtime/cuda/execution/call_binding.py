"""The inputs and outputs of one call: device tensors are used in place, host arrays are copied."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from mlc.runtime.arguments import convert_input
from mlc.runtime.cuda.device_tensors import Tensor, host_dtype
from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.memory import DeviceMemory, copy_to_device, copy_to_host
from mlc.runtime.cuda.driver.streams import Stream
from mlc.runtime.cuda.execution.program_memory import ProgramMemory, check_tensor, on_device
from mlc.runtime.cuda.foreign_tensors import borrow, borrow_array
from mlc.runtime.cuda.plan.parts import TensorBuffer
from mlc.runtime.cuda.plan.plan import Plan

Results = Literal["numpy", "device"]


class CallBinding:
    """The buffers of one call: all `addresses`, objects `kept` alive until its end, its `results`."""

    def __init__(
        self, plan: Plan, memory: ProgramMemory, device: Device, stream: Stream, *, asynchronous: bool
    ) -> None:
        """`asynchronous` calls return before their work is done."""
        self._plan, self._memory, self._device, self._stream = plan, memory, device, stream
        self._asynchronous = asynchronous
        self.addresses = list(memory.addresses)
        self.kept: list[object] = []
        self.results: list[Any] = []
        self._used: list[tuple[int, int, str]] = []
        self._fetches: list[Callable[[], None]] = []

    @property
    def waits(self) -> bool:
        """Whether the host has to wait for results."""
        return bool(self._fetches)

    def inputs(self, values: tuple[Any, ...]) -> None:
        """Binds the inputs, in order. Raises TypeError or ValueError naming the input."""
        tensors = self._plan.tensors("input")
        if len(values) != len(tensors):
            names = [tensor.name for tensor in tensors.values()]
            raise TypeError(f"expected {len(names)} inputs {names}, got {len(values)}")
        for (index, tensor), value in zip(tensors.items(), values, strict=True):
            what = f"input '{tensor.name}'"
            if tensor.space == "device" and on_device(value):
                self._use(index, tensor, what, value)
            else:
                self._upload(index, tensor, what, value)

    def outputs(self, out: list[Any] | None, results: Results) -> None:
        """Binds given tensors and arrays, or new ones. Raises TypeError or ValueError naming the output."""
        tensors = self._plan.tensors("output")
        if out is not None and len(out) != len(tensors):
            raise TypeError(f"out: expected {len(tensors)} outputs, got {len(out)}")
        for position, (index, tensor) in enumerate(tensors.items()):
            what = f"output '{tensor.name}'"
            given = None if out is None else out[position]
            if given is not None and tensor.space == "device" and on_device(given):
                self._use(index, tensor, what, given, written=True)
                self.results.append(given)
            elif given is None and results == "device":
                self.results.append(self._new_tensor(index, tensor, what))
            else:
                dtype = host_dtype(tensor.dtype, what)
                array = np.empty(tensor.shape, dtype) if given is None else given
                self._download(index, tensor, what, array)
                self.results.append(array)

    def fetch(self) -> None:
        """Copies results to the host, after the steps, and waits for them."""
        for fetch in self._fetches:
            fetch()

    def _use(self, index: int, tensor: TensorBuffer, what: str, value: Any, written: bool = False) -> None:
        given = borrow(value, what, self._device, self._stream)
        shape = given.shape if written else _input_shape(tensor, given.shape)
        check_tensor(tensor, what, given.dtype, shape, given.address)
        if written and given.read_only:
            raise ValueError(f"{what}: the tensor is read-only")
        begin, end = given.address, given.address + given.nbytes
        for first, last, other in self._used:
            if written and first < end and begin < last:
                raise ValueError(f"{what} overlaps {other} in memory")
        self._used.append((begin, end, what))
        self.kept.append(given)
        self.addresses[index] = given.address

    def _upload(self, index: int, tensor: TensorBuffer, what: str, value: Any) -> None:
        if on_device(value):
            raise ValueError(f"{what}: expected an array in host memory")
        if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
            value = borrow_array(value, what)
        host_dtype(tensor.dtype, what)
        array = convert_input([tensor.spec], 0, value)
        if _input_shape(tensor, array.shape) != tensor.shape:
            raise ValueError(f"{what}: expected shape {list(tensor.shape)}, got {list(array.shape)}")
        data = array.reshape(-1).view(np.uint8)
        if tensor.space == "host":
            self._memory.host(index)[:] = data
            return
        self.addresses[index] = self._memory.own(index)
        self.kept.append(data)
        copy_to_device(self._device, self.addresses[index], data, self._stream)

    def _download(self, index: int, tensor: TensorBuffer, what: str, array: Any) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"{what}: expected a NumPy array or a tensor on {self._device}, got {type(array)}"
            )
        if array.dtype not in (tensor.spec.numpy_dtype, tensor.spec.buffer_dtype):
            raise TypeError(f"{what}: expected dtype {tensor.dtype}, got {array.dtype}")
        if array.shape != tensor.shape or not array.flags.c_contiguous or not array.flags.writeable:
            raise ValueError(f"{what}: expected a writable C-contiguous array of shape {list(tensor.shape)}")
        data = array.reshape(-1).view(np.uint8)
        self.kept.append(data)
        if tensor.space == "host":
            self._fetches.append(lambda: self._copy_out(index, data))
            return
        self.addresses[index] = address = self._memory.own(index)
        self._fetches.append(lambda: copy_to_host(self._device, data, address, self._stream))

    def _copy_out(self, index: int, data: np.ndarray) -> None:
        self._stream.synchronize()
        data[:] = self._memory.host(index)

    def _new_tensor(self, index: int, tensor: TensorBuffer, what: str) -> Tensor:
        if tensor.space == "host":
            raise ValueError(f"{what} is on the host, and cannot be given on {self._device}")
        memory = DeviceMemory(self._device, tensor.nbytes)
        self.kept.append(memory)
        self.addresses[index] = memory.address
        stream = self._stream if self._asynchronous else None
        return Tensor(memory.address, tensor.dtype, tensor.shape, memory, self._device, stream)


def _input_shape(tensor: TensorBuffer, given: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape of an input as the program takes it: a scalar may be given as an array of any rank
    with one element."""
    return () if not tensor.shape and math.prod(given) == 1 else given


def in_order(tensors: Mapping[int, TensorBuffer], values: Any, what: str) -> list[Any]:
    """Returns the values of a mapping by name, or a sequence, in order. Raises TypeError for wrong names."""
    if not isinstance(values, Mapping):
        return list(values)
    names = [value.name for value in tensors.values()]
    unknown, missing = [name for name in values if name not in names], [n for n in names if n not in values]
    if unknown or missing:
        raise TypeError(f"unknown {what} {unknown}, missing {what} {missing}; the {what} are {names}")
    return [values[name] for name in names]
