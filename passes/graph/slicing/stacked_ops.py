"""One op that stands for several of its kind: results one after the other along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import attributes_of, defining_op, erase_op, has_one_use, users
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.values import is_constant, is_static


def move_constant(value: ir.Value, before: ir.Operation) -> None:
    """Moves the computation of a constant up, as far as it stands behind `before`."""
    op = defining_op(value)
    if op is None or op.block != before.block or op.is_before_in_block(before):
        return
    for operand in op.operands:
        move_constant(operand, before)
    op.move_before(before)


def stacked_along(operands: Sequence[ir.Value], lengths: Sequence[int], axis: int, rank: int) -> int | None:
    """Along which axis constants, operands of ops on parts of these lengths, stack; -1 where all parts take
    one value as it is. None where they do not stack.

    `axis` and `rank` are those of the parts, to which the operands broadcast.
    """
    first = operands[0]
    if not all(is_constant(value) and value.type.has_rank and is_static(value) for value in operands):
        return None
    if any(value.type.rank != first.type.rank for value in operands):
        return None
    own = axis - (rank - first.type.rank)
    extents = [graph.shape_of(value)[own] if own >= 0 else 1 for value in operands]
    if all(value == first for value in operands) and extents == [1] * len(extents):
        return -1
    others = [dim for place, dim in enumerate(graph.shape_of(first)) if place != own]
    alike = all(
        [dim for place, dim in enumerate(graph.shape_of(value)) if place != own] == others
        for value in operands
    )
    return own if own >= 0 and alike and extents == list(lengths) else None


@dataclass
class Stack:
    """Parts of the given `lengths` along `axis`, all dims known, built before the op `before`: the first of
    the ops that they stand for.

    `value` holds all parts, `parts` are the values that it stands for, `done` the ops that made them.
    """

    before: ir.Operation
    axis: int
    lengths: list[int]
    value: ir.Value = None
    parts: list[ir.Value] = field(default_factory=list)
    done: list[ir.Operation] = field(default_factory=list)

    def take(self, value: ir.Value, ops: Sequence[ir.Operation]) -> None:
        """From now on `value` holds what the `ops` give."""
        self.value, self.parts = value, [op.results[0] for op in ops]
        self.done += ops

    def constant(self, values: Sequence[ir.Value], axis: int) -> ir.Value:
        """Constants of the parts as one value."""
        for value in values:
            move_constant(value, self.before)
        return values[0] if axis < 0 else graph.build("concat", list(values), {"axis": axis})

    def absorb_users(self) -> None:
        """Takes in the elementwise ops behind the parts, as long as all parts have the same one."""
        while all(has_one_use(part) for part in self.parts):
            ops = [users(part)[0] for part in self.parts]
            axes = self._operand_axes(ops) if self._alike(ops) else None
            if axes is None:
                return
            operands = [
                self.value if axis is None else self.constant([op.operands[place] for op in ops], axis)
                for place, axis in enumerate(axes)
            ]
            attributes = attributes_of(ops[0])
            self.take(graph.build(ops[0].name, operands, attributes, self._type_of(ops[0])), ops)

    def _type_of(self, op: ir.Operation) -> ir.Type:
        """The type of all parts together of what an op makes."""
        return ir.RankedTensorType.get(graph.shape_of(self.value), graph.element_type(op.results[0]))

    def _alike(self, ops: Sequence[ir.Operation]) -> bool:
        """Whether the ops are one elementwise op on each part, which keeps its shape."""
        first = ops[0]
        if first.name not in ELEMENTWISE or any(op.name != first.name for op in ops):
            return False
        attributes = [attributes_of(op) for op in ops]
        return all(
            op.block == self.before.block
            and each == attributes[0]
            and len(op.operands) == len(first.operands)
            and graph.element_type(op.results[0]) == graph.element_type(first.results[0])
            and graph.same_shape(op.results[0], part)
            for op, each, part in zip(ops, attributes, self.parts, strict=True)
        )

    def _operand_axes(self, ops: Sequence[ir.Operation]) -> list[int | None] | None:
        """Per operand the axis along which it stacks, None for the part itself; None where one does not."""
        places = {list(op.operands).index(part) for op, part in zip(ops, self.parts, strict=True)}
        if len(places) != 1:
            return None
        axes: list[int | None] = []
        for place in range(len(ops[0].operands)):
            if place in places:
                axes.append(None)
                continue
            operands = [op.operands[place] for op in ops]
            axis = stacked_along(operands, self.lengths, self.axis, self.parts[0].type.rank)
            if axis is None:
                return None
            axes.append(axis)
        return axes

    def cut(self) -> None:
        """Slices of the value take the place of the parts; the ops that made them go."""
        start = 0
        for part, length in zip(self.parts, self.lengths, strict=True):
            shape = graph.shape_of(part)
            starts = [start if axis == self.axis else 0 for axis in range(len(shape))]
            taken = {"starts": starts, "sizes": shape, "steps": [1] * len(shape)}
            part.replace_all_uses_with(graph.build("slice", [self.value], taken, part.type))
            start += length
        for op in reversed(self.done):
            erase_op(op)
