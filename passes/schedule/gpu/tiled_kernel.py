"""What the schedules for thread blocks share: a loop over tiles of the result, in which all is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation, computations, dim_position
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.common.copy_computations import insert_copy
from mlc.passes.schedule.common.plain import tag


@dataclass(frozen=True)
class ResultComputation:
    """The computation of a kernel's result, and for each dim of the result of its product or window, which
    one of the root it is."""

    root: Computation
    places: dict[int, int]

    @staticmethod
    def of(root: Computation, anchor: Computation) -> ResultComputation:
        """With a copy as the root where `anchor` computes the result. Raises PassError where the root does
        not read each element of the anchor's result once."""
        if root.op == anchor.op:
            root = insert_copy(anchor.result)
        reads = [read for value, read in zip(root.inputs, root.maps, strict=False) if value == anchor.result]
        dims = [dim_position(result) for result in reads[0].results] if len(reads) == 1 else []
        if sorted(dim for dim in dims if dim is not None) != list(range(len(root.extents))):
            raise PassError("what follows a product must read each of its elements once", root.op.location)
        pairs = zip(anchor.parallel, dims, strict=True)
        return ResultComputation(root, {dim: place for dim, place in pairs if place is not None})


class TiledKernel:
    """The schedule of a kernel, with a parallel loop `blocks` over tiles of the result."""

    def __init__(self, kernel: ir.Operation, result: ResultComputation, tile: Mapping[int, int]) -> None:
        """`tile` has points of the anchor's dims. All computations of the kernel get names."""
        tag(result.root, "root")
        self.others = [
            computation for computation in computations(kernel) if computation.op != result.root.op
        ]
        for number, each in enumerate(self.others):
            tag(each, _name(number))
        self.builder = ScheduleBuilder(kernel)
        sizes = positions({result.places[dim]: points for dim, points in tile.items()})
        _, self.blocks = self.builder.tile(self.builder.get_block("root"), sizes, "parallel")

    def compute_all(self) -> None:
        """In the loop, consumers before producers."""
        for number in reversed(range(len(self.others))):
            self.builder.compute_at(self.builder.get_block(_name(number)), self.blocks)

    def block(self, computation: Computation) -> ir.Value:
        """The handle of one that is not the root."""
        number = [other.op == computation.op for other in self.others].index(True)
        return self.builder.get_block(_name(number))


def _name(number: int) -> str:
    return f"producer{number}"
