"""The memory of a running plan: the arena, the weights, and buffers for inputs and outputs on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.memory import DeviceMemory, PinnedMemory, copy_to_device
from mlc.runtime.cuda.driver.streams import Stream
from mlc.runtime.cuda.execution.prepared_steps import UNKNOWN
from mlc.runtime.cuda.foreign_tensors import borrow
from mlc.runtime.cuda.plan.parts import ArenaBuffer, TensorBuffer
from mlc.runtime.cuda.plan.plan import Plan
from mlc.runtime.errors import ExecutableError
from mlc.runtime.tensors import weight_bytes

# Kernels and tensor maps access 16 bytes at once; blocks that the runtime allocates are aligned better.
ALIGNMENT, BLOCK_ALIGNMENT = 16, 256


class ProgramMemory:
    """The buffers by their index in the plan. `close` frees all; so does a failure of the constructor."""

    def __init__(self, plan: Plan, weights: Mapping[str, Any], device: Device, stream: Stream) -> None:
        """Allocates the arena and uploads the weights, once. Raises CudaError or ExecutableError."""
        self._plan, self._device = plan, device
        self._own: dict[int, DeviceMemory] = {}
        self._blocks: list[DeviceMemory | PinnedMemory] = []
        self._borrowed: list[object] = []
        self.addresses: list[int] = [UNKNOWN] * len(plan.buffers)
        self._host = dict[int, np.ndarray]()
        try:
            self._allocate_arena()
            self._allocate_host()
            self._load_weights(weights, stream)
        except BaseException:
            self.close()
            raise

    def own(self, index: int) -> int:
        """Returns the address of memory for a device input or output, which is allocated at its first use."""
        if index not in self._own:
            self._own[index] = DeviceMemory(self._device, self._plan.buffers[index].nbytes)
        return self._own[index].address

    def host(self, index: int) -> np.ndarray:
        """Returns the pinned bytes of a buffer on the host."""
        return self._host[index]

    def close(self) -> None:
        """Frees everything."""
        self._host.clear()
        for value in [*self._own.values(), *self._blocks]:
            value.close()
        self._borrowed.clear()

    def _allocate_arena(self) -> None:
        for index, buffer in enumerate(self._plan.buffers):
            if isinstance(buffer, ArenaBuffer) and buffer.space == "device":
                arena = DeviceMemory(self._device, buffer.nbytes)
                self._blocks.append(arena)
                self.addresses[index] = arena.address

    def _allocate_host(self) -> None:
        buffers = enumerate(self._plan.buffers)
        # Weights stay where the caller has them.
        weights = self._plan.tensors("weight")
        sizes = {i: buffer.nbytes for i, buffer in buffers if buffer.space == "host" and i not in weights}
        if not sizes:
            return
        offsets, size = _pack(sizes)
        block = PinnedMemory(self._device, size)
        self._blocks.append(block)
        for index, offset in offsets.items():
            self._host[index] = block.array()[offset : offset + sizes[index]]
            self.addresses[index] = block.address + offset

    def _load_weights(self, weights: Mapping[str, Any], stream: Stream) -> None:
        tensors = dict(self._plan.tensors("weight"))
        missing = [value.name for value in tensors.values() if value.name not in weights]
        if missing:
            raise ExecutableError(f"missing weights {missing[:10]}")
        for index, tensor in [item for item in tensors.items() if item[1].space == "host"]:
            del tensors[index]
            self._keep_weight(index, tensor, weights)
        for index, tensor in tensors.items():
            if on_device(weights[tensor.name]):
                self._borrow_weight(index, tensor, weights[tensor.name], stream)
        sizes = {i: value.nbytes for i, value in tensors.items() if not on_device(weights[value.name])}
        if sizes:
            offsets, size = _pack(sizes)
            block = DeviceMemory(self._device, size)
            self._blocks.append(block)
            for index, offset in offsets.items():
                data = weight_bytes(tensors[index].spec, weights, "weights")
                self.addresses[index] = block.address + offset
                copy_to_device(self._device, self.addresses[index], data)
        # Other libraries must have finished work on borrowed weights before any call.
        stream.synchronize()

    def _keep_weight(self, index: int, tensor: TensorBuffer, weights: Mapping[str, Any]) -> None:
        """Keeps a weight of functions of the processor."""
        if on_device(weights[tensor.name]):
            raise ExecutableError(f"weight '{tensor.name}': the processor reads it; give a host array")
        data = weight_bytes(tensor.spec, weights, "weights")
        self._borrowed.append(data)
        self.addresses[index] = data.ctypes.data

    def _borrow_weight(self, index: int, tensor: TensorBuffer, value: Any, stream: Stream) -> None:
        what = f"weight '{tensor.name}'"
        given = borrow(value, what, self._device, stream)
        check_tensor(tensor, what, given.dtype, given.shape, given.address)
        self._borrowed.append(given)
        self.addresses[index] = given.address


def on_device(value: Any) -> bool:
    """Whether an array is a tensor in other memory than the host's."""
    return hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] not in (1, 3)


def check_tensor(tensor: TensorBuffer, what: str, dtype: str, shape: tuple[int, ...], address: int) -> None:
    """Raises TypeError for another dtype, ValueError for another shape or an unaligned address."""
    if dtype != tensor.dtype:
        raise TypeError(f"{what}: expected dtype {tensor.dtype}, got {dtype}")
    if shape != tensor.shape:
        raise ValueError(f"{what}: expected shape {list(tensor.shape)}, got {list(shape)}")
    if address % ALIGNMENT:
        raise ValueError(f"{what}: its address {address:#x} is not aligned to {ALIGNMENT} bytes; give a copy")


def _pack(sizes: Mapping[int, int]) -> tuple[dict[int, int], int]:
    """Returns consecutive offsets, and the total size."""
    offsets, end = {}, 0
    for index, size in sizes.items():
        offsets[index] = end
        end += -(-size // BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT
    return offsets, end
