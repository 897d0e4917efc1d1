"""graph-sink-transposes: transposes move to where they meet others, or cost nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of, defining_op, users
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import apply_rules
from mlc.passes.graph.common.values import erase_dead, is_constant, is_ranked
from mlc.passes.graph.layout.permuted_ops import Order, Permuted, compose, inverse
from mlc.passes.graph.layout.transpose_decision import Decision, Growth, Region, permutation
from mlc.passes.graph.simplify import view_rules
from mlc.passes.remarks import report_applied, report_missed

_RULE = "graph.sink_transposes"
# Each rewrite moves fewer bytes by its own estimate; more than a few sweeps do not occur.
_SWEEPS = 8


@dataclass
class Rewriter:
    """Replaces ops by ones on transposed operands. `permuted` are results so far: what stands for the old
    value (a transpose) with the new value and its order."""

    permuted: dict[ir.Value, tuple[Order, ir.Value]] = field(default_factory=dict)
    transposed: dict[tuple[ir.Value, Order], ir.Value] = field(default_factory=dict)

    def run(self, op: ir.Operation, plan: Permuted) -> ir.Operation:
        """The op on transposed operands, just before `op`; users of `op` read its result transposed back."""
        with ir.InsertionPoint(op), op.location:
            operands = [
                self._in_order(*operand_and_order)
                for operand_and_order in zip(op.operands, plan.operands, strict=True)
            ]
            attributes = attributes_of(op) | plan.attributes
            new = graph.build(op.name, operands, attributes, _reorder_type(op.results[0].type, plan.result))
            order = list(inverse(plan.result))
            back = graph.build("transpose", [new], {"permutation": order})
        op.results[0].replace_all_uses_with(back)
        self.permuted[back] = (plan.result, new)
        return back.owner.operation

    def _in_order(self, value: ir.Value, order: Order | None) -> ir.Value:
        """Returns the value with its dims in an order."""
        if order is None or value.type.rank == 0:
            return value
        known = self.permuted.get(value)
        if known is not None and known[0] == order:
            return known[1]
        key = (value, order)
        if key not in self.transposed:
            self.transposed[key] = _transpose(_of_rank(value, len(order)), order)
        return self.transposed[key]


def _transpose(value: ir.Value, order: Order) -> ir.Value:
    """The value in an order; transposes before it are part of the new one."""
    while (before := defining_op(value, graph.Transpose.NAME)) is not None:
        value, order = graph.Transpose(before).x, compose(permutation(before), order)
    if order == tuple(range(len(order))):
        return value
    return graph.build("transpose", [value], {"permutation": list(order)})


def _of_rank(value: ir.Value, rank: int) -> ir.Value:
    """The value with leading dims of 1."""
    missing = rank - value.type.rank
    return graph.build("unsqueeze", [value], {"axes": list(range(missing))}) if missing else value


def _reorder_type(tensor_type: ir.Type, order: Order) -> ir.Type:
    return ir.RankedTensorType.get([tensor_type.shape[axis] for axis in order], tensor_type.element_type)


def seeds(transpose: ir.Operation) -> Iterator[tuple[ir.Value, Order]]:
    """The values next to a transpose, in the orders in which it would be none."""
    order = permutation(transpose)
    if not is_constant(transpose.operands[0]):
        yield transpose.results[0], inverse(order)
        yield transpose.operands[0], order


class Sweep:
    """Looks at every transpose of a function, until the regions around all of them are as they should be."""

    def __init__(self, function: ir.Operation, exactness: str) -> None:
        self.function = function
        self.exactness = exactness
        self.settled: set[tuple[ir.Value, Order]] = set()
        self.kept: dict[int, ir.Operation] = {}

    def run(self) -> bool:
        """Whether anything changed."""
        # A region may be changed again when one beside it was. Estimates that contradict each other would go
        # on for ever.
        most = len(self.function.regions[0].blocks[0].operations)
        rewrites = 0
        while rewrites < most and self._improve():
            rewrites += 1
        if rewrites:
            apply_rules(self.function, view_rules.RULES, "exact")
            return True
        for transpose in self.kept.values():
            report_missed(transpose, _RULE, "the ops around it would need as many transposes elsewhere")
        return False

    def _improve(self) -> bool:
        """Permutes one region for which that pays; False if there is none."""
        ops = [op.operation for op in self.function.regions[0].blocks[0]]
        transposes = [op for op in ops if op.name == graph.Transpose.NAME and is_ranked(op)]
        if not transposes:
            return False
        positions = {address(op): position for position, op in enumerate(ops)}
        for transpose in transposes:
            for seed in seeds(transpose):
                if seed not in self.settled and self._settle(transpose, seed, positions):
                    return True
        return False

    def _settle(
        self, transpose: ir.Operation, seed: tuple[ir.Value, Order], positions: dict[int, int]
    ) -> bool:
        region = Growth(positions, self.exactness).run(*seed)
        self.settled.update(region.orders.items())
        if not region.plans:
            return False
        chosen = Decision(region).run()
        if not chosen:
            if _has_several(region):
                self.kept[address(transpose)] = transpose
            return False
        report_applied(transpose, _RULE, f"{len(chosen)} ops work on transposed operands")
        self._rewrite(sorted(chosen, key=lambda op_and_order: positions[address(op_and_order[0])]))
        return True

    def _rewrite(self, chosen: list[tuple[ir.Operation, Permuted]]) -> None:
        rewriter = Rewriter()
        backs = [rewriter.run(op, plan) for op, plan in chosen]
        readers = [
            user for back in backs for user in users(back.results[0]) if user.name == graph.Transpose.NAME
        ]
        for reader in readers:
            with ir.InsertionPoint(reader), reader.location:
                reader.results[0].replace_all_uses_with(_transpose(reader.operands[0], permutation(reader)))
        gone = set(erase_dead([*(op for op, _ in chosen), *readers, *backs]))
        self.settled = {key for key in self.settled if key[0] not in gone}


def _has_several(region: Region) -> bool:
    """Whether the region touches more than one transpose."""
    readers = {address(use.owner): use.owner for value in region.orders for use in value.uses}
    sinks = [op for op in readers.values() if op.operation.name == graph.Transpose.NAME]
    return len(region.sources) + len(sinks) > 1


@dataclass(frozen=True)
class SinkTransposes(Pass):
    """Move transposes through the ops that work in any order of dims, where fewer bytes are then moved.

    Around each transpose, the ops that could work on the transposed values instead (elementwise, reductions,
    normalisations, concatenations, slices, padding, ...) are found, and a minimum cut decides which of them
    do. Transposes cancel, combine, vanish into products that read or store them, or move to smaller values.
    Constants are transposed for nothing: @prepare does that.
    """

    name: ClassVar[str] = "graph-sink-transposes"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        if len(op.regions[0].blocks) != 1:
            return False
        for sweep in range(_SWEEPS):
            if not Sweep(op, self.limit).run():
                return sweep > 0
        return True
