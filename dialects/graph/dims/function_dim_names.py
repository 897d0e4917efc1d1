"""The names of dims that a function has, and those that something in it tells."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects.graph.dims.dim_names import NAMES, Shape, argument_name, named_dims
from mlc.dialects.graph.sizes import Size, symbol
from mlc.dialects.graph.verifier import read_op


def argument_dims(function: ir.Operation) -> list[Shape]:
    """The dims of a function's arguments: numbers, and the names that the attribute `graph.dims` gives, or
    names after their places."""
    block = function.regions[0].blocks[0]
    return [
        tuple(
            symbol(argument_name(index, axis)) if dim is None else dim
            for axis, dim in enumerate(named_dims(argument))
        )
        for index, argument in enumerate(block.arguments)
    ]


def told_names(function: ir.Operation) -> set[str]:
    """The names that the `graph.sizes` of a function give to what they read."""
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "graph.sizes":
            found.update(read_op(op).attributes["names"])
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return found


def names_in(block: ir.Block) -> set[str]:
    """The names in the dims that a block's ops say."""
    ops = [op.operation for op in block if NAMES in op.operation.attributes]
    dims = [dim for op in ops for value in op.results for dim in named_dims(value)]
    return {name for dim in dims if isinstance(dim, Size) for name in dim.names}
