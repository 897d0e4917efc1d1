"""Assumptions of ops about dynamic dims, which the host program checks before the ops run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.dialects.graph.dims.function_dims import Dims
from mlc.dialects.graph.dims.requirements import passing_requirements, requirements
from mlc.dialects.graph.sizes import Requirement, Size
from mlc.dialects.graph.spec import ShapeError
from mlc.dialects.tloop import build_expect
from mlc.passes.base import PassError
from mlc.passes.graph.common.op_families import ELEMENTWISE

_UNKNOWN = ir.ShapedType.get_dynamic_size()
_PASSING = {*graph.CONTROL_OPS, graph.Yield.NAME}


def expect(function: ir.Operation, ops: Sequence[ir.Operation], dims: Dims) -> None:
    """Has the host program check what ops assume about their dims, once per block. What follows
    from inputs' dims is checked before all else."""
    block = function.regions[0].blocks[0]
    # After what graph-check-data checks before all else, whose messages are better.
    first = next(op for op in block.operations if op.operation.name != tloop.Expect.NAME)
    defined = {name for argument in block.arguments for name in _names(dims.of(argument))}
    seen: list[tuple[ir.Block, Requirement]] = []
    for op in ops:
        if not op.name.startswith("graph."):
            continue
        for requirement in _checked_requirements(op, dims):
            if (op.block, requirement) in seen or (block, requirement) in seen:
                continue
            seen.append((op.block, requirement))
            is_first = op.block == block and _names((requirement.left, requirement.right)) <= defined
            with ir.InsertionPoint(first if is_first else op), op.location:
                build_expect(requirement, who(op, op.name.removeprefix("graph.")))


def _checked_requirements(op: ir.Operation, dims: Dims) -> list[Requirement]:
    """Raises PassError where it never holds."""
    try:
        return passing_requirements(op, dims) if op.name in _PASSING else requirements(op, dims)
    except ShapeError as error:
        raise PassError(graph.describe(op, error), op.location) from None


def _names(sizes: Sequence[int | Size]) -> set[str]:
    return set().union(*(size.names for size in sizes if isinstance(size, Size)))


def who(op: ir.Operation, name: str) -> str:
    """An op as messages of a running program call it: what it does, and the node that it comes from."""
    return f"{name} {_node_name(op.location)}".strip()


def _node_name(location: ir.Location) -> str:
    """The node that an op comes from, the last one of several, where its location has a name."""
    # Locations in files have a line and a column after the name.
    found = re.findall(r'"([^"]+)"(?!:)', str(location))
    return f"'{found[-1]}'" if found else ""


def broadcast_operands(op: ir.Operation, dims: Dims) -> None:
    """Broadcasts operands of which it is dynamic which dims are 1, so that it is static in kernels."""
    for position, whole in _wholes(op, dims):
        own = dims.of(op.operands[position])
        suffix = whole[len(whole) - len(own) :]
        shape = [dim if dim == 1 else total for dim, total in zip(own, suffix, strict=True)]
        if list(own) != shape:
            with ir.InsertionPoint(op), op.location:
                op.operands[position] = _expand(op.operands[position], shape)


def _expand(value: ir.Value, dims: Sequence[int | Size]) -> ir.Value:
    """The value broadcast to dims that are written at the op: it needs no operand that holds them, and thus
    no definitions of their names."""
    shape = [-1 if isinstance(dim, Size) else dim for dim in dims]
    static = [_UNKNOWN if isinstance(dim, Size) else dim for dim in dims]
    type_ = ir.RankedTensorType.get(static, graph.element_type(value))
    return graph.name_dims(graph.build(graph.Expand.NAME, [value], {"shape": shape}, type_), tuple(dims))


def _wholes(op: ir.Operation, dims: Dims) -> list[tuple[int, Sequence[int | Size]]]:
    """The operands that an op broadcasts, by position, each with the dims that it has then."""
    operands = list(op.operands)
    if op.name in ELEMENTWISE:
        return [(operand_index, dims.of(op.results[0])) for operand_index in range(len(operands))]
    shapes = [dims.of(value) for value in operands] if op.name in _BATCHED else []
    result = dims.of(op.results[0]) if shapes else ()
    if graph.RotaryEmbedding.isa(op):
        return [(operand_index, shapes[0]) for operand_index in (1, 2)]
    if op.name == graph.Attention.NAME:
        keys = shapes[2][-2:-1]
        masks = [(3, (*result[:-1], *keys))] if len(shapes) > 3 else []
        return [
            *((operand_index, (*result[:-3], *shapes[operand_index][-3:])) for operand_index in range(3)),
            *masks,
        ]
    if op.name == graph.Matmul.NAME and min(map(len, shapes)) > 1:
        return [(operand_index, (*result[:-2], *shape[-2:])) for operand_index, shape in enumerate(shapes)]
    return []


_BATCHED = (graph.Attention.NAME, graph.Matmul.NAME, graph.RotaryEmbedding.NAME)
