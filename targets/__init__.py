"""Frozen target descriptions (pure data)."""

from mlc.targets.base import Target, TargetError, set_host_provider
from mlc.targets.named import NAMED, generic, lookup, parse_target

__all__ = ["NAMED", "Target", "TargetError", "generic", "lookup", "parse_target", "set_host_provider"]
