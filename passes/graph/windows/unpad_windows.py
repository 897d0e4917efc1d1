"""graph-unpad-windows: windows that are computed by rows read images without padding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, users
from mlc.passes.common.target import target_of
from mlc.passes.graph.common.values import on_ranked, replacing
from mlc.passes.graph.windows.fold_padding import constant_pad, into_window
from mlc.passes.graph.windows.row_windows import is_row_window
from mlc.targets import Target


def drop_pad(op: ir.Operation, target: Target) -> ir.Value | None:
    """conv(pad(x)), average_pool(pad(x)), max_pool(pad(x)): the op with `pads`, if all that reads the padded
    image is computed by rows."""
    pad = constant_pad(op.operands[0])
    if pad is None or not all(is_row_window(user, target) for user in users(pad.results[0])):
        return None
    return into_window(op)


@dataclass(frozen=True)
class UnpadWindows(Pass):
    """Take the padding before depthwise convolutions and pools in plain layout into their `pads`, where
    they are computed row by row: rows and columns outside of the image are registers with the padding's
    value. Such a window reads what computed the image, a channel shuffle included, without a copy."""

    name: ClassVar[str] = "graph-unpad-windows"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        pattern = on_ranked(replacing(partial(drop_pad, target=target_of(op))))
        names = (graph.Conv.NAME, graph.MaxPool.NAME, graph.AveragePool.NAME)
        return apply_patterns(op, dict.fromkeys(names, pattern))
