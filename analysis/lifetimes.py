"""How much memory the values of a function need, if each is there from its op to its last use."""

from __future__ import annotations

from collections.abc import Callable

from mlc.analysis.constants import reads
from mlc.analysis.sizes import byte_size
from mlc.bindings import ir
from mlc.passes.graph.views import RESHAPES, view_source


def peak_bytes(function: ir.Operation, is_weight: Callable[[ir.Value], bool]) -> int:
    """The most bytes that are live during one op of the function, without weights.

    Inputs are live until their last use, results until the end. Reshapes are no copies. An op's operands
    and results are live together: nothing is computed in place. What lives only in bodies of control
    flow is left out. Raises `UnknownSize`.
    """
    block = function.regions[0].blocks[0]
    ops = [each.operation for each in block.operations]
    # [first step, last step] of each value that has memory of its own.
    spans = {value: [0, 0] for value in block.arguments}
    for step, op in enumerate(ops):
        for value in reads(op):
            root = view_source(value)
            if root in spans:
                spans[root][1] = step
        for result in op.results:
            if op.name not in RESHAPES and not is_weight(result):
                spans[result] = [step, step]
    return _most(spans, len(ops))


def _most(spans: dict[ir.Value, list[int]], steps: int) -> int:
    change = [0] * (steps + 1)
    for value, (first, last) in spans.items():
        size = byte_size(value)
        change[first] += size
        change[last + 1] -= size
    live = most = 0
    for each in change:
        live += each
        most = max(most, live)
    return most
