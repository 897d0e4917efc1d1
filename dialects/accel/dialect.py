"""The `accel` dialect's types, and functions that its verifiers share."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.cached_definition import load_definition


class Accel(ext.Dialect, name="accel"):
    """Programs of thread blocks on tiles; no op refers to a thread."""

    @classmethod
    def _emit_module(cls) -> ir.Module:
        return load_definition(cls, super()._emit_module)


class TokenType(Accel.Type, name="token"):
    """The end of an asynchronous copy, which `accel.wait` waits for."""


class SemaphoreType(Accel.Type, name="semaphore"):
    """A ring of barriers, one for each stage of the buffers that it guards.

    Each barrier has phases, whose parity alternates between 0 and 1. A phase ends after all arrivals, and
    after the copies whose tokens they have.
    """


SHARED = "#gpu.address_space<workgroup>"


def is_shared(value: ir.Value) -> bool:
    """Whether the value is a memref in shared memory."""
    return isinstance(value.type, ir.MemRefType) and str(value.type.memory_space) == SHARED


def is_global(value: ir.Value) -> bool:
    """Whether the value is a memref in global memory."""
    return isinstance(value.type, ir.MemRefType) and value.type.memory_space is None


def launch_around(op: ir.Operation) -> ir.Operation | None:
    """Returns the `accel.launch` around `op`, or None."""
    parent = op.parent
    while parent is not None and not views.Launch.isa(parent):
        parent = parent.operation.parent
    return None if parent is None else parent.operation


def cluster_of(launch: ir.Operation) -> list[int]:
    """Returns the thread blocks per cluster along each dim of the grid of an `accel.launch`."""
    view = views.Launch(launch)
    return [1] * len(view.grid) if view.cluster is None else list(view.cluster)


def cluster_around(op: ir.Operation) -> list[int]:
    """Returns `cluster_of` the launch around `op`, or no dims outside of one."""
    launch = launch_around(op)
    return [] if launch is None else cluster_of(launch)


def multicast_fault(op: ext.Operation, dims: Sequence[int]) -> str:
    """Returns an error message if an op cannot be multicast along these dims of the grid, or ""."""
    cluster = cluster_around(op.operation)
    if dims and all(0 <= dim < len(cluster) and cluster[dim] > 1 for dim in dims):
        return ""
    return "multicast must be along dims of the grid in which clusters have several blocks"


def fault_at_top_of_launch(op: ext.Operation) -> str:
    """Returns an error message if an op is not at the top level of a launch, or ""."""
    parent = op.operation.parent
    if parent is not None and parent.operation.name == views.Launch.NAME:
        return ""
    return "must be at the top of an accel.launch: a block has it from its start to its end"
