"""tloop-collapse-dims: dims that every computation of a kernel walks together become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import arith, func, ir, linalg, tensor
from mlc.passes.base import Pass
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.kernel_functions import DIMS, is_kernel, is_on_tensors, schedules
from mlc.passes.common.rewriting import replace_op, terminator_of
from mlc.passes.schedule.common.contractions import is_multiply_add
from mlc.passes.schedule.structured.collapsed_lookups import dims_of_values, index_dims, lookups, reindex
from mlc.passes.schedule.structured.collapsed_slices import Slice, is_slice, product

_UNKNOWN = ir.ShapedType.get_dynamic_size()
# (value, axis): the axis and the one after it.
Pair = tuple[ir.Value, int]
Groups = list[list[int]]


class _Neighbours:
    """The pairs of neighbouring axes of a kernel's tensors that every computation walks as one."""

    def __init__(self, kernel: ir.Operation) -> None:
        ops = [op.operation for op in kernel.regions[0].blocks[0]]
        self.generics = [Computation(op) for op in ops if linalg.Generic.isa(op)]
        self.fills = [op for op in ops if op.name == linalg.Fill.NAME]
        self.slices = [Slice(op) for op in ops if is_slice(op)]
        values = [*kernel.regions[0].blocks[0].arguments, *(result for op in ops for result in op.results)]
        self.tensors = [value for value in values if _rank(value) > 1]
        self.pairs = {
            (value, axis)
            for value in self.tensors
            if not _is_constant(value)
            for axis in range(_rank(value) - 1)
        }

    def find(self) -> bool:
        """Leaves the pairs that no computation keeps apart; returns whether there are any."""
        before = -1
        while len(self.pairs) != before:
            before = len(self.pairs)
            for generic in self.generics:
                dims = self.dims_of(generic)
                self.pairs = {pair for pair in self.pairs if _follows(generic, pair, dims)}
            for fill in self.fills:
                self._join([fill.operands[1], fill.results[0]])
            for part in self.slices:
                self._join(part.tensors, part.is_contiguous)
        return before > 0

    def _join(self, tensors: Sequence[ir.Value], fits: Callable[[int], bool] = lambda axis: True) -> None:
        """Leaves a pair of tensors of one rank only if all of them have it."""
        for axis in range(max(0, _rank(tensors[0]) - 1)):
            pairs = {(value, axis) for value in tensors}
            if not (pairs <= self.pairs and fits(axis)):
                self.pairs -= pairs

    def dims_of(self, generic: Computation) -> set[int]:
        """Returns the iteration dims that can become one with the next one: where an operand has one, it has
        the next one at the next axis, and that pair is left."""
        reduced = [dim in generic.reductions for dim in range(len(generic.extents))]
        accesses, values = _accesses(generic), dims_of_values(generic.op)
        return {
            dim
            for dim in range(len(reduced) - 1)
            if reduced[dim] == reduced[dim + 1]
            and values.isdisjoint((dim, dim + 1))
            and all(self._walks(value, dims, dim) for value, dims in accesses)
        }

    def _walks(self, value: ir.Value, dims: list[int | None], dim: int) -> bool:
        if dims.count(dim) != 1 or dims.count(dim + 1) != 1:
            return dims.count(dim) + dims.count(dim + 1) == 0
        axis = dims.index(dim)
        return dims[axis + 1 : axis + 2] == [dim + 1] and (value, axis) in self.pairs

    def groups(self, value: ir.Value) -> Groups:
        """Returns the axes of a tensor by those that they become."""
        found: Groups = []
        for axis in range(_rank(value)):
            if axis and (value, axis - 1) in self.pairs:
                found[-1].append(axis)
            else:
                found.append([axis])
        return found


def _rank(value: ir.Value) -> int:
    return len(value.type.shape) if isinstance(value.type, ir.RankedTensorType) else 0


def _is_constant(value: ir.Value) -> bool:
    """Whether the elements are in the IR, with their shape."""
    return not isinstance(value.owner, ir.Block) and value.owner.name == arith.Constant.NAME


def _follows(generic: Computation, pair: Pair, dims: set[int]) -> bool:
    """Whether the computation, if it takes the pair's tensor, walks the two axes by dims that become one."""
    value, axis = pair
    for operand, read in _accesses(generic):
        if operand == value:
            first, second = read[axis : axis + 2]
            if first not in dims or second != first + 1:
                return False
    return True


def _accesses(generic: Computation) -> list[tuple[ir.Value, list[int | None]]]:
    """Returns the tensors that a computation reads and writes, each with the iteration dim of each axis; None
    for an axis that no dim walks."""
    operands = [*zip(generic.op.operands, generic.maps, strict=True), (generic.result, generic.maps[-1])]
    return [
        *((value, [dim_position(result) for result in read.results]) for value, read in operands),
        *((lookup.tensor, index_dims(lookup)) for lookup in lookups(generic.op)),
    ]


def collapse(kernel: ir.Operation) -> bool:
    """Collapses the dims of a kernel's computations and tensors; returns whether there were any."""
    if not all(_is_plain(op.operation) for op in kernel.regions[0].blocks[0]):
        return False
    found = _Neighbours(kernel)
    if not found.find():
        return False
    groups = {value: found.groups(value) for value in found.tensors}
    _retype(kernel, groups)
    dims = [found.dims_of(generic) for generic in found.generics]
    for generic, collapsed in zip(found.generics, dims, strict=True):
        _rewrite(generic, collapsed, groups)
    slices = {part.op.results[0]: part for part in found.slices}
    for value, axes in groups.items():
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name == tensor.Empty.NAME:
            _replace_empty(owner.operation, axes)
        elif value in slices:
            slices[value].collapse(axes, _collapse_type(value.type, axes))
        else:
            value.set_type(_collapse_type(value.type, axes))
    return True


