"""Regions of buffers: the box of elements that one iteration of a loop touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.common.affine import AffineForm, IndexForm, as_expression
from mlc.passes.schedule.common.loops import Loop, is_defined_outside, loop_of
from mlc.passes.schedule.common.state import StepError
from mlc.passes.schedule.nests.accesses import Access
from mlc.passes.schedule.nests.building import Bound


@dataclass
class Box:
    """The `sizes[d]` elements of dim `d` from `offsets[d]` on, a form of the loop's index and of values from
    outside its body. A box may extend past the end of a buffer of `shape`."""

    offsets: list[IndexForm]
    sizes: list[int]
    shape: list[int]

    def end(self, dim: int) -> Bound:
        """Returns the number of elements of the box that are inside of the buffer."""
        offset, size, extent = self.offsets[dim], self.sizes[dim], self.shape[dim]
        offsets = offset.value_range(_range_of_loop)
        if offsets is not None and offsets[1] + size <= extent:
            return Bound.constant(size)
        expression, operands = as_expression(offset)
        rest = ir.AffineExpr.get_constant(extent) - expression
        return Bound([ir.AffineExpr.get_constant(size), rest], operands)

    def relative(self, access: Access) -> list[IndexForm]:
        """Returns the indices of an access relative to the offsets. Raises StepError if they are not
        linear."""
        return [index - start for index, start in zip(linear_indices(access), self.offsets, strict=True)]


def box_of(touching: Sequence[Access], loop: ir.Operation, shape: Sequence[int]) -> Box:
    """Returns the smallest box with all elements that the accesses in `loop` touch in one iteration.

    Of dims whose indices are not known it has all elements.
    """
    box = Box([], [], list(shape))
    for dim, extent in enumerate(shape):
        ranges = [access.indices[dim] if access.indices is not None else None for access in touching]
        known = [_range(index, loop) for index in ranges if index is not None]
        offset, size = _union([covered for covered in known if covered is not None])
        if len(known) < len(ranges) or None in known or size is None or size >= extent:
            offset, size = AffineForm(), extent
        box.offsets.append(offset)
        box.sizes.append(size)
    return box


def _union(ranges: list[tuple[IndexForm, int]]) -> tuple[IndexForm, int | None]:
    """Returns one range for all; None as size if their distance changes with the loops."""
    first: IndexForm = ranges[0][0] if ranges else AffineForm()
    low, high = 0, 0
    for start, size in ranges:
        difference = start - first
        if difference.terms:
            return first, None
        low, high = min(low, difference.constant), max(high, difference.constant + size)
    return first + low, high - low


def _range(index: tuple[IndexForm, int], loop: ir.Operation) -> tuple[IndexForm, int] | None:
    """Returns the first element that an index covers while the loops inside of `loop` run, and the count."""
    form, size = index
    own = Loop(loop).iv
    invariant = {
        term: coefficient
        for term, coefficient in form.terms.items()
        if is_defined_outside(term.variable, loop) or term.variable == own
    }
    start = AffineForm(0, invariant)
    inner = (form - start).value_range(_range_of_loop)
    return None if inner is None else (start + inner[0], size + inner[1] - inner[0])


def _range_of_loop(value: ir.Value) -> tuple[int, int] | None:
    """Returns the smallest and the largest value of a loop's index, or None if they are not static."""
    loop = loop_of(value)
    if loop is None or loop.last is None or loop.lower is None:
        return None
    step = loop.step or 1
    return loop.lower, loop.lower + max(0, loop.last - loop.lower) // step * step


def affine_indices(indices: Sequence[IndexForm]) -> tuple[ir.AffineMapAttr, list[ir.Value]]:
    """Returns the map of an affine op that accesses the element at `indices`, and the map's operands."""
    expressions: list[ir.AffineExpr] = []
    operands: list[ir.Value] = []
    for index in indices:
        expression, values = as_expression(index, len(operands))
        expressions.append(expression)
        operands += values
    return ir.AffineMapAttr.get(ir.AffineMap.get(len(operands), 0, expressions)), operands


def linear_indices(access: Access) -> list[IndexForm]:
    """Returns the indices of an access of single elements. Raises StepError if they are not linear."""
    if access.indices is None or any(index is None or index[1] != 1 for index in access.indices):
        raise StepError(f"the indices of {access.text} are not linear in the loops")
    return [index[0] for index in access.indices if index is not None]


def read_element(name: str, buffer: ir.Value, indices: Sequence[IndexForm]) -> ir.Value:
    """Builds a load, an affine one if `name`, of an op, is one of affine."""
    element = ir.MemRefType(buffer.type).element_type
    return _access_element(name, "load", [], buffer, indices, [element]).result


def write_element(name: str, value: ir.Value, buffer: ir.Value, indices: Sequence[IndexForm]) -> ir.Operation:
    """Builds a store, an affine one if `name`, of an op, is one of affine."""
    return _access_element(name, "store", [value], buffer, indices, [])


def _access_element(
    name: str,
    verb: str,
    first: list[ir.Value],
    buffer: ir.Value,
    indices: Sequence[IndexForm],
    results: list[ir.Type],
) -> ir.Operation:
    if name.startswith("affine."):
        map_, operands = affine_indices(indices)
        return ir.Operation.create(f"affine.{verb}", results, [*first, buffer, *operands], {"map": map_})
    return ir.Operation.create(f"memref.{verb}", results, [*first, buffer, *map(index_value, indices)])


def index_value(form: IndexForm) -> ir.Value:
    """Builds the form as a value."""
    expression, operands = as_expression(form)
    return Bound([expression], operands).value()


def redirect(access: Access, buffer: ir.Value, indices: Sequence[IndexForm]) -> ir.Operation:
    """Replaces a load or a store of one element by one from or to `buffer`."""
    op = access.op
    with ir.InsertionPoint(op), op.location:
        if access.writes:
            new = write_element(op.name, op.operands[0], buffer, indices)
        else:
            value = read_element(op.name, buffer, indices)
            new = value.owner.operation
            op.result.replace_all_uses_with(value)
    for name in [name for name in op.attributes if "." in name]:
        new.attributes[name] = op.attributes[name]
    op.erase()
    return new
