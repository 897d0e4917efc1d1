"""The structured ops of a kernel as schedules see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod

from mlc.bindings import ir, linalg, tensor
from mlc.passes.common.rewriting import collect_ops, terminator_of

# The extent assumed for a dynamic dim where work is estimated.
LIKELY = 256
_UNKNOWN = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Computation:
    """A `linalg.generic` of a kernel: its iteration space and how operands are indexed."""

    op: ir.Operation

    @cached_property
    def maps(self) -> list[ir.AffineMap]:
        """One indexing map per operand, inputs first, the output last."""
        return linalg.Generic(self.op).indexing_maps

    @cached_property
    def reductions(self) -> list[int]:
        """The iteration dims that are reductions."""
        types = linalg.Generic(self.op).iterator_types
        return [dim for dim, type_ in enumerate(types) if "reduction" in str(type_)]

    @cached_property
    def parallel(self) -> list[int]:
        """The iteration dims of the output's dims, in their order."""
        return [dim for dim in (dim_position(result) for result in self.maps[-1].results) if dim is not None]

    @cached_property
    def extents(self) -> list[int]:
        """The extent of every iteration dim, from the operands that it indexes alone; LIKELY if dynamic."""
        sizes = [1] * self.maps[0].n_dims
        for operand, indexing_map in zip(self.op.operands, self.maps, strict=True):
            if not isinstance(operand.type, ir.RankedTensorType):
                continue
            for extent, result in zip(operand.type.shape, indexing_map.results, strict=True):
                dim = dim_position(result)
                if dim is not None:
                    sizes[dim] = LIKELY if extent == _UNKNOWN else extent
        return sizes

    @cached_property
    def dynamic(self) -> set[int]:
        """The iteration dims with a dynamic extent."""
        return {
            dim
            for operand, indexing_map in zip(self.op.operands, self.maps, strict=True)
            if isinstance(operand.type, ir.RankedTensorType)
            for axis, dim in enumerate(map(dim_position, indexing_map.results))
            if dim is not None and operand.type.is_dynamic_dim(axis)
        }

    @property
    def inputs(self) -> list[ir.Value]:
        """The operands but the output."""
        return list(self.op.operands)[:-1]

    @property
    def init(self) -> ir.Value:
        """The output operand: the accumulator's initial value."""
        return self.op.operands[len(self.op.operands) - 1]

    @property
    def result(self) -> ir.Value:
        """The computed tensor."""
        [result] = self.op.results
        return result

    @cached_property
    def work(self) -> int:
        """The number of points of the iteration space."""
        return prod(self.extents)


def dim_position(expression: ir.AffineExpr) -> int | None:
    """Returns the position of a map result that is a bare dim, else None."""
    return ir.AffineDimExpr(expression).position if isinstance(expression, ir.AffineDimExpr) else None


def axis_of(read: ir.AffineMap, dim: int) -> int:
    """Returns the axis of an operand along which an iteration dim runs."""
    return [dim_position(result) for result in read.results].index(dim)


def dims_read(indexing_map: ir.AffineMap) -> set[int]:
    """Returns the iteration dims that occur in the map, in sums and products too."""
    return {dim for dim in map(dim_position, _subexpressions(indexing_map)) if dim is not None}


def last_dims(indexing_map: ir.AffineMap) -> set[int]:
    """Returns the iteration dims that occur in the last result of the map; none for a scalar."""
    last = list(indexing_map.results)[-1:]
    return dims_read(
        ir.AffineMap.get(indexing_map.n_dims, indexing_map.n_symbols, last, context=indexing_map.context)
    )


def divided_dims(indexing_map: ir.AffineMap) -> set[int]:
    """Returns the iteration dims in quotients and remainders: steps along them are no fixed distance
    apart."""
    division = (ir.AffineFloorDivExpr, ir.AffineCeilDivExpr, ir.AffineModExpr)
    divided = [expression for expression in _subexpressions(indexing_map) if isinstance(expression, division)]
    n_dims, n_symbols = indexing_map.n_dims, indexing_map.n_symbols
    return dims_read(ir.AffineMap.get(n_dims, n_symbols, divided, context=indexing_map.context))


def _subexpressions(indexing_map: ir.AffineMap) -> list[ir.AffineExpr]:
    """Returns the map's results and all their subexpressions."""
    found = list(indexing_map.results)
    for expression in found:
        if isinstance(expression, ir.AffineBinaryExpr):
            found += [ir.AffineBinaryExpr(expression).lhs, ir.AffineBinaryExpr(expression).rhs]
    return found


def computations(kernel: ir.Operation) -> list[Computation]:
    """Returns the kernel's structured ops in program order."""
    return [Computation(op) for op in collect_ops(kernel, [linalg.Generic.NAME])]


def defining_computation(value: ir.Value) -> ir.Operation | None:
    """Returns the `linalg.generic` that computes `value`, looking through writes into larger tensors
    (padding) and fills of parts of it; None if several compute parts of it."""
    while not isinstance(value.owner, ir.Block) and value.owner.name != linalg.Generic.NAME:
        parts = _parts(value)
        if len(parts) != 1:
            return None
        (value,) = parts
    return None if isinstance(value.owner, ir.Block) else value.owner.operation


def _parts(value: ir.Value) -> list[ir.Value]:
    """Returns what is written into a tensor, and the tensor itself if it is computed, but no fills."""
    parts = []
    while (insert := tensor.InsertSlice.defining(value)) is not None:
        if linalg.Fill.defining(insert.source) is None:
            parts.append(insert.source)
        value = insert.dest
    return parts if linalg.Generic.defining(value) is None else [*parts, value]


def root_computation(kernel: ir.Operation) -> Computation | None:
    """Returns the computation of the kernel's single result, or None if there are several or none."""
    results = list(terminator_of(kernel.regions[0].blocks[0]).operands)
    op = defining_computation(results[0]) if len(results) == 1 else None
    return Computation(op) if op is not None else None


def reads_all(root: Computation, others: Iterable[Computation]) -> bool:
    """Whether the root reads the results of all other computations, itself or through some of them. What
    loops of a kernel read cannot be computed tile by tile."""
    found, left = set(), [root.op]
    while left:
        op = left.pop()
        if op not in found:
            found.add(op)
            owners = [value.owner for value in op.operands if not isinstance(value.owner, ir.Block)]
            left += [owner.operation for owner in owners if not owner.name.startswith("scf.")]
    return all(other.op in found for other in others)
