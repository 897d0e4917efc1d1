"""The loop over tiles of the result, in which schedules for thread blocks compute everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation, computations, dim_position
from mlc.passes.common.named_blocks import name_block
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.common.copy_computations import insert_copy


@dataclass(frozen=True)
class ResultComputation:
    """The computation of a kernel's result, and the dim of the root for each dim of the result of its product
    or window."""

    root: Computation
    root_dims: dict[int, int]

    @staticmethod
    def of(root: Computation, anchor: Computation) -> ResultComputation:
        """Returns the result of a kernel, with a copy as the root if `anchor` computes the result. Raises
        PassError if the root does not read each element of the anchor's result once."""
        if root.op == anchor.op:
            root = insert_copy(anchor.result)
        reads = [read for value, read in zip(root.inputs, root.maps, strict=False) if value == anchor.result]
        dims = [dim_position(result) for result in reads[0].results] if len(reads) == 1 else []
        if sorted(dim for dim in dims if dim is not None) != list(range(len(root.extents))):
            raise PassError("what follows a product must read each of its elements once", root.op.location)
        pairs = zip(anchor.parallel, dims, strict=True)
        return ResultComputation(root, {dim: root_dim for dim, root_dim in pairs if root_dim is not None})


class TiledKernel:
    """The schedule of a kernel, with a parallel loop `blocks` over tiles of the result."""

    def __init__(self, kernel: ir.Operation, result: ResultComputation, tile: Mapping[int, int]) -> None:
        """`tile` has points of the anchor's dims. All computations of the kernel get names."""
        name_block(result.root.op, "root")
        self.others = [
            computation for computation in computations(kernel) if computation.op != result.root.op
        ]
        for index, computation in enumerate(self.others):
            name_block(computation.op, _name(index))
        self.builder = ScheduleBuilder(kernel)
        sizes = positions({result.root_dims[dim]: points for dim, points in tile.items()})
        _, self.blocks = self.builder.tile(self.builder.get_block("root"), sizes, "parallel")

    def compute_all(self) -> None:
        """Moves all computations into the loop, consumers before producers."""
        for index in reversed(range(len(self.others))):
            self.builder.compute_at(self.builder.get_block(_name(index)), self.blocks)

    def block(self, computation: Computation) -> ir.Value:
        """Returns the handle of a computation that is not the root."""
        index = [other.op == computation.op for other in self.others].index(True)
        return self.builder.get_block(_name(index))


def _name(index: int) -> str:
    return f"producer{index}"
