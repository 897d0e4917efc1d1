"""The pipelines: the CPU's, with the passes for the machine inserted."""

from __future__ import annotations

from mlc.pipelines.lists.cpu import CPU_KERNEL
from mlc.pipelines.lists.graph import LOWER_GRAPH

# Layouts for vector machines: the matrix unit takes plain matrices.
_LAYOUTS = ("graph-pad-channels", "graph-assign-layouts", "graph-winograd", "graph-pack-matmuls")

GRAPH: list[str] = [name for name in LOWER_GRAPH if name not in _LAYOUTS]


def _insert_before(passes: list[str], anchor: str, new: str) -> list[str]:
    """Returns `passes` with `new` before `anchor`."""
    position = passes.index(anchor)
    return [*passes[:position], new, *passes[position:]]


# Kernels that the machine takes get its schedule; tloop-default-schedules then leaves them alone.
_SCHEDULED = _insert_before(CPU_KERNEL, "func.func(tloop-expand-math)", "tiny-npu-schedule")
# Its tiles are buffers now. Before copies become loops, which is what the host does with them.
KERNEL: list[str] = _insert_before(_SCHEDULED, "func.func(tloop-lower-copies)", "tiny-npu-lower")
