"""graph-split-prepare: what depends on constants only moves to @prepare."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.rewriting import erase_if_unused
from mlc.passes.graph.common.rematerialization import REMATERIALIZE
from mlc.passes.graph.prepare.prepare_budget import (
    check_budget,
    choose,
    default_budget,
    transformed_weights,
)
from mlc.passes.remarks import report_missed

MAIN, PREPARE = "main", "prepare"
# What calls the runtime has objects of the running call, which is what a check ends.
_NEVER = {graph.Prepared.NAME, graph.CallRuntime.NAME, graph.Check.NAME, *graph.CONTROL_OPS}


def find_function(module: ir.Operation, name: str) -> func.FuncOp | None:
    """The `func.func` of that name in a module."""
    for op in module.regions[0].blocks[0].operations:
        if isinstance(op, func.FuncOp) and op.name.value == name:
            return op
    return None


@dataclass
class ConstantOps:
    """The ops of a block whose operands are all constant: `computed` ones, and those that are just there."""

    bare: dict[ir.Value, ir.Operation] = field(default_factory=dict)
    computed: dict[ir.Value, ir.Operation] = field(default_factory=dict)

    @classmethod
    def of(cls, block: ir.Block) -> ConstantOps:
        """Finds them in one walk. What `graph.prepared` gives is for @main only, so it does not count; nor do
        ops that kernels of @main do as they read, control flow, whose bodies see other values too, and what
        has a size that its data determine."""
        found = cls()
        for view in block.operations:
            op = view.operation
            if not op.name.startswith("graph.") or op.name in _NEVER:
                continue
            if REMATERIALIZE in op.attributes:
                continue
            if not len(op.operands):
                found.bare.update(dict.fromkeys(op.results, op))
            elif all(found.maker(operand) for operand in op.operands) and _is_of_known_size(op):
                found.computed.update(dict.fromkeys(op.results, op))
        return found

    def maker(self, value: ir.Value) -> ir.Operation | None:
        """The constant op that makes the value."""
        return self.computed.get(value) or self.bare.get(value)

    def needed_outside(self) -> list[ir.Value]:
        """Computed values that other ops use, in the block's order."""
        inside = {address(op) for op in self.computed.values()}
        return [
            value for value in self.computed if any(address(use.owner) not in inside for use in value.uses)
        ]


def _is_of_known_size(op: ir.Operation) -> bool:
    return not graph.Sizes.isa(op) and all(value.type.has_static_shape for value in op.results)


class Prepare:
    """Fills the block of @prepare; equal ops are there once."""

    def __init__(self, constants: ConstantOps, block: ir.Block) -> None:
        self.constants = constants
        self.block = block
        self.copies: dict[ir.Value, ir.Value] = {}
        self.indices: dict[Hashable, ir.Operation] = {}

    def copy(self, value: ir.Value) -> ir.Value:
        """The value in @prepare; copies what it follows from."""
        pending = [value]
        while pending:
            op = self.constants.maker(pending[-1])
            assert op is not None, "only constants are copied"
            missing = [operand for operand in op.operands if operand not in self.copies]
            if missing:
                pending += missing
                continue
            pending.pop()
            copied = self._copy_op(op, [self.copies[operand] for operand in op.operands])
            self.copies.update(zip(op.results, copied.results, strict=True))
        return self.copies[value]

    def _copy_op(self, op: ir.Operation, operands: list[ir.Value]) -> ir.Operation:
        attributes = tuple((name, op.attributes[name]) for name in op.attributes)
        types = tuple(result.type for result in op.results)
        key = (op.name, attributes, tuple(operands), types)
        if key not in self.indices:
            clone = op.clone(ir.InsertionPoint(self.block)).operation
            for position, operand in enumerate(operands):
                clone.operands[position] = operand
            self.indices[key] = clone
        return self.indices[key]


def _new_function(main: func.FuncOp) -> func.FuncOp:
    with ir.InsertionPoint.after(main.operation), main.location:
        prepare = func.FuncOp(PREPARE, ([], []))
        prepare.add_entry_block()
    return prepare


def _finish(prepare: func.FuncOp, results: Iterable[ir.Value]) -> None:
    values = list(results)
    with ir.InsertionPoint(prepare.entry_block), prepare.location:
        func.ReturnOp(values)
    signature = ir.FunctionType.get([], [value.type for value in values])
    prepare.attributes["function_type"] = ir.TypeAttr.get(signature)


def within_budget(
    constants: ConstantOps, needed: list[ir.Value], paid: Container[ir.Value], budget: int
) -> list[ir.Value]:
    """The values that @prepare computes for the `needed` values: those that are `paid`, and others in
    `budget` bytes; -1 stands for the default. In the program's order."""
    limit = default_budget(constants.bare.values()) if budget < 0 else budget
    others = [value for value in needed if value not in paid]
    choice = choose(constants.bare, constants.computed, others, limit)
    for value in choice.kept:
        reason = f"{value.type} grows by more than is left of the budget of {limit} bytes"
        report_missed(constants.computed[value], SplitPrepare.name, reason)
    moved = {*choice.moved, *(value for value in needed if value in paid)}
    return [value for value in constants.computed if value in moved]


def split(main: func.FuncOp, constants: ConstantOps, needed: list[ir.Value]) -> None:
    """Makes @prepare, and replaces what @main needs of it by its results."""
    prepare = _new_function(main)
    builder = Prepare(constants, prepare.entry_block)
    # All copies before the first replacement, which changes operands of ops still to be copied.
    copies = [builder.copy(value) for value in needed]
    prepared: dict[ir.Value, ir.Value] = {}
    for value, copy in zip(needed, copies, strict=True):
        if copy not in prepared:
            with ir.InsertionPoint(constants.computed[value]), constants.computed[value].location:
                prepared[copy] = graph.build("prepared", [], {"index": len(prepared)}, value.type)
        value.replace_all_uses_with(prepared[copy])
    _finish(prepare, prepared)
    made = {address(op): op for op in (*constants.bare.values(), *constants.computed.values())}
    for op in reversed(made.values()):
        erase_if_unused(op)


@dataclass(frozen=True)
class SplitPrepare(Pass):
    """Move computation on constants from `@main` to `@prepare`, which runs once, at compile time.

    Results of `@prepare` are the values that `@main` uses; `graph.prepared {index}` stands for them there.
    Weights and constants that `@main` uses as they are stay. Without such computation no `@prepare` is made.

    Folding must not blow the weights up. A result costs its elements beyond those of the weights and
    constants that it follows from (which count once for all results), in bytes of its element type; as many
    results move as the budget pays for, those that grow least first. What costs too much (an expansion, a
    tiling, an outer product) stays in `@main`, and the fewest elements that make it move instead.
    Conversions of the element type are no growth. Transformed weights of Winograd convolutions always move:
    `graph-winograd` has a budget for them.
    """

    name: ClassVar[str] = "graph-split-prepare"

    budget: int = option(
        -1,
        help="bytes by which results may exceed what they follow from; -1: a quarter of the weights, at "
        "least 16 MiB",
    )

    def run(self, op: ir.Operation) -> None:
        check_budget(self.budget, op.location)
        main = find_function(op, MAIN)
        if main is None or main.is_external:
            return
        constants = ConstantOps.of(main.entry_block)
        paid = transformed_weights(main.operation)
        needed = within_budget(constants, constants.needed_outside(), paid, self.budget)
        if not needed:
            return
        if find_function(op, PREPARE) is not None:
            raise PassError(
                f"constants would move to @{PREPARE}, which exists already: run {self.name} once",
                main.location,
            )
        split(main, constants, needed)
