"""Single reductions of IR: deleting ops, replacing values, unwrapping regions, dropping attributes.

A function here lists the places in a module where its edit may apply, each as a call that makes it. Any
selection of the calls may be made in reverse order: an op comes before what it holds and before its users,
so that no call meets an op that another deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from mlc.bindings import arith, builtin, func, ir
from mlc.tools.reduce.function_edits import declare, drop_arguments, drop_results
from mlc.tools.reduce.stand_in_values import earlier_value, zero_before, zero_of

Edit = Callable[[], None]
# Without them no op is valid that has them.
_NEEDED = ("sym_name", "function_type", "operandSegmentSizes", "resultSegmentSizes")


def ops_of(module: ir.Module) -> list[ir.Operation]:
    """All ops below the module, each before those in its regions."""
    return list(_below(module.operation))


def _below(op: ir.Operation) -> Iterator[ir.Operation]:
    for block in chain.from_iterable(op.regions):
        for inner in block.operations:
            yield inner.operation
            yield from _below(inner.operation)


def delete_ops(module: ir.Module) -> list[Edit]:
    """Deletes ops none of whose results is used by then."""

    def delete(op: ir.Operation) -> None:
        if not _used(op):
            op.erase()

    return [lambda op=op: delete(op) for op in ops_of(module)]


def _used(op: ir.Operation) -> bool:
    return any(True for result in op.results for _ in result.uses)


def bypass_ops(module: ir.Module) -> list[Edit]:
    """Replaces used results by operands, arguments of the block or earlier results, of the same type."""
    return [lambda op=op: _replace(op, earlier_value) for op in ops_of(module) if _used(op)]


def _replace(op: ir.Operation, substitute: Callable[[ir.Operation, ir.Type], ir.Value | None]) -> None:
    found = [substitute(op, result.type) for result in op.results]
    values = [value for value in found if value is not None]
    if len(values) == len(found):
        for result, value in zip(op.results, values, strict=True):
            result.replace_all_uses_with(value)
        op.erase()


def constants(module: ir.Module) -> list[Edit]:
    """Replaces used results by the constant zero."""
    used = (op for op in ops_of(module) if _used(op) and op.name != arith.Constant.NAME)
    numbers = (op for op in used if all(zero_of(result.type) is not None for result in op.results))
    return [lambda op=op: _replace(op, zero_before) for op in numbers]


def unwrap_regions(module: ir.Module) -> list[Edit]:
    """Puts the ops of a region of one block where its op stood; functions stay."""
    return [
        lambda op=op: _unwrap(op)
        for op in ops_of(module)
        if any(len(region.blocks) == 1 for region in op.regions)
        and ("sym_name" not in op.attributes or op.name == builtin.Module.NAME)
    ]


def _unwrap(op: ir.Operation) -> None:
    block = next(region.blocks[0] for region in op.regions if len(region.blocks) == 1)
    inner = [each.operation for each in block.operations]
    for argument in block.arguments:
        value = next((each for each in op.operands if each.type == argument.type), None)
        if value is None and any(True for _ in argument.uses):
            value = zero_before(op, argument.type)
        if value is not None:
            argument.replace_all_uses_with(value)
    # By position: what a terminator yields, in the ops of scf, linalg and most others, are the results.
    yielded = list(inner[-1].operands) if inner else []
    terminated = bool(inner) and not inner[-1].results and not builtin.Module.isa(op)
    for each in inner[: len(inner) - terminated]:
        each.move_before(op)
    for result, value in zip(op.results, yielded, strict=False):
        if result.type == value.type:
            result.replace_all_uses_with(value)
    op.erase()


def drop_attributes(module: ir.Module) -> list[Edit]:
    """Drops single attributes."""

    def drop(op: ir.Operation, name: str) -> None:
        del op.attributes[name]

    return [
        lambda op=op, name=name: drop(op, name)
        for op in ops_of(module)
        for name in list(op.attributes)
        if name not in _NEEDED
    ]


def simplify_attributes(module: ir.Module) -> list[Edit]:
    """Makes numbers zero, texts empty, and dense constants splats of zero."""

    def simplify(op: ir.Operation, name: str, simple: ir.Attribute) -> None:
        op.attributes[name] = simple

    return [
        lambda op=op, name=name, simple=simple: simplify(op, name, simple)
        for op in ops_of(module)
        for name in list(op.attributes)
        if (simple := _simpler(name, op.attributes[name])) is not None and simple != op.attributes[name]
    ]


def _simpler(name: str, attribute: ir.Attribute) -> ir.Attribute | None:
    if isinstance(attribute, ir.StringAttr) and name != "sym_name":
        return ir.StringAttr.get("")
    if isinstance(attribute, (ir.IntegerAttr, ir.FloatAttr, ir.DenseElementsAttr)):
        return zero_of(attribute.type)
    return None


def declarations(module: ir.Module) -> list[Edit]:
    """Turns functions into declarations."""
    return [lambda op=op: declare(op) for op in ops_of(module) if "function_type" in op.attributes]


def signatures(module: ir.Module) -> list[Edit]:
    """Drops arguments that are not used, and all results, of functions that nothing calls."""
    functions = [op for op in ops_of(module) if op.name == func.Func.NAME]
    return [
        lambda op=op, drop=drop: drop(op, module)
        for op in functions
        for drop in (drop_arguments, drop_results)
    ]
