"""Split."""

from __future__ import annotations

from mlc.dialects.graph.sizes import floordiv, maximum, minimum
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.run_time import vector_of
from mlc.frontends.onnx.operators.slicing import sliced
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# The most elements along a dim that numbers of 64 bits count.
LONGEST = 2**63 - 1


@onnx_operator("Split")
def split(node: Node) -> list[Value]:
    """`split` is an attribute up to opset 12, then an input; without it parts are equal."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", 0), x.rank)
    parts = _parts(node, x.shape[axis])
    _check(node, axis, x.shape[axis], parts)
    results: list[Value] = []
    start: Dim = 0
    for part, _ in zip(parts, node.outputs, strict=False):
        results.append(sliced(node, x, {axis: (start, part, 1)}))
        start = start + part
    return results


def _check(node: Node, axis: int, size: Dim, parts: list[Dim]) -> None:
    numbers = [part for part in parts if isinstance(part, int)]
    is_known = isinstance(size, int) and len(numbers) == len(parts)
    wrong = (is_known and sum(numbers) != size) or sum(numbers) > LONGEST
    if wrong or min(numbers, default=0) < 0 or len(parts) < len(node.outputs):
        raise NodeFailure(
            f"split {list(map(str, parts))} does not divide the dim {axis} of size {size} into "
            f"{len(node.outputs)} outputs"
        )


def _parts(node: Node, size: Dim) -> list[Dim]:
    if node.optional(1) is not None:
        return node.read_dims(vector_of(node, node.input(1), len(node.outputs)))
    given = node.attr("split", None)
    if given is not None:
        return list(given)
    count = int(node.attr("num_outputs", len(node.outputs)))
    # Equal parts; what is left over makes the last one smaller (opset 18).
    length = floordiv(size + count - 1, count) if count else 0
    return [maximum(0, minimum(length, size - i * length)) for i in range(count)]