def _is_plain(op: ir.Operation) -> bool:
    """Whether the op computes on elements or reduces them, or makes the tensors and scalars for it; products
    and windows have schedules that know their dims."""
    if op.name == tensor.Extract.NAME:
        return isinstance(ir.RankedTensorType(op.operands[0].type).element_type, ir.IndexType)
    if is_slice(op) or all(isinstance(value.type, ir.IndexType) for value in [*op.operands, *op.results]):
        return True
    if not linalg.Generic.isa(op):
        return op.name in (arith.Constant.NAME, tensor.Empty.NAME, linalg.Fill.NAME, func.Return.NAME)
    computation = Computation(op)
    bare = all(_is_bare(result) for read in computation.maps for result in read.results)
    return bare and not is_multiply_add(computation)


def _is_bare(expression: ir.AffineExpr) -> bool:
    return dim_position(expression) is not None or isinstance(expression, ir.AffineConstantExpr)


def _rewrite(generic: Computation, dims: set[int], groups: dict[ir.Value, Groups]) -> None:
    """Gives a computation the iteration dims that are left, of which operands have one axis each."""
    kept = [dim for dim in range(len(generic.extents)) if dim - 1 not in dims]
    position: dict[int | None, ir.AffineExpr] = {
        dim: ir.AffineExpr.get_dim(index) for index, dim in enumerate(kept)
    }
    maps = []
    for value, read in zip(generic.op.operands, generic.maps, strict=True):
        results = list(read.results)
        if value in groups:
            results = [results[axes[0]] for axes in groups[value]]
        moved = [position.get(dim_position(result), result) for result in results]
        maps.append(ir.AffineMap.get(len(kept), 0, moved))
    view = linalg.Generic(generic.op)
    types = list(view.iterator_types)
    view.indexing_maps = maps
    generic.op.attributes["iterator_types"] = ir.ArrayAttr.get([types[dim] for dim in kept])
    reindex(generic.op, kept, groups)


def _collapse_type(type_: ir.Type, groups: Groups) -> ir.RankedTensorType:
    shape = ir.RankedTensorType(type_).shape
    extents = [[shape[axis] for axis in axes] for axes in groups]
    sizes = [_UNKNOWN if _UNKNOWN in group else prod(group) for group in extents]
    return ir.RankedTensorType.get(sizes, ir.RankedTensorType(type_).element_type)


def _replace_empty(op: ir.Operation, groups: Groups) -> None:
    """Gives a `tensor.empty` the products of the sizes that become one."""
    type_, sizes = ir.RankedTensorType(op.results[0].type), iter(list(op.operands))
    extents: list[int | ir.Value] = [next(sizes) if size == _UNKNOWN else size for size in type_.shape]
    with ir.InsertionPoint(op), op.location:
        products = [product([extents[axis] for axis in axes]) for axes in groups]
        replace_op(op, tensor.EmptyOp(products, type_.element_type).result)


def _retype(kernel: ir.Operation, groups: dict[ir.Value, Groups]) -> None:
    """Gives the kernel the types that its arguments and results will have, and their dims names of
    products."""
    block = kernel.regions[0].blocks[0]
    values = [*block.arguments, *terminator_of(block).operands]
    types = [_collapse_type(value.type, groups[value]) if value in groups else value.type for value in values]
    if DIMS in kernel.attributes:
        tensors = [value for value in values if not _holds_dims(value)]
        shapes = zip(tensors, kernel.attributes[DIMS], strict=True)
        named = [_names(value, list(names), groups.get(value)) for value, names in shapes]
        kernel.attributes[DIMS] = ir.ArrayAttr.get(named)
    count = len(block.arguments)
    kernel.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types[:count], types[count:]))


def _holds_dims(value: ir.Value) -> bool:
    return _rank(value) > 0 and isinstance(ir.RankedTensorType(value.type).element_type, ir.IndexType)


def _names(value: ir.Value, names: list[ir.StringAttr], groups: Groups | None) -> ir.ArrayAttr:
    """Returns the names of a tensor's dims; of those that become one, with the factors between `*`."""
    if groups is None:
        return ir.ArrayAttr.get(names)
    factors = [
        name.value or str(size)
        for name, size in zip(names, ir.RankedTensorType(value.type).shape, strict=True)
    ]
    joined = [
        "*".join(factors[axis] for axis in axes) if any(names[axis].value for axis in axes) else ""
        for axes in groups
    ]
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in joined])


@dataclass(frozen=True)
class CollapseDims(Pass):
    """Collapse the dims that all computations of a kernel walk together: loops along short inner dims become
    one along many elements, and a reduction of several axes one of a row. Kernels with products or windows
    stay as they are, and those that have a schedule."""

    name: ClassVar[str] = "tloop-collapse-dims"

    def run(self, op: ir.Operation) -> None:
        scheduled = set(schedules(op))
        for kernel in [child.operation for child in op.regions[0].blocks[0]]:
            if is_kernel(kernel) and is_on_tensors(kernel) and func.Func(kernel).sym_name not in scheduled:
                collapse(kernel)
