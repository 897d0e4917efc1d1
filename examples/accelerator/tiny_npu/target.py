"""The target: the host's processor with the accelerator beside it."""

from __future__ import annotations

from dataclasses import replace

from mlc.codegen.host_target import host_target
from mlc.targets import Target
from tiny_npu.simulator import library

NAME = "tiny-npu"


def describe() -> Target:
    """Kernels are functions of the host that call the accelerator's library. Raises TargetError without a C
    compiler."""
    return replace(
        host_target(),
        name=NAME,
        graph_pipelines=("graph-optimize", "tiny-npu-graph", "form-kernels", "host-plan-memory"),
        kernel_pipeline="tiny-npu-kernel",
        libraries=(str(library()),),
    )
