"""The named pipelines: each one visible list of pipeline elements, in order.

A list holds pipeline text: passes of ours and of upstream, nested anchors, other named pipelines. A name
stands anywhere a pass does: in pipeline text, and as `mlc-opt --graph-optimize`. `mlc-opt
--list-passes` shows what there is to choose from.
"""

from __future__ import annotations

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.lists import accel, amd, cpu, graph, nvidia

_PIPELINES: dict[str, list[str]] = {
    "accel-cpu": accel.ACCEL_CPU,
    "accel-kernel": accel.ACCEL_KERNEL,
    "accel-to-threads": nvidia.ACCEL_TO_THREADS,
    "accel-to-threads-gfx90a": amd.ACCEL_TO_THREADS_GFX90A,
    "accel-to-threads-gfx942": amd.ACCEL_TO_THREADS_GFX942,
    "accel-to-threads-sm90a": nvidia.ACCEL_TO_THREADS_SM90A,
    "amdgpu-to-llvm": amd.AMDGPU_TO_LLVM,
    "cpu-host": cpu.CPU_HOST,
    "cpu-kernel": cpu.CPU_KERNEL,
    "form-kernels": graph.FORM_KERNELS,
    "gfx90a-kernel": amd.GFX90A_KERNEL,
    "gfx942-kernel": amd.GFX942_KERNEL,
    "graph-optimize": graph.GRAPH_OPTIMIZE,
    "lower-graph": graph.LOWER_GRAPH,
    "lower-graph-gpu": graph.LOWER_GRAPH_GPU,
    "nvgpu-kernel": nvidia.NVGPU_KERNEL,
    "nvgpu-kernel-sm90a": nvidia.NVGPU_KERNEL_SM90A,
    "nvgpu-to-llvm": nvidia.NVGPU_TO_LLVM,
}


def register_pipeline(name: str, elements: list[str]) -> None:
    """Adds a named pipeline (for plugins). Raises `ValueError` if the name is taken."""
    if _PIPELINES.setdefault(name, elements) != elements:
        raise ValueError(f"pipeline '{name}' is already registered")


def lookup_pipeline(name: str) -> list[str] | None:
    """The elements of the pipeline called `name`, installed plugins included, or None."""
    if not (name in _PIPELINES or name in upstream_passes() or registry.is_registered(name)):
        registry.load_installed_plugins()
    return _PIPELINES.get(name)


def pipeline_names() -> list[str]:
    """All names, sorted."""
    return sorted(_PIPELINES)
