"""The pipelines: the CPU's, with what the machine does better in its place."""

from __future__ import annotations

from mlc.pipelines.lists.cpu import CPU_KERNEL
from mlc.pipelines.lists.graph import LOWER_GRAPH

# Layouts for vector machines: the matrix unit takes plain matrices.
_LAYOUTS = ("graph-pad-channels", "graph-assign-layouts", "graph-winograd", "graph-pack-matmuls")

GRAPH: list[str] = [each for each in LOWER_GRAPH if each not in _LAYOUTS]


def _before(elements: list[str], place: str, new: str) -> list[str]:
    """`elements` with `new` in front of `place`."""
    at = elements.index(place)
    return [*elements[:at], new, *elements[at:]]


# Kernels that the machine takes get its schedule; tloop-default-schedules then leaves them alone.
_SCHEDULED = _before(CPU_KERNEL, "func.func(tloop-expand-math)", "tiny-npu-schedule")
# Its tiles are buffers now. Before copies become loops, which is what the host does with them.
KERNEL: list[str] = _before(_SCHEDULED, "func.func(tloop-lower-copies)", "tiny-npu-lower")
