"""If: the two branches become regions, which see the values around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.frontends.onnx.element_types import type_name
from mlc.frontends.onnx.node import Node, UnsupportedNodeError
from mlc.frontends.onnx.operators.control_flow.loop_builder import check_limit
from mlc.frontends.onnx.operators.control_flow.region_results import (
    Left,
    is_outer,
    open_type,
    received,
    told_dims,
    vector_type,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import joined_kinds, kind_of, packed, unpacked
from mlc.frontends.onnx.value_types import Kind
from mlc.frontends.onnx.values import Held, Value, ValueList

# What a result of If is: None for a tensor, for a sequence of known values their number; else what is known
# of the sequence or optional.
Part = int | Kind | None

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
        parts = [_part(*pair) for pair in zip(*given, strict=True)]
        flat = [_flat(node, block, values, parts) for block, values in zip(blocks, given, strict=True)]
        branches = _of_same_ranks(node, blocks, *flat)
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
    return [_result(results, *each) for each in zip(parts, given[0], strict=True)]


def _part(then: Held, other: Held) -> Part:
    if isinstance(then, Value) and isinstance(other, Value):
        return None
    if isinstance(then, ValueList) and isinstance(other, ValueList):
        ranks = [[(value.number, value.rank) for value in each.values] for each in (then, other)]
        if ranks[0] == ranks[1] and then.number == other.number:
            return len(then.values)
    return joined_kinds(kind_of(then), kind_of(other))


def _flat(node: Node, block: ir.Block, values: Sequence[Held], parts: Sequence[Part]) -> list[Value]:
    """What a branch gives as tensors."""
    found: list[Value] = []
    with ir.InsertionPoint(block):
        for value, part in zip(values, parts, strict=True):
            if isinstance(value, ValueList) and isinstance(part, int):
                found += value.values
            elif isinstance(value, Value) and part is None:
                found.append(value)
            else:
                assert part is not None and not isinstance(part, int)
                found.append(packed(node, value, part))
    return found


def _result(results: Iterator[Value], part: Part, then: Held) -> Held:
    if part is None:
        return next(results)
    if isinstance(part, int):
        assert isinstance(then, ValueList)
        return ValueList(tuple(islice(results, part)), then.number)
    return unpacked(next(results), part)


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
        raise UnsupportedNodeError(f"its branches give values of different kinds: {kinds[0]} and {kinds[1]}")
    pairs = zip(one.shape, other.shape, strict=True)
    return [a if a == b and is_outer(a, names) else None for a, b in pairs]


def _yield(node: Node, block: ir.Block, values: Sequence[Value], shapes: Sequence[Left]) -> None:
    with ir.InsertionPoint(block):
        told = [dim for value, shape in zip(values, shapes, strict=True) for dim in told_dims(value, shape)]
        vector = [node.sizes(told).ir] if told else []
        graph.build_yield([*(value.ir for value in values), *vector])
