"""Copies of a host function's values: a separate computation, so that the value has a buffer to itself."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.passes.common.rewriting import collect_ops, defining_op, terminator_of
from mlc.passes.graph.common.views import (
    CONSTANTS,
    RESHAPES,
    is_small_constant,
    view_offset,
    view_source,
    viewed_buffer,
)
from mlc.passes.graph.control_flow.bodies import LOOP
from mlc.passes.graph.control_flow.loop_rules import GraphLoop


def bodies(function: ir.Operation) -> list[ir.Block]:
    """The blocks inside the function's control flow."""
    return [region.blocks[0] for op in collect_ops(function, graph.CONTROL_OPS) for region in op.regions]


def copy_trivial_results(function: ir.Operation) -> None:
    """Gives each result of the host function a separate computation, so that it has its own buffer.

    A third result of one value copies the second: two copies of the first would be equal, and become one.
    """
    block = function.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1].operation
    seen: set[ir.Value] = set()
    copies: dict[ir.Value, ir.Value] = {}
    for index, value in enumerate(terminator.operands):
        source = view_source(value)
        if not _has_own_buffer(source) or source in seen:
            with ir.InsertionPoint(terminator), terminator.location:
                original = _reshape_copy(copies[source], value) if source in copies else value
                copies[source] = graph.build("identity", [original])
            terminator.operands[index] = copies[source]
        seen.add(source)


def copy_reshaped_constants(function: ir.Operation) -> None:
    """Gives a buffer to constants that a reshape reads, such as one to dynamic sizes: its result is a view
    of its operand's buffer."""
    for op in collect_ops(function, RESHAPES):
        if defining_op(op.operands[0], graph.Constant.NAME) is not None:
            _own(op, 0)


def copy_constant_operands(function: ir.Operation) -> None:
    """Gives a buffer to constants that checks and calls of the runtime read, and launches from before, those
    of kernels written by hand."""
    readers = (tloop.Launch.NAME, *tloop.EXPECTATIONS, graph.CallRuntime.NAME, graph.Check.NAME)
    for launch in collect_ops(function, readers):
        for index, value in enumerate(launch.operands):
            if defining_op(value, graph.Constant.NAME) is not None:
                _own(launch, index)


def _has_own_buffer(source: ir.Value) -> bool:
    """Whether a launch, or launches together, write the value, and nothing else."""
    op = defining_op(source)
    return op is not None and op.name not in CONSTANTS and view_offset(op) is None


def _reshape_copy(value: ir.Value, like: ir.Value) -> ir.Value:
    """A copy in the shape of `like`; the value itself where that shape is unknown."""
    made: ir.Value | None = graph.reshape_to(value, graph.dims_of(like))
    return like if made is None else made


def copy_body_values(function: ir.Operation) -> None:
    """Gives a computation to what enters or leaves bodies and has no buffer that a copy could be made of: to
    constants, and to what a loop was given for a run and carries or stacks at its end, when other values may
    have been written over it."""
    for op in collect_ops(function, graph.CONTROL_OPS):
        if op.name == LOOP:
            for position in range(2, len(op.operands)):
                if is_small_constant(op.operands[position]):
                    _own(op, position)
        for region in op.regions:
            end = terminator_of(region.blocks[0])
            given = set(region.blocks[0].arguments)
            # The condition of another run is read at once, and the loop knows a constant.
            first = 1 if op.name == LOOP else 0
            kept = _invariant_positions(GraphLoop(op)) if op.name == LOOP else set()
            for position in range(first, len(end.operands)):
                value = end.operands[position]
                if is_small_constant(value) or (viewed_buffer(value) in given and position not in kept):
                    _own(end, position)


def _invariant_positions(loop: GraphLoop) -> set[int]:
    """The operand positions of carried values that a body yields unchanged."""
    pairs = zip(loop.next, loop.carried, strict=True)
    return {position for position, (after, argument) in enumerate(pairs, 1) if view_source(after) == argument}


def _own(op: ir.Operation, position: int) -> None:
    """Gives an operand a separate computation just before the op."""
    with ir.InsertionPoint(op), op.location:
        op.operands[position] = graph.build("identity", [op.operands[position]])
