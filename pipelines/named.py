"""The named pipelines: each one visible list of pipeline elements, in order.

A list holds pipeline text: passes of ours and of upstream, nested anchors, other named pipelines. A name
stands anywhere a pass does: in pipeline text, and as `mlc-opt --graph-optimize`. `mlc-opt
--list-passes` shows what there is to choose from.
"""

from __future__ import annotations

from mlc.passes.base import PassFailure

# Graph level, whole module: what every target wants.
GRAPH_OPTIMIZE: list[str] = []

# Graph level to kernels: fusion, outlining, deduplication.
FORM_KERNELS: list[str] = []

# One kernel, from graph ops in its body to the llvm dialect.
CPU_KERNEL: list[str] = []

# The host functions `@main` and `@prepare`, to the llvm dialect.
CPU_HOST: list[str] = []

_PIPELINES: dict[str, list[str]] = {
    "cpu-host": CPU_HOST,
    "cpu-kernel": CPU_KERNEL,
    "form-kernels": FORM_KERNELS,
    "graph-optimize": GRAPH_OPTIMIZE,
}


def register_pipeline(name: str, elements: list[str]) -> None:
    """Adds a named pipeline (for plugins). Raises `PassFailure` if the name is taken."""
    if _PIPELINES.setdefault(name, elements) != elements:
        raise PassFailure(f"pipeline '{name}' is already registered")


def lookup_pipeline(name: str) -> list[str] | None:
    """The elements of the pipeline called `name`, or None."""
    return _PIPELINES.get(name)


def pipeline_names() -> list[str]:
    """All names, sorted."""
    return sorted(_PIPELINES)
