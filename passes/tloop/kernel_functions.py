"""Kernels in the IR: functions marked with the unit attribute `tloop.kernel`."""

from __future__ import annotations

from mlc.bindings import ir

MARK = "tloop.kernel"


def is_kernel(op: ir.Operation) -> bool:
    """Whether `op` is a function marked as a kernel."""
    return op.name == "func.func" and MARK in op.attributes
