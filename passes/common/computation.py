"""What a schedule needs to know about the structured ops of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mlc.bindings import ir, linalg, tensor
from mlc.passes.common.rewriting import collect_ops

# What a dim of unknown size is taken for where work is estimated.
LIKELY = 256
_UNKNOWN = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Computation:
    """A `linalg.generic` of a kernel: its iteration space and how operands are indexed."""

    op: ir.Operation

    @cached_property
    def maps(self) -> list[ir.AffineMap]:
        """One indexing map per operand, inputs first, the output last."""
        return [attribute.value for attribute in self.op.attributes["indexing_maps"]]

    @cached_property
    def reductions(self) -> list[int]:
        """The iteration dims that are reductions."""
        kinds = [str(kind) for kind in self.op.attributes["iterator_types"]]
        return [dim for dim, kind in enumerate(kinds) if "reduction" in kind]

    @cached_property
    def parallel(self) -> list[int]:
        """The iteration dims of the output's dims, in their order."""
        return [dim for dim in (dim_position(result) for result in self.maps[-1].results) if dim is not None]

    @cached_property
    def extents(self) -> list[int]:
        """The size of every iteration dim, from the operands that index with it alone; LIKELY where only
        running the kernel tells it."""
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
    def run_time(self) -> set[int]:
        """The iteration dims whose size only running the kernel tells."""
        kinds = [operand.type for operand in self.op.operands]
        return {
            dim
            for kind, indexing_map in zip(kinds, self.maps, strict=True)
            if isinstance(kind, ir.RankedTensorType)
            for axis, dim in enumerate(map(dim_position, indexing_map.results))
            if dim is not None and kind.is_dynamic_dim(axis)
        }

    @property
    def inputs(self) -> list[ir.Value]:
        return list(self.op.operands)[:-1]

    @property
    def init(self) -> ir.Value:
        """The output operand: the accumulator's initial value."""
        return self.op.operands[len(self.op.operands) - 1]

    @property
    def result(self) -> ir.Value:
        return self.op.results[0]

    @cached_property
    def work(self) -> int:
        """The number of points of the iteration space."""
        total = 1
        for extent in self.extents:
            total *= extent
        return total


def dim_position(expression: ir.AffineExpr) -> int | None:
    """The position of a map result that is a bare dim, else None."""
    return ir.AffineDimExpr(expression).position if isinstance(expression, ir.AffineDimExpr) else None


def dims_read(indexing_map: ir.AffineMap) -> set[int]:
    """All iteration dims that occur in the map, in sums and products too."""
    return {dim for dim in map(dim_position, _subexpressions(indexing_map)) if dim is not None}


def divided_dims(indexing_map: ir.AffineMap) -> set[int]:
    """The iteration dims in quotients and remainders: steps along them are no fixed distance apart."""
    kinds = (ir.AffineFloorDivExpr, ir.AffineCeilDivExpr, ir.AffineModExpr)
    divided = [
        subexpression for subexpression in _subexpressions(indexing_map) if isinstance(subexpression, kinds)
    ]
    n_dims, n_symbols = indexing_map.n_dims, indexing_map.n_symbols
    return dims_read(ir.AffineMap.get(n_dims, n_symbols, divided, context=indexing_map.context))


def _subexpressions(indexing_map: ir.AffineMap) -> list[ir.AffineExpr]:
    """The map's results, and all that they are made of."""
    found = list(indexing_map.results)
    for each in found:
        if isinstance(each, ir.AffineBinaryExpr):
            found += [ir.AffineBinaryExpr(each).lhs, ir.AffineBinaryExpr(each).rhs]
    return found


def computations(kernel: ir.Operation) -> list[Computation]:
    """The kernel's structured ops in program order."""
    return [Computation(op) for op in collect_ops(kernel, [linalg.Generic.NAME])]


def defining_computation(value: ir.Value) -> ir.Operation | None:
    """The `linalg.generic` that computes `value`, looking through writes into larger tensors (padding) and
    fills of parts of it."""
    while True:
        owner = value.owner
        if isinstance(owner, ir.Block):
            return None
        if owner.name == linalg.Generic.NAME:
            return owner.operation
        if owner.name != tensor.InsertSlice.NAME:
            return None
        value = owner.operands[1 if _is_fill(tensor.InsertSlice(owner).source) else 0]


def _is_fill(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.name == linalg.Fill.NAME


def root_computation(kernel: ir.Operation) -> Computation | None:
    """The computation of the kernel's single result, or None if there are several or none."""
    block = kernel.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1].operation
    if len(terminator.operands) != 1:
        return None
    op = defining_computation(terminator.operands[0])
    return Computation(op) if op is not None else None
