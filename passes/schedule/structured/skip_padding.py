"""The primitive skip_padding: windows leave out the rows of their image that hold padding alone."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import affine, ir, linalg, scf, tensor
from mlc.dialects import tloop
from mlc.passes.common.affine import AffineForm, IndexForm, as_expression, form_of
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.common.padding import padding_of
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.contractions import sums_products
from mlc.passes.schedule.common.loops import is_defined_outside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.structured.slice_offsets import slice_offsets, slice_sizes


def skip_padding(op: ir.Operation, state: ScheduleState) -> None:
    """Restricts the loop to the iterations that read elements of the image."""
    handle = tloop.SkipPadding(op).loop
    state.loop_tag(handle)
    for loop in state.targets(handle):
        _restrict(scf.For(loop))


def _restrict(loop: scf.For) -> None:
    lower, upper, step = map(constant_value, (loop.lower_bound, loop.upper_bound, loop.step))
    if lower != 0 or step != 1 or upper is None:
        raise StepError("the loop does not run over the offsets of a window one by one")
    read = _read_part(loop)
    with ir.InsertionPoint(loop.operation), loop.operation.location:
        loop.operation.operands[0] = _first(read)
        loop.operation.operands[1] = _end(read, upper)


@dataclass(frozen=True)
class _ReadPart:
    """The part of the image that an iteration reads along a dim: `span` elements from `start` on, plus
    `dilation` times the loop's variable. The dim begins with `low` zeros and ends with `high`."""

    image: ir.Value
    dim: int
    start: IndexForm
    dilation: int
    span: int
    low: int
    high: int


def _read_part(loop: scf.For) -> _ReadPart:
    for computation in collect_ops(loop.operation, linalg.Generic.NAME):
        padding = padding_of(computation)
        if padding is None or not sums_products(computation):
            continue
        image, offsets, sizes = _slice_of(computation.operands[0])
        factors = [offset.coefficient(loop.induction_variable) for offset in offsets]
        dims = [dim for dim, factor in enumerate(factors) if factor != 0]
        if len(dims) != 1 or not isinstance(image.owner, ir.Block):
            break
        [dim] = dims
        dilation, span, start = factors[dim], sizes[dim], offsets[dim].without(loop.induction_variable)
        outside = all(is_defined_outside(term.variable, loop.operation) for term in start.terms)
        if dilation is None or dilation < 1 or not isinstance(span, int) or not outside:
            break
        low, high = padding[dim]
        return _ReadPart(image, dim, start, dilation, span, low, high)
    raise StepError("the loop is not over the windows of an image whose padding is known")


def _slice_of(value: ir.Value) -> tuple[ir.Value, list[IndexForm], list[int | ir.Value]]:
    """Returns the tensor of which `value` is a slice, with the slice's offsets and sizes."""
    offsets: list[IndexForm] = [AffineForm()] * value.type.rank
    sizes: list[int | ir.Value] = list(value.type.shape)
    part = tensor.ExtractSlice.defining(value)
    if part is not None:
        sizes = slice_sizes(part.operation)
    while part is not None:
        starts = slice_offsets(part.operation)
        if len(starts) != len(offsets) or any(stride != 1 for stride in part.static_strides):
            raise StepError("the image is read by slices of another rank, or with strides")
        offsets = [offset + form_of(start) for offset, start in zip(offsets, starts, strict=True)]
        value = part.source
        part = tensor.ExtractSlice.defining(value)
    return value, offsets, sizes


def _first(read: _ReadPart) -> ir.Value:
    """Builds the first offset of the window at which elements after the zeros before the image are read."""
    start, operands = as_expression(read.start)
    zero = ir.AffineExpr.get_constant(0)
    offset = ir.AffineExpr.get_ceil_div(start * -1 + (read.low - read.span + 1), read.dilation)
    return affine.AffineMaxOp(ir.AffineMap.get(len(operands), 0, [zero, offset]), operands).result


def _end(read: _ReadPart, extent: int) -> ir.Value:
    """Builds the end of the offsets, of `extent`, at which elements before the zeros after it are read."""
    start, operands = as_expression(read.start)
    size = ir.RankedTensorType(read.image.type).shape[read.dim]
    last = start * -1 - (read.high + 1)
    if size == ir.ShapedType.get_dynamic_size():
        last = last + ir.AffineExpr.get_dim(len(operands))
        operands = [*operands, tensor.dim(read.image, index_constant(read.dim))]
    else:
        last = last + size
    offset = ir.AffineExpr.get_floor_div(last, read.dilation) + 1
    most = ir.AffineExpr.get_constant(extent)
    return affine.AffineMinOp(ir.AffineMap.get(len(operands), 0, [most, offset]), operands).result
