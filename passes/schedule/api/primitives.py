"""The appliers of the schedule primitives, by op.

Structured primitives go to upstream's transform dialect (`structured/`); primitives on loops re-emit the nest
(`nests/`).
"""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.dialects import tloop
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
from mlc.passes.schedule.structured.skip_padding import skip_padding
from mlc.passes.schedule.structured.storage_steps import cache_read, cache_write
from mlc.passes.schedule.structured.stream_keys import stream_keys
from mlc.passes.schedule.structured.tensorize import tensorize

Step = Callable[[ir.Operation, ScheduleState], None]


def by_target(structured_step: Step, loop_step: Step) -> Step:
    """Returns an applier: the first one if the first operand is a structured computation, else the second."""

    def apply(op: ir.Operation, state: ScheduleState) -> None:
        names = [target.name for target in state.targets(op.operands[0])]
        structured = all(name.startswith(("linalg.", "tensor.", "tloop.")) for name in names)
        (structured_step if structured else loop_step)(op, state)

    return apply


def vectorize(op: ir.Operation, state: ScheduleState) -> None:
    """Vectorizes blocks or a loop."""
    on_loop = is_loop(tloop.Vectorize(op).targets[0])
    (vectorize_loops if on_loop else vectorize_steps.vectorize)(op, state)


STEPS: dict[str, Step] = {
    tloop.Annotate.NAME: annotate,
    tloop.Balance.NAME: balance,
    tloop.Bind.NAME: bind,
    tloop.CacheRead.NAME: by_target(cache_read, cache.cache_read),
    tloop.CacheWrite.NAME: by_target(cache_write, cache.cache_write),
    tloop.ComputeAt.NAME: by_target(structured.compute_at, compute_at.compute_at),
    tloop.ComputeInline.NAME: compute_inline,
    tloop.DecomposeReduction.NAME: decompose_reduction,
    tloop.Fuse.NAME: fuse,
    tloop.GetBlock.NAME: structured.get_block,
    tloop.GetLoops.NAME: get_loops,
    tloop.Interchange.NAME: structured.interchange,
    tloop.Pack.NAME: pack,
    tloop.Parallel.NAME: parallel,
    tloop.Peel.NAME: structured.peel,
    tloop.Prefetch.NAME: prefetch,
    tloop.Reorder.NAME: reorder,
    tloop.ReverseComputeAt.NAME: reverse_compute_at,
    tloop.RFactor.NAME: rfactor,
    tloop.SampleCategorical.NAME: sampling.sample_categorical,
    tloop.SamplePerfectTile.NAME: sampling.sample_perfect_tile,
    tloop.ShiftInwards.NAME: shift_inwards,
    tloop.SkipPadding.NAME: skip_padding,
    tloop.Split.NAME: split,
    tloop.StreamKeys.NAME: stream_keys,
    tloop.Tensorize.NAME: tensorize,
    tloop.Tile.NAME: structured.tile,
    tloop.Unroll.NAME: unroll,
    tloop.Vectorize.NAME: vectorize,
}
