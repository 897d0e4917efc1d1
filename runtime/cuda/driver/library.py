"""Finds and loads the CUDA driver, libcuda, and checks every call of it.

The variable MLC_CUDA_DRIVER names another file, which is then the only candidate.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Collection
from threading import Lock
from typing import Any

from mlc.runtime.cuda.driver.errors import HINTS, CudaError, DriverMissingError, version_text
from mlc.runtime.cuda.driver.signatures import MINIMUM_VERSION, SIGNATURES, SINCE

VARIABLE = "MLC_CUDA_DRIVER"
# The loader's own search first; then where WSL, container runtimes and NixOS put it.
CANDIDATES = (
    "libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
)
_loaded: dict[str, Driver] = {}
_lock = Lock()


class Driver:
    """An initialised driver. `path` is the file it came from, `version` the CUDA version that it supports
    (12040 for 12.4)."""

    def __init__(self, library: ctypes.CDLL, path: str) -> None:
        """Initialises the driver. Raises CudaError if it is too old, or finds no device."""
        self.path = path
        self._library = library
        self._functions: dict[str, Callable[..., int]] = {}
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version), doing=f"use the CUDA driver {path}")
        self.version = version.value
        if self.version < MINIMUM_VERSION:
            raise CudaError(
                f"the CUDA driver {path} supports CUDA {version_text(self.version)} only; "
                f"CUDA {version_text(MINIMUM_VERSION)} is needed: install a newer driver"
            )
        self.call("cuInit", 0, doing=f"initialise the CUDA driver {path}")

    def call(self, name: str, *arguments: Any, doing: str, answers: Collection[int] = ()) -> int:
        """Calls a function of the driver and returns its status: 0, or one of `answers`.

        Otherwise raises CudaError "cannot <doing>: <the driver's text> (<its name>); <hint>".
        """
        status = self.function(name)(*arguments)
        if status and status not in answers:
            raise self.error(status, doing)
        return status

    def function(self, name: str) -> Callable[..., int]:
        """Returns the typed function, which returns its status. Raises CudaError if the driver lacks it."""
        return self._functions.get(name) or self._resolve(name)

    def error(self, status: int, doing: str, hint: str | None = None) -> CudaError:
        """Returns the error for a call that returned `status`. `hint` replaces the usual one."""
        name = self._describe("cuGetErrorName", status) or f"error {status}"
        text = self._describe("cuGetErrorString", status) or "the driver gives no reason"
        hint = HINTS.get(status) if hint is None else hint
        return CudaError(f"cannot {doing}: {text} ({name}){f'; {hint}' if hint else ''}", status, name)

    def _resolve(self, name: str) -> Callable[..., int]:
        try:
            function = getattr(self._library, name)
        except AttributeError:
            raise CudaError(_lacks(self.path, name, getattr(self, "version", None))) from None
        function.argtypes = SIGNATURES[name]
        function.restype = ctypes.c_int
        self._functions[name] = function
        return function

    def _describe(self, name: str, status: int) -> str:
        text = ctypes.c_char_p()
        if self.function(name)(status, ctypes.byref(text)) or not text.value:
            return ""
        return text.value.decode(errors="replace")


def load_driver() -> Driver:
    """Returns the driver of this machine, loaded and initialised once per process.

    Raises DriverMissingError if no driver can be loaded, or CudaError if it cannot be used.
    """
    given = os.environ.get(VARIABLE)
    with _lock:
        key = given or ""
        if key not in _loaded:
            _loaded[key] = Driver(*_open([given] if given else CANDIDATES, bool(given)))
        return _loaded[key]


def _open(paths: Collection[str], given: bool) -> tuple[ctypes.CDLL, str]:
    causes = []
    for path in paths:
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            causes.append(str(error))
    if given:
        raise DriverMissingError(f"{VARIABLE}: cannot load the CUDA driver: {causes[0]}")
    raise DriverMissingError(
        f"no CUDA driver: looked for {', '.join(paths)}; install NVIDIA's driver, "
        f"or name its file in {VARIABLE}" + "".join(f"\n  {cause}" for cause in causes if _unusual(cause))
    )


def _unusual(cause: str) -> bool:
    """Whether a file is there but cannot be loaded."""
    return "No such file" not in cause


def _lacks(path: str, name: str, version: int | None) -> str:
    if version is None:
        return f"{path} is no CUDA driver: it has no function {name}"
    needed = version_text(SINCE.get(name, MINIMUM_VERSION))
    return (
        f"the CUDA driver {path} supports CUDA {version_text(version)} and lacks {name}; "
        f"a driver for CUDA {needed} or newer is needed"
    )
