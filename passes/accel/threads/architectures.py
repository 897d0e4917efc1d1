"""The processors that programs of blocks are distributed to the threads of, by LLVM's names."""

from __future__ import annotations

from mlc.passes.accel.threads.architecture import Architecture
from mlc.passes.accel.threads.nvidia.ampere import Ampere

DEFAULT = "sm_80"
ARCHITECTURES: dict[str, Architecture] = {
    "sm_80": Ampere(),
}
