"""A host function with dynamic dims, made ready for kernels: sizes are texts at the ops, values
that follow from sizes are no computations, and what sizes are read from is marked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.dialects.graph.dims.function_dims import ARGUMENTS, NAMES, Dims, named_dims, names_attribute
from mlc.dialects.graph.ops.objects import OBJECT_TYPE_ATTRIBUTE
from mlc.dialects.graph.sizes import Size
from mlc.dialects.tloop import build_read_sizes, build_size_values
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops, replace_op, terminator_of
from mlc.passes.graph.common.values import erase_dead
from mlc.passes.graph.shapes.merge_size_names import merge_size_names
from mlc.passes.graph.shapes.size_assumptions import broadcast_operands, expect

# Ops whose last operand, where it is there, says the result's dims; and how many come before it.
DIMS_OPERAND = {
    graph.Reshape.NAME: 1,
    graph.Expand.NAME: 1,
    graph.Full.NAME: 0,
    graph.WinogradOutput.NAME: 1,
}
_OF_SIZES = {
    graph.CallRuntime.NAME,
    graph.Check.NAME,
    graph.Sizes.NAME,
    tloop.Expect.NAME,
    tloop.SizeValues.NAME,
}
_OF_SIZES |= {tloop.ReadSizes.NAME}
# Ops that only read dims, and whose results are never data.
_OF_DIMS = (graph.ShapeOf.NAME, graph.Sizes.NAME)


def is_dynamic(function: ir.Operation) -> bool:
    """Whether some value of the function has dynamic dims, or an op computes sizes. Checks and
    calls of the runtime may fail, as such functions can; what takes or gives objects is called as those
    are."""
    ops = collect_ops(function)
    if any(op.name in _OF_SIZES for op in ops) or takes_objects(function):
        return True
    values = [*function.regions[0].blocks[0].arguments]
    values += [value for op in ops for value in op.results]
    return any(
        isinstance(value.type, ir.RankedTensorType) and not value.type.has_static_shape for value in values
    )


def takes_objects(function: ir.Operation) -> bool:
    """Whether arguments or results of a host function are strings, sequences, optionals or maps."""
    sides = (function.attributes.get(side, []) for side in ("arg_attrs", "res_attrs"))
    return any(OBJECT_TYPE_ATTRIBUTE in ir.DictAttr(entry) for side in sides for entry in side)


def settle_sizes(function: ir.Operation) -> None:
    """Writes the dims of all values as sizes at their ops; puts values that follow from sizes into
    `tloop.size_values` where they are data; reads other sizes by `tloop.read_sizes`."""
    merge_size_names(function)
    dims = Dims(function, name_formulas=True)
    ops = collect_ops(function)
    _check_defined(ops, dims)
    _write_dims(ops, dims)
    _refine_types(function, dims)
    _write_arguments(function, dims)
    _read_elements(ops, dims)
    _compute_formulas(dims)
    expect(function, ops, dims)
    for op in ops:
        broadcast_operands(op, dims)
    for op in ops:
        if op.name == graph.Range.NAME and _has_known_dims(graph.Range(op).result):
            # Its length says where it ends.
            graph.Range(op).limit = graph.Range(op).start
    for op in ops:
        if len(op.results) == 1 and _is_size_value(op, dims):
            _replace_data_uses(op, dims)
    for op in collect_ops(function):
        if op.name in DIMS_OPERAND:
            _drop_dims_operand(op)
    erase_dead([op for op in collect_ops(function) if op.name.startswith("graph.") and len(op.results)])


def _check_defined(ops: list[ir.Operation], dims: Dims) -> None:
    """Raises PassError for a dim with a name that no input and no `graph.sizes` defines."""
    for op in ops:
        for value in op.results if op.name not in graph.CONTROL_OPS else ():
            names = dims.undefined_names(value) if isinstance(value.type, ir.RankedTensorType) else []
            if names:
                raise PassError(f"nothing determines {', '.join(names)}, dims of the result", op.location)


def _write_dims(ops: list[ir.Operation], dims: Dims) -> None:
    for op in ops:
        shapes = [dims.of(value) for value in op.results if isinstance(value.type, ir.RankedTensorType)]
        if any(isinstance(dim, Size) for shape in shapes for dim in shape):
            op.attributes[NAMES] = names_attribute(shapes)
        for block in [region.blocks[0] for region in op.regions]:
            shapes = [dims.of(value) for value in block.arguments]
            if any(isinstance(dim, Size) for shape in shapes for dim in shape):
                op.attributes[ARGUMENTS] = names_attribute(shapes)


def _refine_types(function: ir.Operation, dims: Dims) -> None:
    """Writes dims that have turned out to be static into the types."""
    unknown = ir.ShapedType.get_dynamic_size()
    for op in collect_ops(function):
        for value in op.results if op.name.startswith("graph.") else ():
            if isinstance(value.type, ir.RankedTensorType) and not value.type.has_static_shape:
                static = [unknown if isinstance(dim, Size) else dim for dim in dims.of(value)]
                value.set_type(ir.RankedTensorType.get(static, value.type.element_type))
    inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
    returned = [value.type for value in terminator_of(function.regions[0].blocks[0]).operands]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, returned))


def _write_arguments(function: ir.Operation, dims: Dims) -> None:
    """Has the function name the dims of its arguments."""
    arguments = list(function.regions[0].blocks[0].arguments)
    given = function.attributes.get("arg_attrs", [ir.DictAttr.get({}) for _ in arguments])
    entries = []
    for argument, old in zip(arguments, given, strict=True):
        entry = {entry_attribute.name: entry_attribute.attr for entry_attribute in old}
        shape = dims.of(argument)
        if any(isinstance(dim, Size) for dim in shape):
            entry[NAMES] = names_attribute([shape])[0]
        entries.append(ir.DictAttr.get(entry))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(entries)


def _read_elements(ops: list[ir.Operation], dims: Dims) -> None:
    """Marks where the names that `graph.sizes` gives to elements are read, before their first use in a
    block."""
    seen: list[tuple[ir.Block, str]] = []
    for op in ops:
        if op.name != graph.Sizes.NAME:
            continue
        for operand, names in _named_operands(op):
            used = [name if name in dims.elements and (op.block, name) not in seen else "" for name in names]
            if any(used) and dims.contents(operand) is None:
                seen += [(op.block, name) for name in used]
                with ir.InsertionPoint(op), op.location:
                    build_read_sizes(operand, used)


def _compute_formulas(dims: Dims) -> None:
    """Computes the sizes with long formulas once, and reads what names stand for them."""
    for name, formula in dims.formulas.items():
        with ir.InsertionPoint(formula.op), formula.op.location:
            vector_type = ir.RankedTensorType.get([1], i64())
            build_read_sizes(build_size_values([str(formula.size)], vector_type), [name])


def _named_operands(op: ir.Operation) -> Iterator[tuple[ir.Value, list[str]]]:
    """The vectors of a `graph.sizes` with what their elements are called."""
    names = iter(graph.attribute(op, "names"))
    for operand in op.operands:
        yield operand, [next(names) for _ in range(operand.type.shape[0])]


def _drop_dims_operand(op: ir.Operation) -> None:
    """The op without the operand that says dims: its attribute does."""
    before = DIMS_OPERAND[op.name]
    if len(op.operands) == before or not _has_known_dims(op.results[0]):
        return
    attributes = {name: op.attributes[name] for name in op.attributes}
    with ir.InsertionPoint(op):
        made = ir.Operation.create(
            op.name, [op.results[0].type], list(op.operands)[:before], attributes, loc=op.location
        )
    replace_op(op, made.results[0])


def _has_known_dims(value: ir.Value) -> bool:
    return None not in named_dims(value)


def _is_size_value(op: ir.Operation, dims: Dims) -> bool:
    """Whether the op reads dims, or its result follows from sizes."""
    if op.name in _OF_DIMS:
        return True
    return (
        op.name not in (graph.Constant.NAME, tloop.ReadSizes.NAME)
        and dims.contents(op.results[0]) is not None
    )


def _replace_data_uses(op: ir.Operation, dims: Dims) -> None:
    """Lets readers of the result as data read `tloop.size_values` instead."""
    value = op.results[0]
    contents = dims.contents(value)
    readers = [use for use in value.uses if not _is_known(use.owner, dims) and not _says_dims(use)]
    if contents is None or not readers:
        return
    with ir.InsertionPoint(op), op.location:
        made = build_size_values([str(size) for size in np.asarray(contents).reshape(-1)], value.type)
    for use in readers:
        use.owner.operation.operands[use.operand_number] = made


def _says_dims(use: ir.OpOperand) -> bool:
    """Whether the use is the operand by which an op says its result's dims, which their names do."""
    op = use.owner.operation
    return DIMS_OPERAND.get(op.name) == use.operand_number and _has_known_dims(op.results[0])


def _is_known(reader: ir.OpView | ir.Operation, dims: Dims) -> bool:
    """Whether the reader's own result follows from sizes."""
    op = reader.operation
    return len(op.results) == 1 and op.name.startswith("graph.") and _is_size_value(op, dims)
