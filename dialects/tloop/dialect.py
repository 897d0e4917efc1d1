"""The `tloop` dialect: kernels, their launches, and the schedules that shape their loops."""

from __future__ import annotations

from mlc.bindings import ext


class TLoop(ext.Dialect, name="tloop"):
    """Kernels, launches and schedules."""


class BlockType(TLoop.Type, name="block"):
    """A handle to a computation (a structured op) of the kernel that a schedule transforms.

    After a step that clones the computation (peeling, tiling with a remainder) the handle stands for all its copies.
    """


class LoopType(TLoop.Type, name="loop"):
    """A handle to a loop of the kernel that a schedule transforms; for all its copies after a step that clones it."""


def report(op: ext.Operation, message: str) -> bool:
    """Emits `message` as an error at `op`; returns False, the verifiers' word for failure."""
    op.location.emit_error(f"'{op.OPERATION_NAME}' op {message}")
    return False
