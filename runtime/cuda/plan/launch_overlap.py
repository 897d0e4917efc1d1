"""Decides which launches of a plan may begin before the preceding ones have ended (CUDA's programming guide,
"Programmatic Dependent Launch")."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.plan.parts import (
    Buffer,
    Image,
    LaunchStep,
    PlanKernel,
    PointerParameter,
    Step,
    WaitStep,
)
from mlc.runtime.errors import ExecutableError

VARIABLE = "MLC_CUDA_OVERLAP"
# The first driver whose graphs support it, and the first GPUs that do.
SINCE, CAPABILITY, FIRST_ARCHITECTURE = 12030, (9, 0), 90


def check_kernel(image: Image, kernel: PlanKernel, where: str) -> None:
    """Raises ExecutableError for a kernel with `overlap` whose architecture lacks the instruction to wait."""
    able = int(image.architecture.removeprefix("sm_").rstrip("af")) >= FIRST_ARCHITECTURE
    if kernel.overlap and not able:
        raise ExecutableError(f"{where}: overlap: {image.architecture} has no instruction to wait with")


def check_early_reads(step: LaunchStep, kernel: PlanKernel, buffers: Sequence[Buffer], where: str) -> None:
    """Raises ExecutableError if a kernel may read what others write before it waits for these. The step's
    parameters have been checked."""
    for index in kernel.early_reads:
        parameter = step.parameters[index] if 0 <= index < len(step.parameters) else None
        buffer = buffers[parameter.buffer] if isinstance(parameter, PointerParameter) else None
        if getattr(buffer, "role", None) != "weight":
            raise ExecutableError(f"{where}: early_reads: parameter {index} is no pointer to a weight")


def can_overlap(device: Device) -> bool:
    """Whether launches on a device may overlap: device and driver support it, the variable allows it."""
    allowed = os.environ.get(VARIABLE) != "0"
    new = device.driver.version >= SINCE
    return allowed and new and device.properties.compute_capability >= CAPABILITY


def find_overlaps(steps: Sequence[Step], kernels: Sequence[PlanKernel]) -> list[bool]:
    """Returns, for each of consecutive steps of the device, whether it is a launch directly after another
    launch on its stream, both of kernels with `overlap`: the first waits for the work before it, so that its
    end is the end of all that."""
    after_launch: dict[int, bool] = {}
    found = []
    for step in steps:
        overlaps = isinstance(step, LaunchStep) and kernels[step.kernel].overlap
        found.append(overlaps and after_launch.get(step.stream, False))
        after_launch[step.stream] = overlaps
        if isinstance(step, WaitStep):
            after_launch[step.other] = False
    return found
