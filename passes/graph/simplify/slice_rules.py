"""Rules for slice and concat: parts of parts, parts of what was joined, joins of parts."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.spec import VARIADIC_LIMIT
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import constant_array


@dataclass(frozen=True)
class Part:
    """The part of a dim that a slice takes: `size` elements (-1: all that follow) from `start` at distance
    `step`."""

    start: int
    size: int
    step: int

    def is_whole(self, dim: int | None) -> bool:
        """Whether it takes a dim of this length as it is."""
        return (self.start, self.step) == (0, 1) and self.size in (-1, dim)


def parts(op: ir.Operation) -> list[Part]:
    """The parts of a slice op, one per dim; starts of known dims count from the front."""
    dims, values = graph.shape_of(op.operands[0]), graph.shape_of(op.results[0])
    fields = zip(*(graph.attribute(op, name) for name in ("starts", "sizes", "steps")), strict=True)
    return [
        Part(
            start + dim if start < 0 and dim is not None else start, size if length is None else length, step
        )
        for (start, size, step), dim, length in zip(fields, dims, values, strict=True)
    ]


def slice_of(x: ir.Value, taken: list[Part], like: ir.Type | None = None) -> ir.Value:
    """A slice op; `like` may give dims of the result."""
    starts, sizes, steps = ([getattr(part, name) for part in taken] for name in ("start", "size", "step"))
    return graph.build("slice", [x], {"starts": starts, "sizes": sizes, "steps": steps}, like)


def slice_of_everything(op: ir.Operation) -> ir.Value | None:
    """All elements of every dim, in order."""
    slice_op = graph.Slice(op)
    shape = graph.shape_of(slice_op.x)
    whole = all(part.is_whole(dim) for part, dim in zip(parts(op), shape, strict=True))
    return slice_op.x if whole else None


def _combine_parts(inner: Part, outer: Part) -> Part | None:
    """A part of a part; None where that depends on a dim that is not known."""
    if outer.size == -1 and not (inner.size == -1 and inner.step > 0 and outer.step > 0):
        return None
    start = inner.start + outer.start * inner.step
    # A start that changes its sign would count from the other end; only parts of no elements have one.
    if outer.start < 0 or (start < 0) != (inner.start < 0):
        return None
    return Part(start, outer.size, inner.step * outer.step)


def slice_of_slice(op: ir.Operation) -> ir.Value | None:
    """slice(slice(x)): one slice."""
    slice_op = graph.Slice(op)
    inner = defining_op(slice_op.x, graph.Slice.NAME)
    if inner is None:
        return None
    taken = [_combine_parts(*pair) for pair in zip(parts(inner), parts(op), strict=True)]
    if None in taken:
        return None
    made = slice_of(graph.Slice(inner).x, [part for part in taken if part], slice_op.result.type)
    # Quotients of quotients have another form than one quotient.
    return graph.name_dims(made, graph.dims_of(slice_op.result))


def slice_of_constant(op: ir.Operation) -> ir.Value | None:
    """A part of a small constant."""
    slice_op = graph.Slice(op)
    array, source = constant_array(slice_op.x), defining_op(slice_op.x)
    if array is None or source is None:
        return None
    for axis, part in enumerate(parts(op)):
        indices = range(part.start, part.start + part.size * part.step, part.step)
        array = array.take(list(indices), axis)
    return graph.build("constant", [], {"value": array}, None, source.location)


def slice_of_concat(op: ir.Operation) -> ir.Value | None:
    """Replaces a part within one operand of a concat by a slice of that operand."""
    slice_op = graph.Slice(op)
    joined = defining_op(slice_op.x, graph.Concat.NAME)
    if joined is None:
        return None
    axis, taken = graph.Concat(joined).axis, parts(op)
    part, offset = taken[axis], 0
    if part.size < 1 or part.start < 0:
        return None
    ends = sorted((part.start, part.start + (part.size - 1) * part.step))
    for operand in joined.operands:
        length = graph.shape_of(operand)[axis]
        if length is None:
            return None
        if offset <= ends[0] and ends[1] < offset + length:
            taken[axis] = Part(part.start - offset, part.size, part.step)
            return slice_of(operand, taken, slice_op.result.type)
        offset += length
    return None


def concat_of_one(op: ir.Operation) -> ir.Value | None:
    """A single operand."""
    return op.operands[0] if len(op.operands) == 1 else None


def concat_of_concat(op: ir.Operation) -> ir.Value | None:
    """Merges concats of concats on the same axis, up to the most operands of an op."""
    concat = graph.Concat(op)
    axis, flat = concat.axis, []
    for operand in op.operands:
        inner = defining_op(operand, graph.Concat.NAME)
        nested = inner is not None and has_one_use(operand) and graph.Concat(inner).axis == axis
        flat += list(inner.operands) if inner is not None and nested else [operand]
    if not len(op.operands) < len(flat) <= VARIADIC_LIMIT:
        return None
    return graph.build("concat", flat, {"axis": axis}, concat.result.type)


def concat_of_slices(op: ir.Operation) -> ir.Value | None:
    """Neighbouring parts of one value, joined in order: one part, or the value itself."""
    concat = graph.Concat(op)
    slices = [defining_op(operand, graph.Slice.NAME) for operand in op.operands]
    axis, found = concat.axis, [piece for piece in slices if piece is not None]
    if len(found) < max(2, len(slices)) or any(piece.operands[0] != found[0].operands[0] for piece in found):
        return None
    x, pieces = found[0].operands[0], [parts(piece) for piece in found]
    first, end = pieces[0], max(0, pieces[0][axis].start)
    for piece in pieces:
        others_differ = piece[:axis] + piece[axis + 1 :] != first[:axis] + first[axis + 1 :]
        part = piece[axis]
        if others_differ or part.start != end or part.step != 1 or part.size < 0:
            return None
        end += part.size
    whole = Part(first[axis].start, end - first[axis].start, 1)
    return slice_of(x, [*first[:axis], whole, *first[axis + 1 :]], concat.result.type)


RULES: Rules = {
    graph.Slice.NAME: (slice_of_everything, slice_of_constant, slice_of_slice, slice_of_concat),
    graph.Concat.NAME: (concat_of_one, concat_of_slices, concat_of_concat),
}
