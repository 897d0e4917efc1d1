"""The table of GPU architectures for which blocks are distributed to threads."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.accel.threads.amd.cdna import Cdna
from mlc.passes.accel.threads.amd.mfma import CDNA2, CDNA3
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.nvidia.ampere import Ampere
from mlc.passes.accel.threads.nvidia.hopper import Hopper
from mlc.passes.base import PassError
from mlc.passes.common.target import gpu_target_of

# By LLVM's names.
ARCHITECTURES: dict[str, Architecture] = {
    "sm_80": Ampere(),
    "sm_90a": Hopper(),
    "gfx90a": Cdna(CDNA2),
    "gfx942": Cdna(CDNA3),
}


def architecture_of(module: ir.Operation) -> Architecture:
    """Returns the architecture of the GPU that `module` is compiled for.

    Raises PassError if its target is not a GPU, or one that has no code for threads.
    """
    target = gpu_target_of(module)
    if target.cpu not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise PassError(
            f"there is no code for threads of {target.name}, LLVM's {target.cpu}; there is for {known}",
            module.location,
        )
    return ARCHITECTURES[target.cpu]
