"""Compiles a kernel with a given schedule, in a worker process."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache, partial
from typing import Any
from unittest.mock import patch

from bench.search.space import SchedulePoint, Shape
from mlc.bindings import ir, llvm
from mlc.codegen.emit import emit
from mlc.compiler.code_path import FULL_LEVEL
from mlc.dialects import create_context
from mlc.passes.common.target import lanes, registers
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add
from mlc.passes.schedule.cpu import epilogue
from mlc.passes.schedule.cpu.contraction import (
    ContractionSchedule,
    RegisterTile,
    TileNest,
    choose_tile,
    reusing_dims,
)
from mlc.pipelines.driver import run_pipeline
from mlc.targets import parse_target


class Chosen(ContractionSchedule):
    """The default schedule with other choices."""

    def __init__(self, *arguments: Any, choice: SchedulePoint) -> None:
        super().__init__(*arguments)
        self.choice = choice

    def build(self, builder: ScheduleBuilder, vector_root: bool) -> None:
        """Builds the schedule of the choice."""
        choice = self.choice
        column, row = self.anchor.parallel[-1], next(reversed(reusing_dims(self.anchor)), None)
        tile = RegisterTile(column, choice.width, row, choice.rows if row is not None else 1)
        nest = TileNest(builder, self.anchor, self.root_dims)
        parallel = self.parallel_sizes(tile)
        if parallel:
            nest.tile(parallel, "parallel")
        for sizes in self._loops(tile, parallel):
            nest.tile(sizes, "sequential")
        nest.peel()
        if row is not None and self.has_heavy_epilogue():
            nest.split_root([row])
        anchor = self.tile_reductions(builder, nest.anchor, tile)
        builder.vectorize([nest.init, anchor, *([nest.root] if vector_root else [])])

    def _loops(self, tile: RegisterTile, parallel: dict[int, int]) -> list[dict[int, int]]:
        """Returns tile sizes of each sequential loop, outermost first: blocks, the dims outside the tile,
        tiles."""
        choice, extents = self.choice, self.anchor.extents
        order = [(tile.column, choice.width, choice.column_block)]
        if tile.row is not None:
            order.insert(choice.columns_first, (tile.row, choice.rows, choice.row_block))
        inside = [loop for loop in order if loop[0] not in parallel]
        blocks = [{dim: size * block} for dim, size, block in inside if block > 1]
        tiles = [{dim: size} for dim, size, _ in inside if size < extents[dim]]
        others = [{dim: 1} for dim in self._outer(tile) if dim not in parallel]
        return [*blocks, *tiles, *others] if choice.outer_last else [*others, *blocks, *tiles]

    def _outer(self, tile: RegisterTile) -> list[int]:
        extents = self.anchor.extents
        return [
            dim for dim in self.anchor.parallel if dim not in (tile.row, tile.column) and extents[dim] > 1
        ]

    def parallel_sizes(self, tile: RegisterTile) -> dict[int, int]:
        """Returns the tile sizes of the parallel loop."""
        if self.choice.parallel == "columns":
            return {tile.column: tile.width}
        if self.choice.parallel == "rows" and tile.row is not None:
            return {tile.row: tile.rows}
        return dict.fromkeys(self._outer(tile), 1)

    def reduction_steps(self, tile: RegisterTile) -> dict[int, int]:
        """Returns the steps of the reductions."""
        reductions, extents = self.anchor.reductions, self.anchor.extents
        steps = {reductions[position]: 1 for position in self.choice.reduction_order}
        steps[reductions[-1]] = self.choice.step
        return {dim: step for dim, step in steps.items() if step < extents[dim]}


class Recorder(ContractionSchedule):
    """The default schedule, which records its choices."""

    def __init__(self, *arguments: Any, found: dict[str, Any]) -> None:
        super().__init__(*arguments)
        self.found = found

    def build(self, builder: ScheduleBuilder, vector_root: bool) -> None:
        """Builds the default schedule and records its choices."""
        anchor, extents = self.anchor, self.anchor.extents
        tile = choose_tile(anchor, self.target)
        outer = [dim for dim in anchor.parallel if dim not in (tile.row, tile.column)]
        innermost = anchor.reductions[-1]
        shape = Shape(
            extents[tile.column],
            1 if tile.row is None else extents[tile.row],
            tuple(extents[dim] for dim in outer),
            tuple(extents[dim] for dim in anchor.reductions),
            is_multiply_add(anchor),
        )
        step = self.reduction_steps(tile).get(innermost, extents[innermost])
        order = tuple(range(len(anchor.reductions) - shape.unrolls))
        parallel = "columns" if tile.column in self.parallel_sizes(tile) else "outer"
        choice = SchedulePoint(tile.rows, tile.width, step, order, True, 1, 1, False, parallel)
        self.found |= {"shape": asdict(shape), "default": choice.as_dict()}
        self.found |= {"lanes": lanes(self.target), "registers": registers(self.target)}
        super().build(builder, vector_root)


@cache
def _context() -> ir.Context:
    return create_context()


def _lower(text: str, schedule: Any) -> str:
    """Returns the kernel as LLVM IR, lowered by the default pipeline with another schedule class."""
    with _context(), ir.Location.unknown(), patch.object(epilogue, "ContractionSchedule", schedule):
        module = ir.Module.parse(text)
        run_pipeline("builtin.module(cpu-kernel)", module, verify_each=False)
        return llvm.translate_module_to_llvmir(module.operation)


def describe(payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job: {"text"} -> {"shape", "default", "lanes", "registers"}; {} for a kernel without a
    contraction."""
    found: dict[str, Any] = {}
    _lower(payload["text"], partial(Recorder, found=found))
    return found


def compile_candidate(payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job: {"text", "target", "choice"} -> {"object"}."""
    chosen = partial(Chosen, choice=SchedulePoint.from_dict(payload["choice"]))
    text = _lower(payload["text"], chosen)
    return {"object": emit(text, parse_target(payload["target"]), "object", FULL_LEVEL)}
