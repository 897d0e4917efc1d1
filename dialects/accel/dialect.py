"""The `accel` dialect's types, and what its verifiers share."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.emitted_once import emitted_once


class Accel(ext.Dialect, name="accel"):
    """Programs of thread blocks on tiles: no op names a thread."""

    @classmethod
    def _emit_module(cls) -> ir.Module:
        return emitted_once(cls, super()._emit_module)


class TokenType(Accel.Type, name="token"):
    """The end of an asynchronous copy, which `accel.wait` waits for."""


class SemaphoreType(Accel.Type, name="semaphore"):
    """A ring of barriers, one for each stage of the buffers that it guards.

    Each barrier has phases, which alternate between 0 and 1. A phase ends when all arrivals have come, and
    the copies whose tokens they brought have ended.
    """


SHARED = "#gpu.address_space<workgroup>"


def is_shared(value: ir.Value) -> bool:
    """Whether the value is a memref in the memory that the warps of a block share."""
    return isinstance(value.type, ir.MemRefType) and str(value.type.memory_space) == SHARED


def is_global(value: ir.Value) -> bool:
    """Whether the value is a memref in global memory."""
    return isinstance(value.type, ir.MemRefType) and value.type.memory_space is None


def launch_around(op: ir.Operation) -> ir.Operation | None:
    """The `accel.launch` that holds `op`, None outside of one."""
    parent = op.parent
    while parent is not None and not views.Launch.isa(parent):
        parent = parent.operation.parent
    return None if parent is None else parent.operation


def cluster_of(launch: ir.Operation) -> list[int]:
    """How many blocks a cluster has along each dim of the grid of an `accel.launch`."""
    view = views.Launch(launch)
    return [1] * len(view.grid) if view.cluster is None else list(view.cluster)


def cluster_around(op: ir.Operation) -> list[int]:
    """That of the launch which holds `op`; no dims outside of one."""
    launch = launch_around(op)
    return [] if launch is None else cluster_of(launch)


def multicast_fault(op: ext.Operation, dims: Sequence[int]) -> str:
    """What is wrong with dims along which an op is for all blocks of a cluster; "" if nothing is."""
    cluster = cluster_around(op.operation)
    if dims and all(0 <= dim < len(cluster) and cluster[dim] > 1 for dim in dims):
        return ""
    return "multicast must be along dims of the grid in which clusters have several blocks"


def fault_at_top_of_launch(op: ext.Operation) -> str:
    """What is wrong with the place of an op that a block has from its start to its end; "" if nothing is."""
    parent = op.operation.parent
    if parent is not None and parent.operation.name == views.Launch.NAME:
        return ""
    return "must be at the top of an accel.launch: a block has it from its start to its end"
