"""If: the two branches become regions, which see the values around them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.frontends.onnx.leaving import Left, is_outer, open_type, received, told_dims, vector_type
from mlc.frontends.onnx.loops import check_limit
from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.types import type_name
from mlc.frontends.onnx.values import Held, Nothing, OpenList, Value, ValueList

_BRANCHES = ("then_branch", "else_branch")


@onnx_operator("If")
def if_(node: Node) -> Sequence[Held]:
    """The branch that is taken, where the condition is known at import; else `graph.if`."""
    condition = node.input(0)
    if condition.is_constant:
        return node.attr("then_branch" if np.any(condition.known) else "else_branch")()
    operands = [node.reshape(condition, []).ir]
    names = node.names()
    with node.location:
        holder = graph.build_control("if", operands, [])
        blocks = [region.blocks[0] for region in holder.regions]
        given = [_branch(node, *pair) for pair in zip(_BRANCHES, blocks, strict=True)]
        parts = _parts(*given)
        branches = _of_same_ranks(node, blocks, *(_flat(values) for values in given))
        shapes = [_joined(one, other, names) for one, other in zip(*branches, strict=True)]
        for block, values in zip(blocks, branches, strict=True):
            _yield(node, block, values, shapes)
        kinds: list[ir.Type] = [
            open_type(shape, value.number) for shape, value in zip(shapes, branches[0], strict=True)
        ]
        kinds += vector_type(shapes)
        check_limit(len(kinds))
        made = graph.build_control("if", operands, kinds, blocks)
        holder.erase()
    results = iter(received(node, list(made.results), shapes))
    return [next(results) if part is None else ValueList(tuple(islice(results, part))) for part in parts]


def _parts(then: Sequence[Held], other: Sequence[Held]) -> list[int | None]:
    """How many values each result is: None for a tensor, for a sequence as many as it has."""
    counts = [[len(v.values) if isinstance(v, ValueList) else None for v in each] for each in (then, other)]
    if counts[0] != counts[1]:
        raise Unsupported("its branches give sequences of different lengths")
    for value in (*then, *other):
        if isinstance(value, Nothing | OpenList):
            raise Unsupported(f"a branch gives {value.described}")
    return counts[0]


def _flat(values: Sequence[Held]) -> list[Value]:
    """The tensors among the values and in their sequences."""
    parts = [each.values if isinstance(each, ValueList) else [each] for each in values]
    return [value for part in parts for value in part if isinstance(value, Value)]


def _branch(node: Node, name: str, block: ir.Block) -> list[Held]:
    """Imports a branch into a block; what it gives."""
    with ir.InsertionPoint(block):
        return list(node.attr(name)())


def _of_same_ranks(
    node: Node, blocks: Sequence[ir.Block], then: list[Value], other: list[Value]
) -> list[list[Value]]:
    """What the branches give; where both give one element in tensors of different ranks, it has the larger
    rank: broadcasting knows no difference."""
    ranks = [_rank_of_element(*pair) for pair in zip(then, other, strict=True)]
    found = []
    for block, values in zip(blocks, (then, other), strict=True):
        with ir.InsertionPoint(block):
            pairs = zip(values, ranks, strict=True)
            found.append(
                [value if rank is None else node.reshape(value, [1] * rank) for value, rank in pairs]
            )
    return found


def _rank_of_element(one: Value, other: Value) -> int | None:
    is_element = all(dim == 1 for dim in (*one.shape, *other.shape))
    return max(one.rank, other.rank) if is_element else None


def _joined(one: Value, other: Value, names: frozenset[str]) -> Left:
    """The dims that both branches give; None where they differ, or only the branch tells."""
    if one.number != other.number or one.rank != other.rank:
        kinds = [f"rank {each.rank} of {type_name(each.number)}" for each in (one, other)]
        raise Unsupported(f"its branches give values of different kinds: {kinds[0]} and {kinds[1]}")
    pairs = zip(one.shape, other.shape, strict=True)
    return [a if a == b and is_outer(a, names) else None for a, b in pairs]


def _yield(node: Node, block: ir.Block, values: Sequence[Value], shapes: Sequence[Left]) -> None:
    with ir.InsertionPoint(block):
        told = [dim for value, shape in zip(values, shapes, strict=True) for dim in told_dims(value, shape)]
        vector = [node.sizes(told).ir] if told else []
        graph.build_yield([*(value.ir for value in values), *vector])
