"""The `tloop` dialect: kernels, their launches, and the schedules that shape their loops."""

from __future__ import annotations

from mlc.bindings import ext, ir
from mlc.dialects.cached_definition import load_definition


class TLoop(ext.Dialect, name="tloop"):
    """Kernels, launches and schedules."""

    @classmethod
    def _emit_module(cls) -> ir.Module:
        return load_definition(cls, super()._emit_module)


class BlockType(TLoop.Type, name="block"):
    """A handle to a computation (a structured op) of the kernel that a schedule transforms.

    After a step that clones the computation (peeling, tiling with a remainder) the handle stands for all its
    copies.
    """


class LoopType(TLoop.Type, name="loop"):
    """A handle to a loop of the kernel that a schedule transforms.

    After a step that clones the loop the handle stands for all its copies.
    """


class ValueType(TLoop.Type, name="value"):
    """An integer that a schedule samples, such as a tile size.

    `tloop-sample-schedules` chooses it; the choice is an attribute of the op that samples.
    """
