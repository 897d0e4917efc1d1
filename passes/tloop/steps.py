"""The appliers of the schedule primitives, by op.

Structured primitives go to upstream's transform dialect (`schedule_steps.py`); primitives on loops re-emit
the nest (`loop_steps/`).
"""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.passes.tloop import schedule_steps as structured
from mlc.passes.tloop.loop_steps.fuse import fuse
from mlc.passes.tloop.loop_steps.handles import annotate, get_loops, unroll
from mlc.passes.tloop.loop_steps.parallel import bind, parallel
from mlc.passes.tloop.loop_steps.reorder import reorder
from mlc.passes.tloop.loop_steps.split import split
from mlc.passes.tloop.schedule_state import ScheduleState

STEPS: dict[str, Callable[[ir.Operation, ScheduleState], None]] = {
    "tloop.annotate": annotate,
    "tloop.bind": bind,
    "tloop.compute_at": structured.compute_at,
    "tloop.fuse": fuse,
    "tloop.get_block": structured.get_block,
    "tloop.get_loops": get_loops,
    "tloop.interchange": structured.interchange,
    "tloop.parallel": parallel,
    "tloop.peel": structured.peel,
    "tloop.reorder": reorder,
    "tloop.split": split,
    "tloop.tile": structured.tile,
    "tloop.unroll": unroll,
    "tloop.vectorize": structured.vectorize,
}
