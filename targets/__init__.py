"""Descriptions of targets, as frozen data."""

from mlc.targets.base import GRAPH_PIPELINES, Target, TargetError, set_host_provider
from mlc.targets.gpus import GpuTarget
from mlc.targets.named import (
    NAMED,
    generic,
    lookup,
    parse_target,
    register_target,
    registered_targets,
    suggestion,
)

__all__ = [
    "GRAPH_PIPELINES",
    "NAMED",
    "GpuTarget",
    "Target",
    "TargetError",
    "generic",
    "lookup",
    "parse_target",
    "register_target",
    "registered_targets",
    "set_host_provider",
    "suggestion",
]
