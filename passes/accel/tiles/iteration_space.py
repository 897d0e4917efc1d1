"""The iteration space of a structured computation."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import Extent
from mlc.passes.accel.tiles.vector_shapes import reshape_vector
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation, dim_position


@dataclass(frozen=True)
class Space:
    """An iteration space; `extents` has one entry for each of its dims."""

    computation: Computation
    extents: tuple[Extent, ...]

    @property
    def shape(self) -> list[int]:
        """The shape of its vectors; that of a space without dims is [1]."""
        return [extent.padded for extent in self.extents] or [1]

    def vector_type(self, element: ir.Type) -> ir.VectorType:
        """Returns the type of vectors of the space."""
        return ir.VectorType.get(self.shape, element)

    def broadcast(self, value: ir.Value) -> ir.Value:
        """Broadcasts a scalar, or a vector with extents of 1, to the space."""
        element = value.type.element_type if isinstance(value.type, ir.VectorType) else value.type
        result = self.vector_type(element)
        return value if value.type == result else vector.BroadcastOp(result, value).result

    def indices(self, dim: int) -> ir.Value:
        """Builds the vector of each element's index along a dim."""
        line = vector.StepOp(ir.VectorType.get([self.shape[dim]], ir.IndexType.get())).result
        shape = [extent if i == dim else 1 for i, extent in enumerate(self.shape)]
        return self.broadcast(reshape_vector(line, shape))


def space_of(code: Emission, op: ir.Operation) -> Space:
    """Returns the iteration space of an op. Raises PassError if no operand determines the extent of a dim."""
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
        raise PassError("no operand determines the trip count of a loop of the computation", op.location)
    return Space(computation, tuple(found[dim] for dim in dims))
