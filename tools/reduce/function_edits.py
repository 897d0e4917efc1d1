"""Reductions of functions: bodies, arguments, results."""

from __future__ import annotations

from mlc.bindings import func, ir


def declare(function: ir.Operation) -> None:
    """Replaces a function by its declaration."""
    if not any(len(region.blocks) for region in function.regions):
        return
    attributes = {name: function.attributes[name] for name in list(function.attributes)}
    attributes["sym_visibility"] = ir.StringAttr.get("private")
    ir.Operation.create(
        function.name,
        attributes=attributes,
        regions=len(function.regions),
        loc=function.location,
        ip=ir.InsertionPoint(function),
    )
    function.erase()


def drop_arguments(function: ir.Operation, module: ir.Module) -> None:
    """Drops the arguments that the body does not use: all of a declaration."""
    if _is_called(function, module):
        return
    blocks = list(function.regions[0].blocks)
    kept = _used_arguments(blocks[0]) if blocks else []
    if len(kept) < len(_type(function).inputs) and "arg_attrs" in function.attributes:
        del function.attributes["arg_attrs"]
    _retype(function, kept, _type(function).results)


def _used_arguments(block: ir.Block) -> list[ir.Type]:
    """The types of the arguments that are left after the others were dropped."""
    unused = [i for i, argument in enumerate(block.arguments) if not any(True for _ in argument.uses)]
    for index in reversed(unused):
        block.erase_argument(index)
    return [argument.type for argument in block.arguments]


def drop_results(function: ir.Operation, module: ir.Module) -> None:
    """Has the function return nothing."""
    if _is_called(function, module) or not _type(function).results:
        return
    for block in function.regions[0]:
        last = block.operations[len(block.operations) - 1].operation
        if last.name == func.Return.NAME:
            last.erase()
            with ir.InsertionPoint(block):
                func.ReturnOp([])
    if "res_attrs" in function.attributes:
        del function.attributes["res_attrs"]
    _retype(function, _type(function).inputs, [])


def _type(function: ir.Operation) -> ir.FunctionType:
    return ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)


def _retype(function: ir.Operation, inputs: list[ir.Type], results: list[ir.Type]) -> None:
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def _is_called(function: ir.Operation, module: ir.Module) -> bool:
    name = f"@{ir.StringAttr(function.attributes['sym_name']).value}"
    return str(module).count(name) > 1
