"""The named pipelines: each is one list of pipeline elements, in order.

A list holds pipeline text: passes of mlc and of upstream, nested anchors, other named pipelines. A name can
be used wherever a pass can: in pipeline text, and as `mlc-opt --graph-optimize`. `mlc-opt --list-passes`
lists them.
"""

from __future__ import annotations

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.lists import accel, cpu, gpu, graph

_PIPELINES: dict[str, list[str]] = {
    "accel-cpu": accel.ACCEL_CPU,
    "accel-kernel": accel.ACCEL_KERNEL,
    "accel-to-threads": gpu.ACCEL_TO_THREADS,
    "amdgpu-kernel": gpu.AMDGPU_KERNEL,
    "amdgpu-to-llvm": gpu.AMDGPU_TO_LLVM,
    "cpu-host": cpu.CPU_HOST,
    "cpu-kernel": cpu.CPU_KERNEL,
    "form-kernels": graph.FORM_KERNELS,
    "graph-optimize": graph.GRAPH_OPTIMIZE,
    "lower-graph": graph.LOWER_GRAPH,
    "lower-graph-gpu": graph.LOWER_GRAPH_GPU,
    "nvgpu-kernel": gpu.NVGPU_KERNEL,
    "nvgpu-to-llvm": gpu.NVGPU_TO_LLVM,
}

# Former pipelines of single architectures -> their replacement, for which the module's target is the
# architecture.
RENAMED: dict[str, str] = {
    old: f"'{new}', on a module whose target is {target} (tloop-set-target{{target={target}}})"
    for old, new, target in (
        ("accel-to-threads-gfx90a", "accel-to-threads", "hip:gfx90a"),
        ("accel-to-threads-gfx942", "accel-to-threads", "hip:gfx942"),
        ("accel-to-threads-sm90a", "accel-to-threads", "cuda:sm_90a"),
        ("gfx90a-kernel", "amdgpu-kernel", "hip:gfx90a"),
        ("gfx942-kernel", "amdgpu-kernel", "hip:gfx942"),
        ("nvgpu-kernel-sm90a", "nvgpu-kernel", "cuda:sm_90a"),
    )
}


def register_pipeline(name: str, elements: list[str]) -> None:
    """Adds a named pipeline (for plugins). Raises `ValueError` if the name is taken."""
    if _PIPELINES.setdefault(name, elements) != elements:
        raise ValueError(f"pipeline '{name}' is already registered")


def lookup_pipeline(name: str) -> list[str] | None:
    """Returns the elements of the pipeline called `name`, installed plugins included, or None."""
    if not (name in _PIPELINES or name in upstream_passes() or registry.is_registered(name)):
        registry.load_installed_plugins()
    return _PIPELINES.get(name)


def pipeline_names() -> list[str]:
    """Returns all names, sorted."""
    return sorted(_PIPELINES)
