"""Single reductions of IR: deleting ops, replacing values, unwrapping regions, dropping attributes.

A function here returns the edits that it offers in a module, as callables. Any selection of them may be
called in reverse order: an op precedes the ops inside it and its users, so that no edit sees an op that
another one deleted.

Functions lose bodies, arguments and results; removed values are replaced by earlier ones of the same type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, takewhile

from mlc.bindings import address, arith, builtin, func, ir


def earlier_value(op: ir.Operation, wanted: ir.Type) -> ir.Value | None:
    """Returns an operand of `op`, an argument of its block or an earlier result in it, of type `wanted`."""
    here = address(op)
    earlier = takewhile(lambda other: address(other) != here, op.block.operations)
    results = chain.from_iterable(other.operation.results for other in earlier)
    values = chain(op.operands, op.block.arguments, results)
    return next((value for value in values if value.type == wanted), None)


def zero_before(op: ir.Operation, wanted: ir.Type) -> ir.Value | None:
    """Inserts a constant zero before `op`; returns None if the type has none."""
    zero = zero_of(wanted)
    if zero is None:
        return None
    where = ir.InsertionPoint(op)
    constant = ir.Operation.create(
        arith.Constant.NAME, results=[wanted], attributes={"value": zero}, ip=where
    )
    return constant.results[0]


def values_before(op: ir.Operation, types: Sequence[ir.Type]) -> list[ir.Value] | None:
    """Returns an earlier value or a new zero before `op` for each type; None if a type has neither."""
    found = [(wanted, earlier_value(op, wanted)) for wanted in types]
    if any(value is None and zero_of(wanted) is None for wanted, value in found):
        return None
    values = [value if value is not None else zero_before(op, wanted) for wanted, value in found]
    return [value for value in values if value is not None]


def zero_of(wanted: ir.Type) -> ir.Attribute | None:
    """Returns the zero of a scalar type or of a tensor or vector of static shape; None for other types."""
    if isinstance(wanted, (ir.RankedTensorType, ir.VectorType)):
        element = zero_of(wanted.element_type) if wanted.has_static_shape else None
        return ir.DenseElementsAttr.get_splat(wanted, element) if element is not None else None
    if isinstance(wanted, (ir.IntegerType, ir.IndexType)):
        return ir.IntegerAttr.get(wanted, 0)
    return ir.FloatAttr.get(wanted, 0.0) if isinstance(wanted, ir.FloatType) else None


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
    """Drops the arguments that the body does not use: all of them for a declaration."""
    if _is_called(function, module):
        return
    blocks = list(function.regions[0].blocks)
    kept = _used_arguments(blocks[0]) if blocks else []
    if len(kept) < len(_type(function).inputs) and "arg_attrs" in function.attributes:
        del function.attributes["arg_attrs"]
    _retype(function, kept, _type(function).results)


def _used_arguments(block: ir.Block) -> list[ir.Type]:
    """Erases unused arguments and returns the types of the others."""
    unused = [i for i, argument in enumerate(block.arguments) if not any(True for _ in argument.uses)]
    for index in reversed(unused):
        block.erase_argument(index)
    return [argument.type for argument in block.arguments]


def drop_results(function: ir.Operation, module: ir.Module) -> None:
    """Drops all results of a function."""
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


Edit = Callable[[], None]
# Attributes that an op needs to be valid.
_NEEDED = ("sym_name", "function_type", "operandSegmentSizes", "resultSegmentSizes")


def ops_of(module: ir.Module) -> list[ir.Operation]:
    """Returns all ops below the module in pre-order."""
    return list(_below(module.operation))


def _below(op: ir.Operation) -> Iterator[ir.Operation]:
    for block in chain.from_iterable(op.regions):
        for inner in block.operations:
            yield inner.operation
            yield from _below(inner.operation)


def delete_ops(module: ir.Module) -> list[Edit]:
    """Deletes ops whose results are unused when the edit runs."""

    def delete(op: ir.Operation) -> None:
        """Erases `op` if its results are unused."""
        if not _is_used(op):
            op.erase()

    return [lambda op=op: delete(op) for op in ops_of(module)]


def _is_used(op: ir.Operation) -> bool:
    return any(True for result in op.results for _ in result.uses)


def bypass_ops(module: ir.Module) -> list[Edit]:
    """Replaces used results by operands, arguments of the block or earlier results, of the same type."""
    return [lambda op=op: _replace(op, earlier_value) for op in ops_of(module) if _is_used(op)]


def _replace(op: ir.Operation, substitute: Callable[[ir.Operation, ir.Type], ir.Value | None]) -> None:
    found = [substitute(op, result.type) for result in op.results]
    values = [value for value in found if value is not None]
    if len(values) == len(found):
        for result, value in zip(op.results, values, strict=True):
            result.replace_all_uses_with(value)
        op.erase()


def constants(module: ir.Module) -> list[Edit]:
    """Replaces used results by the constant zero."""
    used = (op for op in ops_of(module) if _is_used(op) and op.name != arith.Constant.NAME)
    with_zeros = (op for op in used if all(zero_of(result.type) is not None for result in op.results))
    return [lambda op=op: _replace(op, zero_before) for op in with_zeros]


def unwrap_regions(module: ir.Module) -> list[Edit]:
    """Replaces ops, except functions, by the ops of a region with one block."""
    return [
        lambda op=op: _unwrap(op)
        for op in ops_of(module)
        if any(len(region.blocks) == 1 for region in op.regions)
        and ("sym_name" not in op.attributes or op.name == builtin.Module.NAME)
    ]


def _unwrap(op: ir.Operation) -> None:
    block = next(region.blocks[0] for region in op.regions if len(region.blocks) == 1)
    inner = [view.operation for view in block.operations]
    for argument in block.arguments:
        value = next((operand for operand in op.operands if operand.type == argument.type), None)
        if value is None and any(True for _ in argument.uses):
            value = zero_before(op, argument.type)
        if value is not None:
            argument.replace_all_uses_with(value)
    # By position: what a terminator yields, in the ops of scf, linalg and most others, are the results.
    yielded = list(inner[-1].operands) if inner else []
    terminated = bool(inner) and not inner[-1].results and not builtin.Module.isa(op)
    for inner_op in inner[: len(inner) - terminated]:
        inner_op.move_before(op)
    for result, value in zip(op.results, yielded, strict=False):
        if result.type == value.type:
            result.replace_all_uses_with(value)
    op.erase()


def drop_attributes(module: ir.Module) -> list[Edit]:
    """Drops single attributes."""

    def drop(op: ir.Operation, name: str) -> None:
        """Removes the attribute."""
        del op.attributes[name]

    return [
        lambda op=op, name=name: drop(op, name)
        for op in ops_of(module)
        for name in list(op.attributes)
        if name not in _NEEDED
    ]


def simplify_attributes(module: ir.Module) -> list[Edit]:
    """Sets integers and floats to zero, strings to "", and dense constants to splats of zero."""

    def simplify(op: ir.Operation, name: str, simple: ir.Attribute) -> None:
        """Sets the attribute."""
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
    """Drops unused arguments and all results of functions that have no call."""
    functions = [op for op in ops_of(module) if op.name == func.Func.NAME]
    return [
        lambda op=op, drop=drop: drop(op, module)
        for op in functions
        for drop in (drop_arguments, drop_results)
    ]
