"""The processors that programs of blocks are distributed to the threads of, by LLVM's names."""

from __future__ import annotations

from mlc.passes.accel.threads.amd.cdna import Cdna
from mlc.passes.accel.threads.amd.mfma import CDNA2, CDNA3
from mlc.passes.accel.threads.common.architecture import Architecture
from mlc.passes.accel.threads.nvidia.ampere import Ampere
from mlc.passes.accel.threads.nvidia.hopper import Hopper

ARCHITECTURES: dict[str, Architecture] = {
    "sm_80": Ampere(),
    "sm_90a": Hopper(),
    "gfx90a": Cdna(CDNA2),
    "gfx942": Cdna(CDNA3),
}
