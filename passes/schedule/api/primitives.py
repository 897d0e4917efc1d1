"""The appliers of the schedule primitives, by op.

Structured primitives go to upstream's transform dialect (`*_steps.py`); primitives on loops re-emit
the nest (`loop_steps/`).
"""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.dialects.tloop.handles import is_loop
from mlc.passes.schedule.api import sampling
from mlc.passes.schedule.common.state import ScheduleState
from mlc.passes.schedule.nests import cache, compute_at
from mlc.passes.schedule.nests.decompose import decompose_reduction
from mlc.passes.schedule.nests.fuse import fuse
from mlc.passes.schedule.nests.handles import annotate, get_loops, unroll
from mlc.passes.schedule.nests.inline import compute_inline
from mlc.passes.schedule.nests.parallel import bind, parallel
from mlc.passes.schedule.nests.prefetch import prefetch
from mlc.passes.schedule.nests.reorder import reorder
from mlc.passes.schedule.nests.reverse_compute_at import reverse_compute_at
from mlc.passes.schedule.nests.split import split
from mlc.passes.schedule.nests.vectorize import vectorize_loops
from mlc.passes.schedule.structured import tiling_steps as structured
from mlc.passes.schedule.structured import vectorize_steps
from mlc.passes.schedule.structured.balance import balance
from mlc.passes.schedule.structured.packing_steps import pack, rfactor
from mlc.passes.schedule.structured.shift_inwards import shift_inwards
from mlc.passes.schedule.structured.storage_steps import cache_read, cache_write
from mlc.passes.schedule.structured.stream_keys import stream_keys
from mlc.passes.schedule.structured.tensorize import tensorize

Step = Callable[[ir.Operation, ScheduleState], None]


def by_kind(structured_step: Step, loop_step: Step) -> Step:
    """The first applier for structured computations (the first operand), the second one for all else."""

    def apply(op: ir.Operation, state: ScheduleState) -> None:
        names = [each.name for each in state.targets(op.operands[0])]
        structured = all(each.startswith(("linalg.", "tensor.", "tloop.")) for each in names)
        (structured_step if structured else loop_step)(op, state)

    return apply


def vectorize(op: ir.Operation, state: ScheduleState) -> None:
    """Of blocks or of a loop."""
    (vectorize_loops if is_loop(op.operands[0]) else vectorize_steps.vectorize)(op, state)


STEPS: dict[str, Step] = {
    "tloop.annotate": annotate,
    "tloop.balance": balance,
    "tloop.bind": bind,
    "tloop.cache_read": by_kind(cache_read, cache.cache_read),
    "tloop.cache_write": by_kind(cache_write, cache.cache_write),
    "tloop.compute_at": by_kind(structured.compute_at, compute_at.compute_at),
    "tloop.compute_inline": compute_inline,
    "tloop.decompose_reduction": decompose_reduction,
    "tloop.fuse": fuse,
    "tloop.get_block": structured.get_block,
    "tloop.get_loops": get_loops,
    "tloop.interchange": structured.interchange,
    "tloop.pack": pack,
    "tloop.parallel": parallel,
    "tloop.peel": structured.peel,
    "tloop.prefetch": prefetch,
    "tloop.reorder": reorder,
    "tloop.reverse_compute_at": reverse_compute_at,
    "tloop.rfactor": rfactor,
    "tloop.sample_categorical": sampling.sample_categorical,
    "tloop.sample_perfect_tile": sampling.sample_perfect_tile,
    "tloop.shift_inwards": shift_inwards,
    "tloop.split": split,
    "tloop.stream_keys": stream_keys,
    "tloop.tensorize": tensorize,
    "tloop.tile": structured.tile,
    "tloop.unroll": unroll,
    "tloop.vectorize": vectorize,
}
