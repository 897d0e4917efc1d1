"""graph-eliminate-concat-split: what is split, computed alike in parts and joined again is computed whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops, defining_op, has_one_use
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.rules import joined as joined_tables
from mlc.passes.graph.simplify import slice_rules
from mlc.passes.graph.simplify.slice_rules import Part, parts, slice_of
from mlc.passes.graph.slicing.concatenations import Alike, joined
from mlc.passes.remarks import listening, missed


def computed_whole(op: ir.Operation) -> ir.Value | None:
    """concat(f(a), f(b)) of neighbouring slices a and b of x: f(x); convolutions become a grouped one."""
    if len(op.operands) < 2:
        return None
    found = joined(op.operands, graph.attribute(op, "axis"))
    return found.build() if isinstance(found, Alike) else None


def _looks_alike(op: ir.Operation) -> bool:
    """Whether every operand is the same op on a slice."""
    makers = [defining_op(value) for value in op.operands]
    names = {None if maker is None else maker.name for maker in makers}
    return len(names) == 1 and all(
        maker is not None
        and len(maker.operands)
        and defining_op(maker.operands[0], "graph.slice") is not None
        for maker in makers
    )


def _read_operands(lengths: Sequence[int], part: Part) -> tuple[int, int]:
    """The first operand of a concat that a part of it reads, and the one after the last."""
    low, high = sorted((part.start, part.start + (part.size - 1) * part.step))
    ends = list(accumulate(lengths))
    first = next(index for index, end in enumerate(ends) if low < end)
    last = next(index for index, end in enumerate(ends) if high < end)
    return first, last + 1


def slice_of_some_operands(op: ir.Operation) -> ir.Value | None:
    """A part of a concat that nothing else reads: the operands outside it go."""
    concat = defining_op(op.operands[0], "graph.concat")
    if concat is None or not has_one_use(op.operands[0]):
        return None
    axis, taken = graph.attribute(concat, "axis"), parts(op)
    lengths, part = [graph.shape_of(value)[axis] for value in concat.operands], taken[axis]
    if None in lengths or part.size < 1:
        return None
    first, end = _read_operands(lengths, part)
    if end - first == len(lengths):
        return None
    taken[axis] = Part(part.start - sum(lengths[:first]), part.size, part.step)
    kept = list(concat.operands)[first:end]
    return slice_of(graph.build("concat", kept, {"axis": axis}), taken, op.results[0].type)


def _report(function: ir.Operation) -> None:
    """Remarks on what is still computed in parts."""
    for op in collect_ops(function, "graph.concat"):
        if _looks_alike(op):
            reason = "the parts are not neighbours of one value, in order, or are read elsewhere"
            missed(op, "graph.eliminate_concat_split.computed_whole", reason)


RULES: Rules = joined_tables(
    slice_rules.RULES, {"graph.concat": (computed_whole,), "graph.slice": (slice_of_some_operands,)}
)


@dataclass(frozen=True)
class EliminateConcatSplit(Pass):
    """Undo splits and concatenations that meet.

    A concat of all parts of a value is the value; a slice of one operand of a concat is one of that operand.
    Where the same elementwise op runs on each part before they are joined, it runs once, on the whole;
    convolutions on neighbouring channels with constant weights become one grouped convolution, bias and
    activation included. A slice that misses some operands of a concat, and is its only reader, joins the
    others alone.
    """

    name: ClassVar[str] = "graph-eliminate-concat-split"

    def run(self, op: ir.Operation) -> bool:
        changed = apply_rules(op, RULES, self.exactness)
        if listening():
            _report(op)
        return changed
