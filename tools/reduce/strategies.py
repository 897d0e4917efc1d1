"""The reductions by name, and those of control flow: branches that go one way, unreachable blocks, chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from mlc.bindings import builtin, cf, func, ir, llvm
from mlc.tools.reduce import edits
from mlc.tools.reduce.edits import Edit, ops_of, values_before


def straighten_branches(module: ir.Module) -> list[Edit]:
    """Has branches go to a single one of their successors."""
    return [edit for op in ops_of(module) if len(op.successors) > 1 for edit in _one_of(_ways(op))]


def _ways(op: ir.Operation) -> list[Edit]:
    return [lambda target=target: _jump(op, target) for target in list(op.successors)]


def _one_of(edits: Sequence[Edit]) -> list[Edit]:
    """The edits, of which only the first call does anything: they replace the same op."""
    used: list[Edit] = []

    def once(edit: Edit) -> None:
        if not used:
            used.append(edit)
            edit()

    return [lambda edit=edit: once(edit) for edit in edits]


def _jump(op: ir.Operation, target: ir.Block) -> None:
    values = values_before(op, [argument.type for argument in target.arguments])
    if values is not None:
        name = llvm.Br.NAME if op.name.startswith("llvm.") else cf.Branch.NAME
        ir.Operation.create(name, operands=values, successors=[target], ip=ir.InsertionPoint(op))
        op.erase()


def return_early(module: ir.Module) -> list[Edit]:
    """Returns from a function instead of branching."""
    return [
        lambda op=op: _return(op, op.parent.operation)
        for op in ops_of(module)
        if len(op.successors) and op.parent.name == func.Func.NAME
    ]


def _return(op: ir.Operation, function: ir.Operation) -> None:
    signature = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    values = values_before(op, signature.results)
    if values is not None:
        with ir.InsertionPoint(op):
            func.ReturnOp(values)
        op.erase()


def drop_blocks(module: ir.Module) -> list[Edit]:
    """Drops blocks to which nothing jumps, and joins a block to the only one that jumps to it."""
    regions = (region for op in ops_of(module) for region in op.regions)
    blocks = [block for region in regions for block in list(region.blocks)[1:]]
    return [lambda block=block: _drop(block) for block in blocks]


def _drop(block: ir.Block) -> None:
    before = list(block.predecessors)
    if not before and not _used_elsewhere(block):
        _erase(block)
    elif len(before) == 1 and before[0] != block:
        _join(block, before[0])


def _used_elsewhere(block: ir.Block) -> bool:
    """Whether ops outside, which nothing reaches either, or inner ones use its values."""
    results = (result for op in block.operations for result in op.operation.results)
    return any(use.owner.block != block for value in chain(block.arguments, results) for use in value.uses)


def _join(block: ir.Block, before: ir.Block) -> None:
    jump = before.operations[len(before.operations) - 1].operation
    if jump.name not in (cf.Branch.NAME, llvm.Br.NAME):
        return
    for argument, value in zip(block.arguments, jump.operands, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(block.operations):
        op.operation.move_before(jump)
    jump.erase()
    _erase(block)


def _erase(block: ir.Block) -> None:
    """Erases a block, which the bindings can do only together with an op around it."""
    owner = ir.Operation.create(builtin.Module.NAME, regions=1)
    block.append_to(owner.regions[0])
    owner.erase()


# In the order in which they are tried: those that remove most come first.
STRATEGIES: dict[str, Callable[[ir.Module], list[edits.Edit]]] = {
    "delete ops": edits.delete_ops,
    "functions to declarations": edits.declarations,
    "straighten branches": straighten_branches,
    "drop blocks": drop_blocks,
    "return early": return_early,
    "unwrap regions": edits.unwrap_regions,
    "bypass ops": edits.bypass_ops,
    "constants": edits.constants,
    "function signatures": edits.signatures,
    "drop attributes": edits.drop_attributes,
    "simplify attributes": edits.simplify_attributes,
}
