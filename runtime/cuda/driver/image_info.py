"""Inspects images of GPU code: PTX text, or a cubin, an ELF file for one architecture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from mlc.runtime.cuda.driver.errors import (
    INVALID_PTX,
    NO_BINARY_FOR_GPU,
    UNSUPPORTED_PTX_VERSION,
    CudaError,
    version_text,
)

_ELF, _FAT = b"\x7fELF", b"\x50\xed\x55\xba"
_HEADER = 64
_DIRECTIVES = re.compile(rb"^\s*\.(version|target)\s+([\w.]+)", re.MULTILINE)
# The CUDA version that introduced a version of PTX, where it is not that version plus four
# (https://docs.nvidia.com/cuda/parallel-thread-execution, release notes).
_IRREGULAR = {(8, 6): (12, 7), (8, 7): (12, 8), (8, 8): (12, 9)}


@dataclass(frozen=True)
class ImageInfo:
    """The format and target of an image. `architecture` is like "sm_90a", or ""; `ptx_version` (8, 7)."""

    format: Literal["PTX", "cubin", "fatbin"]
    architecture: str = ""
    ptx_version: tuple[int, int] | None = None

    def cause(self, status: int, device_architecture: str, driver_version: int) -> str | None:
        """Returns the likely cause of the driver's refusal with this status, or None if it is not known."""
        mine = f"the {self.format} is for {self.architecture or 'another architecture'}"
        if status == NO_BINARY_FOR_GPU:
            return f"{mine}, the device is {device_architecture}"
        if status == UNSUPPORTED_PTX_VERSION and self.ptx_version:
            versions = (*self.ptx_version, *cuda_version(self.ptx_version))
            return (
                "PTX {}.{} needs a driver for CUDA {}.{}, ".format(*versions)
                + f"this one supports CUDA {version_text(driver_version)}"
            )
        if status == INVALID_PTX and self.architecture and not runs_on(self, device_architecture):
            return f"{mine}, the device is {device_architecture}"
        return None


def inspect_image(image: bytes, name: str = "image") -> ImageInfo:
    """Returns the properties of an image. Raises CudaError if it is none; `name` is for the message."""
    if image.startswith(_ELF):
        return ImageInfo("cubin", _cubin_architecture(image))
    if image.startswith(_FAT):
        return ImageInfo("fatbin")
    found = {name: value.decode() for name, value in _DIRECTIVES.findall(image[: 1 << 16])}
    version, target = found.get(b"version", ""), found.get(b"target", "")
    parts = version.split(".")
    if not target or len(parts) != 2 or not all(part.isdigit() for part in parts):
        what = f"{len(image)} bytes are neither PTX (.version and .target), a cubin nor a fatbin"
        raise CudaError(f"cannot load {name}: {what}")
    return ImageInfo("PTX", target, (int(parts[0]), int(parts[1])))


def runs_on(image: ImageInfo, device: str) -> bool:
    """Whether code for an architecture runs on a device: cubins on the same generation, PTX on later ones
    too; with a suffix ("sm_90a") on that very one."""
    wanted, given = _capability(image.architecture), _capability(device)
    if wanted is None or given is None:
        return True
    if image.architecture[-1] == "a":
        return wanted == given
    same = wanted // 10 == given // 10
    return wanted <= given and (same or (image.format == "PTX" and image.architecture[-1] != "f"))


def cuda_version(ptx: tuple[int, int]) -> tuple[int, int]:
    """Returns the first CUDA version that supports a version of PTX."""
    return _IRREGULAR.get(ptx, (ptx[0] + 4, ptx[1]))


def _capability(architecture: str) -> int | None:
    match = re.fullmatch(r"(?:sm|compute)_(\d+)[af]?", architecture)
    return int(match.group(1)) if match else None


def _cubin_architecture(image: bytes) -> str:
    """Returns the architecture, without suffix, from e_flags of the ELF header: the low byte, or the next one
    from ABI version 8 on."""
    if len(image) < _HEADER:
        return ""
    flags, abi = int.from_bytes(image[48:52], "little"), image[8]
    capability = (flags >> 8) & 0xFF if abi >= 8 else flags & 0xFF
    return f"sm_{capability}" if capability else ""
