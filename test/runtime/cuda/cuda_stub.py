"""The stub driver as the tests see it, with images and kernels for it."""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESOURCE_TYPES = ("memory", "pinned", "stream", "event", "module", "graph", "executable", "context")
Callback = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry multiply(.param .u64 .ptr .global .align 16 x, .param .u64 .ptr .global .align 16 y,
                         .param .u64 .ptr .global .align 16 z, .param .u32 n)
{ ret; }
.visible .entry shift(.param .u64 .ptr .global .align 16 x, .param .f32 by, .param .u32 n)
.maxntid 256
{ .shared .align 16 .b8 buffer[1024]; ret; }
"""
PTX_90 = b"""
.version 8.0
.target sm_90a
.address_size 64
.visible .entry copy_map(.param .align 64 .b8 from[128], .param .u64 .ptr .global .align 16 to, .param .u32 n)
{ ret; }
"""


class Stub:
    """The stub as the tests see it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.library = ctypes.CDLL(str(path))
        self.library.mlc_stub_log.restype = ctypes.c_char_p
        self._callbacks: list[Any] = []

    def calls(self, name: str) -> int:
        """Returns how often a function was called."""
        return self.library.mlc_stub_calls(name.encode())

    def live(self) -> dict[str, int]:
        """Returns the number of open resources by type."""
        found = {name: self.library.mlc_stub_live(i) for i, name in enumerate(RESOURCE_TYPES)}
        return {name: count for name, count in found.items() if count}

    def overlaps(self) -> tuple[int, int]:
        """Returns how many launches could begin early, and how many of them did not follow a launch."""
        return self.library.mlc_stub_overlaps(0), self.library.mlc_stub_overlaps(1)

    def log(self) -> str:
        """Returns the log of launches."""
        return self.library.mlc_stub_log().decode()

    def kernel(self, name: str, run: Callable[..., None]) -> None:
        """Sets the function of a kernel, called with the addresses of its parameters."""
        callback = Callback(lambda parameters, geometry: run(parameters))
        self._callbacks.append(callback)
        self.library.mlc_stub_kernel(name.encode(), callback)


def floats(address: int, count: int) -> np.ndarray:
    """Returns the floats at an address of the stub's device."""
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))


def value(ctype: Any, address: int) -> Any:
    """Returns a parameter."""
    return ctype.from_address(address).value


def multiply(parameters: Any) -> None:
    x, y, z = (value(ctypes.c_uint64, parameters[i]) for i in range(3))
    n = value(ctypes.c_uint32, parameters[3])
    floats(z, n)[:] = floats(x, n) * floats(y, n)


def shift(parameters: Any) -> None:
    n = value(ctypes.c_uint32, parameters[2])
    floats(value(ctypes.c_uint64, parameters[0]), n)[:] += value(ctypes.c_float, parameters[1])


def copy_map(parameters: Any) -> None:
    n = value(ctypes.c_uint32, parameters[2])
    # Where the stub's tensor maps hold the address.
    source = value(ctypes.c_uint64, parameters[0] + 32)
    floats(value(ctypes.c_uint64, parameters[1]), n)[:] = floats(source, n)
