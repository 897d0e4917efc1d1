"""The primitive tensorize: a computation is replaced by an implementation of it."""

from __future__ import annotations

from mlc.bindings import func, ir, outermost_op
from mlc.dialects import tloop
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.common.rewriting import attributes_of, terminator_of
from mlc.passes.schedule.common.state import ScheduleState, StepError

IMPLEMENTATION = "tloop.implementation"
_FLAGS = "fastmath"


def tensorize(op: ir.Operation, state: ScheduleState) -> None:
    """Inlines the implementation that the pattern function names."""
    step = tloop.Tensorize(op)
    pattern = _function(op, step.intrinsic)
    if IMPLEMENTATION not in pattern.attributes:
        raise StepError(f"the pattern has no attribute {IMPLEMENTATION}")
    implementation = _function(op, pattern.attributes[IMPLEMENTATION].value)
    wanted = _computation(pattern)
    for block in state.targets(step.block):
        _check_equal(structured_one(block), wanted)
        _inline(block, implementation)


def structured_one(block: ir.Operation) -> ir.Operation:
    """Returns `block`. Raises StepError if it is not structured."""
    if not block.name.startswith("linalg."):
        raise StepError(f"the block is a '{block.name}'; this primitive works on structured computations")
    return block


def _function(op: ir.Operation, name: str) -> ir.Operation:
    """Returns the function of the module that is called `name`."""
    for found in outermost_op(op).regions[0].blocks[0]:
        if func.Func.isa(found) and func.Func(found).sym_name == name:
            return found.operation
    raise StepError(f"the module has no function @{name}")


def _computation(pattern: ir.Operation) -> ir.Operation:
    """Returns the single structured op of the pattern, whose operands are the function's arguments in
    order."""
    block = pattern.regions[0].blocks[0]
    ops = [op.operation for op in block.operations]
    if (
        len(ops) != 2
        or not ops[0].name.startswith("linalg.")
        or list(ops[0].operands) != list(block.arguments)
    ):
        raise StepError("the pattern must hold one structured computation of its arguments and nothing else")
    return ops[0]


def _check_equal(block: ir.Operation, wanted: ir.Operation) -> None:
    """Raises StepError that names the first difference."""
    for found, expected in zip(block.operands, wanted.operands, strict=False):
        if found.type != expected.type:
            raise StepError(f"the block works on a {found.type} where the pattern has a {expected.type}")
    (text, given), (wanted_text, needed) = _text(block), _text(wanted)
    if text != wanted_text:
        raise StepError("the block computes something else than the pattern")
    for permitted, used in zip(given, needed, strict=True):
        if not (used <= permitted or "fast" in permitted):
            flags = ",".join(sorted(used))
            raise StepError(f"the pattern uses fastmath<{flags}>, which the block does not permit")


def _text(op: ir.Operation) -> tuple[str, list[set[str]]]:
    """Returns the computation as text: attributes without tags, and the yielded values as expressions, so
    that the order of ops does not matter; and the fastmath flags of its ops."""
    attributes = {name: str(value) for name, value in attributes_of(op).items() if name != BLOCK_TAG}
    body = op.regions[0].blocks[0]
    flags: list[set[str]] = []
    yielded = [_expression(value, body, flags) for value in terminator_of(body).operands]
    return f"{op.name} {sorted(attributes.items())} {yielded}", flags


def _expression(value: ir.Value, body: ir.Block, flags: list[set[str]]) -> str:
    """Returns `value` as an expression of the arguments of `body`; adds the fastmath flags of its ops to
    `flags`."""
    if isinstance(value, ir.BlockArgument):
        return f"{'argument' if value.owner == body else 'outer value'} {value.arg_number}: {value.type}"
    op = value.owner.operation
    operands = ", ".join(_expression(operand, body, flags) for operand in op.operands)
    attributes = {name: str(attribute) for name, attribute in attributes_of(op).items()}
    written = attributes.pop(_FLAGS, "")
    flags.append(set(written[written.find("<") + 1 : -1].split(",")) - {"none", ""})
    regions = str(op) if len(op.regions) else ""
    result = f"{ir.OpResult(value).result_number}: {value.type}"
    return f"{op.name}({operands}) {sorted(attributes.items())} {regions} {result}"


def _inline(block: ir.Operation, implementation: ir.Operation) -> None:
    """Replaces the block by a clone of the implementation's body."""
    body = implementation.regions[0].blocks[0]
    if [argument.type for argument in body.arguments] != [operand.type for operand in block.operands]:
        raise StepError("the implementation takes other arguments than the pattern")
    values = dict(zip(body.arguments, block.operands, strict=True))
    with ir.InsertionPoint(block), block.location:
        results = clone_body(body, values)
    for old, new in zip(block.results, results, strict=True):
        old.replace_all_uses_with(new)
    block.erase()
