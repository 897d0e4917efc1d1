"""Einsum as reductions, transposes, reshapes and matrix products."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any

from mlc.dialects.graph.sizes import broadcast, differ, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes, take_range
from mlc.frontends.onnx.operators.math.contraction import multiply
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class EinsumTerm:
    """A value whose axes are named by letters."""

    value: Value
    axes: str


@onnx_operator("Einsum", since=12)
def einsum(node: Node) -> Value:
    """Imports Einsum: contracts the operands from left to right; a letter twice in one operand is its
    diagonal."""
    inputs = [node.input(i) for i in range(len(node.inputs))]
    terms, output = _parse(node, node.attr("equation"), inputs)
    first, *rest = terms
    for i, term in enumerate(rest):
        needed = set(output).union(*(t.axes for t in rest[i + 1 :]))
        first = _contract(
            node,
            _sum_axes(node, first, needed | set(term.axes)),
            _sum_axes(node, term, needed | set(first.axes)),
            needed,
        )
    return _order_axes(node, _sum_axes(node, first, set(output)), output).value


def _parse(node: Node, equation: str, inputs: list[Value]) -> tuple[list[EinsumTerm], str]:
    """Returns the terms, with an ellipsis expanded to letters that the equation does not use, and the letters
    of the output.

    Raises NodeError for an equation that does not fit the inputs.
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(inputs) or not set(text) <= set(string.ascii_letters + ",.->"):
        raise NodeError(f"the equation '{equation}' does not fit its {len(inputs)} inputs")
    spare = [c for c in string.ascii_letters if c not in text]
    most = max(
        (v.rank - len(p.replace("...", "")) for p, v in zip(parts, inputs, strict=True) if "..." in p),
        default=0,
    )
    if most < 0 or most > len(spare):
        raise NodeError(f"the equation '{equation}' does not fit the ranks of its inputs")
    ellipsis = "".join(spare[:most])
    named = [_axes(p, v, ellipsis) for p, v in zip(parts, inputs, strict=True)]
    terms = [_diagonal(node, EinsumTerm(v, axes)) for v, axes in zip(inputs, named, strict=True)]
    letters = "".join(named)
    if not arrow:
        once = sorted(c for c in set(letters) - set(ellipsis) if letters.count(c) == 1)
        return terms, ellipsis + "".join(once)
    output = right.replace("...", ellipsis)
    if len(set(output)) != len(output) or not set(output) <= set(letters):
        raise NodeError(f"the output of the equation '{equation}' is wrong")
    return terms, output


def _axes(part: str, value: Value, ellipsis: str) -> str:
    """Returns the letters of an operand's axes. Raises NodeError unless there is one per axis."""
    own = value.rank - len(part.replace("...", ""))
    axes = part.replace("...", ellipsis[len(ellipsis) - own :] if own > 0 else "")
    if len(axes) != value.rank:
        raise NodeError(f"'{part}' does not fit the rank {value.rank} of '{value.name}'")
    return axes


def _diagonal(node: Node, term: EinsumTerm) -> EinsumTerm:
    """Returns the diagonal along all axes of one letter.

    The dims [n, n] are read as one of n * n elements, of which the diagonal is every (n + 1)-th.
    """
    twice = next((c for c in term.axes if term.axes.count(c) > 1), None)
    if twice is None:
        return term
    one = term.axes.index(twice)
    other = term.axes.index(twice, one + 1)
    size, same = term.value.shape[one], term.value.shape[other]
    if differ(size, same):
        raise NodeError(f"axis '{twice}' has the sizes {size} and {same}")
    rest = [axis for axis in range(len(term.axes)) if axis not in (one, other)]
    moved = node.emit("transpose", term.value, permutation=[*rest, one, other])
    flat = node.reshape(moved, [*moved.shape[:-2], size * size])
    if isinstance(size, int):
        diagonal = slice_axes(node, flat, {len(rest): (0, size, size + 1)})
    else:
        diagonal = take_range(node, flat, len(rest), 0, size, size + 1)
    return _diagonal(node, EinsumTerm(diagonal, "".join(term.axes[axis] for axis in rest) + twice))


