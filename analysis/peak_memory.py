"""How much memory the values of a function need, if each is there from its op to its last use."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mlc.analysis.constant_values import reads
from mlc.analysis.value_sizes import byte_size
from mlc.bindings import ir
from mlc.passes.graph.common.views import RESHAPES, view_source


def peak_bytes(
    function: ir.Operation,
    is_weight: Callable[[ir.Value], bool],
    size: Callable[[ir.Value], int] = byte_size,
) -> int:
    """The most bytes that are live during one op of the function, without weights.

    Inputs are live until their last use, results until the end. Reshapes are no copies. An op's operands
    and results are live together: nothing is computed in place. What lives only in bodies of control
    flow is left out. `size` gives the bytes of a value. Raises what that raises.
    """
    block = function.regions[0].blocks[0]
    ops = [each.operation for each in block.operations]
    # [first step, last step] of each value that has memory of its own.
    spans = dict.fromkeys(block.arguments, (0, 0))
    for step, op in enumerate(ops):
        for value in reads(op):
            root = view_source(value)
            if root in spans:
                spans[root] = (spans[root][0], step)
        for result in op.results:
            if op.name not in RESHAPES and not is_weight(result):
                spans[result] = (step, step)
    return _most([(size(value), *span) for value, span in spans.items()], len(ops))


def _most(spans: Iterable[tuple[int, int, int]], steps: int) -> int:
    change = [0] * (steps + 1)
    for size, first, last in spans:
        change[first] += size
        change[last + 1] -= size
    live = most = 0
    for each in change:
        live += each
        most = max(most, live)
    return most
