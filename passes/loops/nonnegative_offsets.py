"""llvm-nonnegative-offsets: addresses in dynamic buffers do not wrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, llvm
from mlc.passes.base import Pass
from mlc.passes.common.constants import i64
from mlc.passes.common.kernel_functions import SIZES
from mlc.passes.common.rewriting import collect_ops, replace_op, terminator_of
from mlc.passes.loops.alias_scopes import base_pointer

ARITHMETIC = ("llvm.add", "llvm.mul")
# Their results are nonnegative if their operands are.
CLOSED = ("llvm.intr.smin", "llvm.intr.smax", "llvm.intr.umin", "llvm.udiv", "llvm.urem")
LOOP_NEST, BRANCHES = "omp.loop_nest", (llvm.Br.NAME, llvm.CondBr.NAME)
# The users of an integer that counts elements of a buffer.
OF_OFFSETS = (*ARITHMETIC, llvm.GEP.NAME, "llvm.icmp", LOOP_NEST)
WITHOUT_WRAP = """
llvm.func @template(%a: i64, %p: !llvm.ptr) {
  %0 = llvm.add %a, %a overflow<nsw, nuw> : i64
  %1 = llvm.mul %a, %a overflow<nsw, nuw> : i64
  %2 = llvm.getelementptr inbounds|nuw %p[%a] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return
}
"""


@dataclass(frozen=True)
class NonnegativeOffsets(Pass):
    """Mark the sums and products of which offsets in buffers are made, and the addresses, as without unsigned
    wrap, where sizes, loop variables and constants are their only terms.

    LLVM does not know that sizes are not negative. It would read every second or third element by gathers,
    where it can load vectors and shuffle them.
    """

    name: ClassVar[str] = "llvm-nonnegative-offsets"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for function in [child.operation for child in op.regions[0].blocks[0]]:
            facts = [ir.DictAttr(fact) for fact in function.attributes.get("arg_attrs", [])]
            sizes = [index for index, fact in enumerate(facts) if SIZES in fact]
            if sizes and len(function.regions[0].blocks):
                _mark(function, function.regions[0].blocks[0].arguments[sizes[0]])
                kept = [{item.name: item.attr for item in fact if item.name != SIZES} for fact in facts]
                function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(fact) for fact in kept])
                changed = True
        return changed


def _mark(function: ir.Operation, sizes: ir.Value) -> None:
    nonnegative = _nonnegative(function, sizes)
    templates = ir.Module.parse(WITHOUT_WRAP)
    without_wrap = {op.name: op for op in collect_ops(templates.operation)}
    for op in collect_ops(function, ARITHMETIC):
        if op.results[0] in nonnegative and op.results[0].type == i64():
            nonnegative.add(_replace(op, without_wrap[op.name]))
    for op in collect_ops(function, llvm.GEP.NAME):
        indices = llvm.GEP(op).dynamic_indices
        if len(indices) == 1 and indices[0] in nonnegative:
            _replace(op, without_wrap[op.name])


def _replace(op: ir.Operation, template: ir.Operation) -> ir.Value:
    """Replaces an op by a copy of the template, as the bindings set no flags; returns the result."""
    with ir.InsertionPoint(op), op.location:
        made = template.clone()
    for position, operand in enumerate(op.operands):
        made.operands[position] = operand
    for name in op.attributes:
        made.attributes[name] = op.attributes[name]
    [result] = made.results
    replace_op(op, result)
    return result


def _nonnegative(function: ir.Operation, sizes: ir.Value) -> set[ir.Value]:
    """Returns the integers of the function that are not negative if those at the pointer `sizes` are
    not: all that may be are taken for it until an operand of theirs, or what a loop carries, is not."""
    ops = collect_ops(function, (*ARITHMETIC, *CLOSED, llvm.Constant.NAME, llvm.Load.NAME))
    operands = {
        op.results[0]: list(op.operands) if op.name in (*ARITHMETIC, *CLOSED) else []
        for op in ops
        if _may_be_nonnegative(op, sizes)
    }
    incoming = dict(_counters(function))
    found = {*operands, *incoming}
    before = -1
    while len(found) != before:
        before = len(found)
        # One after the other: operands come first, so that a chain of ops takes one round.
        for result, values in operands.items():
            if not found.issuperset(values):
                found.discard(result)
        for argument, values in incoming.items():
            if not all(value in found or _adds_to(argument, value, found) for value in values):
                found.discard(argument)
    return found


def _may_be_nonnegative(op: ir.Operation, sizes: ir.Value) -> bool:
    """Whether the result is a nonnegative constant, a size, or nonnegative if the operands are: sums and
    products that are data may wrap."""
    if op.name == llvm.Constant.NAME:
        value = llvm.Constant(op).value
        return isinstance(value, ir.IntegerAttr) and value.value >= 0
    if op.name == llvm.Load.NAME:
        return base_pointer(llvm.Load(op).addr) == sizes
    return op.name in CLOSED or all(use.owner.operation.name in OF_OFFSETS for use in op.results[0].uses)


def _counters(function: ir.Operation) -> Iterator[tuple[ir.Value, list[ir.Value]]]:
    """Yields the arguments of blocks below the entry, with the values that reach them."""
    for op in (function, *collect_ops(function, (LOOP_NEST, "omp.parallel", "omp.wsloop"))):
        for region in op.regions:
            for block in region.blocks:
                yield from _incoming(block)


def _adds_to(argument: ir.Value, value: ir.Value, nonnegative: set[ir.Value]) -> bool:
    """Whether the value is a sum of the argument, a loop's variable, and a step: it does not wrap."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != ARITHMETIC[0]:
        return False
    left, right = value.owner.operation.operands
    return left == argument and right in nonnegative


def _incoming(block: ir.Block) -> Iterator[tuple[ir.Value, list[ir.Value]]]:
    """Yields the arguments of a block with the values that branches pass, or the first values of the
    variables of a loop nest, which are those of its first block."""
    owner = block.owner.operation
    if owner.name == LOOP_NEST and block == owner.regions[0].blocks[0]:
        for argument, first in zip(block.arguments, owner.operands, strict=False):
            yield argument, [first]
        return
    branches = [terminator_of(before) for before in block.predecessors]
    if branches and all(branch.name in BRANCHES for branch in branches):
        passed = [values for branch in branches for values in _edge_operands(branch, block)]
        for position, argument in enumerate(block.arguments):
            yield argument, [values[position] for values in passed]


def _edge_operands(branch: ir.Operation, block: ir.Block) -> list[list[ir.Value]]:
    """Returns the values that a terminator passes to the block, for each of its edges there."""
    if branch.name == llvm.Br.NAME:
        return [list(llvm.Br(branch).dest_operands)]
    both = (llvm.CondBr(branch).true_dest_operands, llvm.CondBr(branch).false_dest_operands)
    return [list(values) for values, to in zip(both, branch.successors, strict=True) if to == block]