def _sum_axes(node: Node, term: EinsumTerm, needed: set[str]) -> EinsumTerm:
    """Sums over the axes that no other term and not the output names."""
    gone = [i for i, c in enumerate(term.axes) if c not in needed]
    if not gone:
        return term
    kept = "".join(c for c in term.axes if c in needed)
    return EinsumTerm(node.emit("reduce_sum", term.value, axes=gone, keepdims=False), kept)


def _order_axes(node: Node, term: EinsumTerm, axes: str) -> EinsumTerm:
    if term.axes == axes:
        return term
    order = [term.axes.index(c) for c in axes]
    return EinsumTerm(node.emit("transpose", term.value, permutation=order), axes)


def _contract(node: Node, a: EinsumTerm, b: EinsumTerm, needed: set[str]) -> EinsumTerm:
    """Multiplies two terms by one matrix product.

    It is [batch, M, K] @ [batch, K, N] over the letters that only a, only b, or both have.
    """
    shared = [c for c in a.axes if c in b.axes]
    batch = "".join(c for c in shared if c in needed)
    summed = "".join(c for c in shared if c not in needed)
    rows = "".join(c for c in a.axes if c not in b.axes)
    columns = "".join(c for c in b.axes if c not in a.axes)
    if not summed:
        return _product(node, a, b, batch=batch, rows=rows, columns=columns)
    sizes = _sizes(a, b)
    a, b = (_spread(node, term, summed, sizes) for term in (a, b))
    left, right = _order_axes(node, a, batch + rows + summed), _order_axes(node, b, batch + summed + columns)
    product_of_both = multiply(
        node,
        node.reshape(left.value, [*_dims(left, batch), _count(sizes, rows), _count(sizes, summed)]),
        node.reshape(right.value, [*_dims(right, batch), _count(sizes, summed), _count(sizes, columns)]),
    )
    axes = batch + rows + columns
    return EinsumTerm(node.reshape(product_of_both, [sizes[c] for c in axes]), axes)


def _spread(node: Node, term: EinsumTerm, letters: str, sizes: dict[str, Dim]) -> EinsumTerm:
    """Broadcasts dims of 1 of the axes `letters` to the other operand's size."""
    shape = term.value.shape
    wanted = [sizes[c] if c in letters else size for c, size in zip(term.axes, shape, strict=True)]
    return term if wanted == list(shape) else EinsumTerm(node.expand(term.value, wanted), term.axes)


def _product(node: Node, a: EinsumTerm, b: EinsumTerm, *, batch: str, rows: str, columns: str) -> EinsumTerm:
    """Multiplies two terms elementwise with the axes aligned: nothing is summed."""
    left, right = _order_axes(node, a, batch + rows), _order_axes(node, b, batch + columns)
    spread = node.reshape(left.value, [*left.value.shape, *[1] * len(columns)])
    shape = right.value.shape
    aligned = node.reshape(right.value, [*shape[: len(batch)], *[1] * len(rows), *shape[len(batch) :]])
    return EinsumTerm(node.emit("mul", spread, aligned), batch + rows + columns)


def _sizes(a: EinsumTerm, b: EinsumTerm) -> dict[str, Dim]:
    sizes: dict[str, Dim] = {}
    for letter, size in [pair for term in (a, b) for pair in zip(term.axes, term.value.shape, strict=True)]:
        try:
            sizes[letter] = broadcast(sizes.get(letter, 1), size)
        except ValueError:
            raise NodeError(f"axis '{letter}' has the sizes {sizes[letter]} and {size}") from None
    return sizes


def _dims(term: EinsumTerm, letters: str) -> list[Dim]:
    """Returns the term's sizes, which may be 1 where the other operand's are not: matmul broadcasts
    batches."""
    return [term.value.shape[term.axes.index(c)] for c in letters]


def _count(sizes: dict[str, Dim], letters: str) -> Any:
    return product([sizes[c] for c in letters])
