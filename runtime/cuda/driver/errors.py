"""Errors of the CUDA runtime, and explanations of the driver's statuses for users."""

from __future__ import annotations

from mlc.runtime.errors import ExecutableError

OUT_OF_MEMORY = 2
NO_DEVICE = 100
NO_BINARY_FOR_GPU = 209
INVALID_PTX = 218
UNSUPPORTED_PTX_VERSION = 222
NOT_READY = 600
GRAPH_EXEC_UPDATE_FAILURE = 910

_EARLIER_KERNEL = "a kernel that ran before may have done this; this process cannot use the device any more"
HINTS = {
    3: "the driver was not initialised",
    34: "this is the stub library of a CUDA toolkit, no driver",
    46: "another process uses the device exclusively",
    NO_DEVICE: "the driver sees no GPU; is one installed, and does CUDA_VISIBLE_DEVICES hide it?",
    NO_BINARY_FOR_GPU: "the image holds no code for this device's architecture",
    221: "the driver comes without its compiler for PTX; use a cubin",
    UNSUPPORTED_PTX_VERSION: "the PTX is newer than the driver",
    **dict.fromkeys((700, 702, 714, 715, 716, 717, 718, 719), _EARLIER_KERNEL),
    803: "the driver's library and its kernel module are of different versions; a reboot may help",
    804: "this device cannot use the compatibility package of a newer driver",
}


class CudaError(ExecutableError):
    """The CUDA driver or a device failed, or refused a request; names it, the driver's text and a hint.

    `status` is the driver's status (CUresult) and `name` its name; 0 and "" for errors of the runtime's
    checks.
    """

    def __init__(self, message: str, status: int = 0, name: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.name = name


class DriverMissingError(CudaError):
    """There is no CUDA driver that can be loaded; names the files that were tried."""


def version_text(version: int) -> str:
    """Returns the driver's code of a CUDA version as text: 12040 is 12.4."""
    return f"{version // 1000}.{version % 1000 // 10}"
