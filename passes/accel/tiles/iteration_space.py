"""The iteration space of a structured computation."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import Extent
from mlc.passes.accel.tiles.vector_shapes import reshaped
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation, dim_position


@dataclass(frozen=True)
class Space:
    """`extents` has one entry for each iteration dim."""

    computation: Computation
    extents: tuple[Extent, ...]

    @property
    def shape(self) -> list[int]:
        """Of vectors; a single number is a vector of one."""
        return [extent.padded for extent in self.extents] or [1]

    def vector_type(self, element: ir.Type) -> ir.VectorType:
        return ir.VectorType.get(self.shape, element)

    def everywhere(self, value: ir.Value) -> ir.Value:
        """A vector, some of whose extents may be 1, or a number, at all places of the space."""
        element = value.type.element_type if isinstance(value.type, ir.VectorType) else value.type
        kind = self.vector_type(element)
        return value if value.type == kind else vector.BroadcastOp(kind, value).result

    def places(self, dim: int) -> ir.Value:
        """Where along a dim of the tile each element lies."""
        line = vector.StepOp(ir.VectorType.get([self.shape[dim]], ir.IndexType.get())).result
        shape = [extent if each == dim else 1 for each, extent in enumerate(self.shape)]
        return self.everywhere(reshaped(line, shape))


def space_of(code: Emission, op: ir.Operation) -> Space:
    """Raises PassError if no operand tells how long a dim is."""
    computation = Computation(op)
    found: dict[int, Extent] = {}
    for operand, access in zip(op.operands, computation.maps, strict=True):
        if not isinstance(operand.type, ir.RankedTensorType):
            continue
        for result, extent in zip(access.results, code.tensor(operand).extents, strict=True):
            dim = dim_position(result)
            if dim is not None and not (dim in found and isinstance(found[dim].size, int)):
                found[dim] = extent
    dims = range(computation.maps[0].n_dims)
    if any(dim not in found for dim in dims):
        raise PassError("no operand tells how long a loop of the computation is", op.location)
    return Space(computation, tuple(found[dim] for dim in dims))
