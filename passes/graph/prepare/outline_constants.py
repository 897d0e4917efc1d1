"""graph-outline-constants: constants that kernels look up become work for @prepare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.prepare.split_prepare import MAIN, find_function

# Of a shape that is known.
CONSTANTS = frozenset({graph.Constant.NAME, graph.Full.NAME})


def is_outlined(constant: ir.Operation) -> bool:
    """Whether only copies of a constant are used."""
    return all(use.owner.name == graph.Identity.NAME for use in constant.results[0].uses)


def is_looked_up(constant: ir.Operation) -> bool:
    """Whether kernels need it in memory: its elements differ, or it is filters, which are copied to where
    tiles of them are multiplied."""
    if graph.Constant.isa(constant) and not ir.DenseElementsAttr(constant.attributes["value"]).is_splat:
        return True
    return constant.name in CONSTANTS and any(
        use.owner.name == graph.Conv.NAME and use.operand_number == 1 for use in constant.results[0].uses
    )


def outline(constant: ir.Operation) -> None:
    """Has everything use a copy of the constant."""
    value = constant.results[0]
    with ir.InsertionPoint.after(constant), constant.location:
        copied = graph.build("identity", [value])
    value.replace_all_uses_except(copied, [copied.owner.operation])


@dataclass(frozen=True)
class OutlineConstants(Pass):
    """Put a `graph.identity` after each constant of `@main` whose elements differ, or that are filters, for
    `graph-split-prepare` to move to `@prepare`: what was part of kernels becomes a weight that they read.

    For GPUs, whose threads compute constants of equal elements and would have to look others up.
    """

    name: ClassVar[str] = "graph-outline-constants"

    def run(self, op: ir.Operation) -> bool:
        main = find_function(op, MAIN)
        if main is None or main.is_external:
            return False
        ops = [child.operation for child in main.entry_block.operations]
        constants = [constant for constant in ops if is_looked_up(constant) and not is_outlined(constant)]
        for constant in constants:
            outline(constant)
        return bool(constants)
