"""Memory: arrays at emulated addresses, so that every access can be checked.

Global arrays are in windows far apart: what leaves one never meets another. Shared memory begins at `SHARED`;
`CLUSTER` times (rank + 1) is added to addresses of other blocks' shared memory, `GENERIC_SHARED` to generic
addresses of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import MemoryFault

GLOBAL_WINDOW = 1 << 36
SHARED = 1024
CLUSTER = 1 << 32
GENERIC_SHARED = 1 << 60
TENSOR_MAPS = 1 << 58
# What nobody has written reads as NaN.
GARBAGE = 0xFF


@dataclass
class Bytes:
    """`data` (uint8) at address `base`, called `name` in messages."""

    name: str
    base: int
    data: np.ndarray

    def offsets(self, addresses: np.ndarray, size: int, alignment: int) -> np.ndarray:
        """Offsets [n, size] of the bytes at `addresses` [n]. Raises `MemoryFault`."""
        start = addresses.astype(np.int64) - self.base
        bad = (start < 0) | (start + size > len(self.data))
        if bad.any():
            where = int(start[bad][0])
            raise MemoryFault(
                f"{size} bytes at offset {where} of {self.name}, which has {len(self.data)} (address"
                f" {where + self.base:#x})"
            )
        bad = start % alignment != 0
        if bad.any():
            where = int(start[bad][0])
            raise MemoryFault(
                f"offset {where} of {self.name} is not aligned to {alignment} ({where + self.base:#x})"
            )
        return start[:, None] + np.arange(size)


@dataclass
class GlobalMemory:
    """The arrays that were passed to a kernel."""

    arrays: list[Bytes] = field(default_factory=list)
    tensor_maps: list[object] = field(default_factory=list)

    def add_array(self, array: np.ndarray) -> int:
        """Returns the address of a contiguous array that the kernel reads and writes. Raises `ValueError`."""
        if not array.flags.c_contiguous:
            raise ValueError("arrays must be contiguous")
        base = (len(self.arrays) + 1) * GLOBAL_WINDOW + GLOBAL_WINDOW // 2
        self.arrays.append(
            Bytes(f"argument array {len(self.arrays)}", base, array.reshape(-1).view(np.uint8))
        )
        return base

    def add_tensor_map(self, tensor_map: object) -> int:
        """Returns the address of a tensor map."""
        self.tensor_maps.append(tensor_map)
        return TENSOR_MAPS + 128 * (len(self.tensor_maps) - 1)

    def tensor_map(self, address: int) -> object:
        """The tensor map at `address`. Raises `MemoryFault`."""
        index, rest = divmod(address - TENSOR_MAPS, 128)
        if rest or not 0 <= index < len(self.tensor_maps):
            raise MemoryFault(f"no tensor map at address {address:#x}")
        return self.tensor_maps[index]

    def at(self, address: int) -> Bytes:
        """The array whose window holds `address`. Raises `MemoryFault`."""
        index = address // GLOBAL_WINDOW - 1
        if not 0 <= index < len(self.arrays):
            raise MemoryFault(f"no global memory at address {address:#x}")
        return self.arrays[index]

    def windows(self, addresses: np.ndarray) -> list[tuple[np.ndarray, Bytes]]:
        """The arrays that `addresses` [n] fall into, each with the positions of its addresses. Raises
        `MemoryFault`."""
        window = addresses // np.uint64(GLOBAL_WINDOW)
        if (window == window[0]).all():
            return [(np.arange(len(addresses)), self.at(int(addresses[0])))]
        return [
            (np.nonzero(window == index)[0], self.at(int(index) * GLOBAL_WINDOW))
            for index in np.unique(window)
        ]


def shared_memory(size: int, name: str) -> Bytes:
    """`size` bytes of garbage."""
    return Bytes(name, SHARED, np.full(size, GARBAGE, np.uint8))
