"""Launches on a GPU take parts of tensors that begin anywhere by way of copies that begin where they must."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mlc.compiler.device.buffers import nbytes
from mlc.compiler.host_program.step_list import COPY, WAIT, Region, Step
from mlc.passes.common.kernel_functions import CPU
from mlc.runtime.cuda.execution.program_memory import ALIGNMENT


def aligned_steps(steps: Sequence[Step], arena: int, begin: int) -> tuple[list[Step], int]:
    """The steps, with copies around launches whose operands do not begin at multiples of 16 bytes; and where
    the memory of these copies ends, which begins at byte `begin` of argument number `arena`. All launches
    share it."""
    made: list[Step] = []
    end = begin
    for step in steps:
        if step.device == CPU or step.kernel in (COPY, WAIT):
            made.append(step)
            continue
        moved, last = _moved(step, arena, begin)
        end = max(end, last)
        made += _around(step, moved)
    return made, end


def _moved(step: Step, arena: int, begin: int) -> tuple[list[Region], int]:
    """The regions, those that begin elsewhere one behind the other from `begin` on, and where these end."""
    regions = []
    for region in step.regions:
        if region.offset % ALIGNMENT:
            regions.append(replace(region, argument=arena, offset=begin))
            begin += -(-nbytes(region) // ALIGNMENT) * ALIGNMENT
        else:
            regions.append(region)
    return regions, begin


def _around(step: Step, moved: Sequence[Region]) -> Iterator[Step]:
    reads = len(step.regions) - step.outputs
    pairs = list(zip(step.regions, moved, strict=True))
    yield from (Step(COPY, pair) for pair in pairs[:reads] if pair[0] != pair[1])
    yield replace(step, regions=tuple(moved))
    yield from (Step(COPY, (there, own)) for own, there in pairs[reads:] if own != there)
