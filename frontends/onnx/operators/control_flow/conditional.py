"""If: the two branches become regions, which use values of the enclosing graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.frontends.onnx.element_types import type_name
from mlc.frontends.onnx.node import (
    FailedNodeError,
    Node,
    NodeError,
    UnlikeBranchesError,
    UnsupportedNodeError,
)
from mlc.frontends.onnx.operators.common.dynamic_values import require
from mlc.frontends.onnx.operators.control_flow.loop_builder import check_limit
from mlc.frontends.onnx.operators.control_flow.region_results import (
    YieldedDims,
    bind_results,
    dynamic_dims,
    is_outer,
    open_type,
    vector_type,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import common_type, pack, unpack, value_type_of
from mlc.frontends.onnx.value_types import ValueType
from mlc.frontends.onnx.values import OnnxValue, Value, ValueList

# A result of If: None for a tensor, the length for a sequence whose values are individually known, else the
# type of the runtime object.
Part = int | ValueType | None

_BRANCHES = ("then_branch", "else_branch")


@onnx_operator("If")
def if_(node: Node) -> Sequence[OnnxValue]:
    """Imports the branch that is taken, where the condition is known at import; else builds `graph.if`.

    A branch that cannot take the sizes of its operands is left out: a call that takes it fails. Raises
    UnlikeBranchesError for results of different ranks.
    """
    condition = node.input(0)
    if condition.onnx_type != TensorProto.BOOL:
        raise NodeError(f"the condition is {type_name(condition.onnx_type)}, not BOOL")
    if condition.is_constant:
        return node.attr("then_branch" if np.any(condition.known) else "else_branch")()
    condition = node.reshape(condition, [])
    operands = [condition.ir]
    with node.location:
        holder = graph.build_control("if", operands, [])
        try:
            return _both_branches(node, operands, [region.blocks[0] for region in holder.regions])
        except _FailedBranchError as error:
            failed = error
        finally:
            holder.erase()
    return _other_branch(node, condition, failed)


def choose(
    node: Node, condition: Value, then: Callable[[], list[Value]], other: Callable[[], list[Value]]
) -> list[Value]:
    """Builds `graph.if` of two functions that build branches, whose results have the same types and dims."""
    with node.location:
        holder = graph.build_control("if", [condition.ir], [])
        blocks = [region.blocks[0] for region in holder.regions]
        for block, branch in zip(blocks, (then, other), strict=True):
            with ir.InsertionPoint(block):
                values = branch()
            shapes: list[YieldedDims] = [list(value.shape) for value in values]
            _yield(node, block, values, shapes)
        result_types = [open_type(value.shape, value.onnx_type) for value in values]
        op = graph.build_control("if", [condition.ir], result_types, blocks)
        holder.erase()
        return bind_results(node, list(op.results), shapes)


class _FailedBranchError(Exception):
    """The branch `index` of an If cannot be imported, for the reason in the message."""

    def __init__(self, index: int, cause: FailedNodeError) -> None:
        super().__init__(cause.fault)
        self.index, self.cause = index, cause


def _other_branch(node: Node, condition: Value, failed: _FailedBranchError) -> list[OnnxValue]:
    """Imports the other branch than the one that failed, instead of the If; calls that do not take it
    fail."""
    taken = node.attr(_BRANCHES[1 - failed.index])()
    if not any(isinstance(value, Value) for value in taken):
        raise failed.cause
    branch = _BRANCHES[failed.index].replace("_", " ")
    node.warn(f"a call that takes its {branch} fails: {failed}")
    truth = node.emit("not", condition) if failed.index == 0 else condition
    wrong = f"its {branch} does not take these sizes: {failed}"
    return [require(node, value, truth, wrong) if isinstance(value, Value) else value for value in taken]


def _both_branches(node: Node, operands: Sequence[ir.Value], blocks: Sequence[ir.Block]) -> list[OnnxValue]:
    names = node.names()
    given = [_branch(node, index, block) for index, block in enumerate(blocks)]
    if len(given[0]) != len(given[1]):
        raise NodeError(f"its branches have {len(given[0])} and {len(given[1])} outputs")
    parts = [_part(*pair) for pair in zip(*given, strict=True)]
    flat = [_flat(node, block, values, parts) for block, values in zip(blocks, given, strict=True)]
    branches = _match_ranks(node, blocks, *flat)
    shapes = [_join_dims(node, one, other, names) for one, other in zip(*branches, strict=True)]
    for block, values in zip(blocks, branches, strict=True):
        _yield(node, block, values, shapes)
    result_types: list[ir.Type] = [
        open_type(shape, value.onnx_type) for shape, value in zip(shapes, branches[0], strict=True)
    ]
    result_types += vector_type(shapes)
    check_limit(len(result_types))
    op = graph.build_control("if", operands, result_types, blocks)
    results = iter(bind_results(node, list(op.results), shapes))
    return [_result(results, *pair) for pair in zip(parts, given[0], strict=True)]


def _part(then: OnnxValue, other: OnnxValue) -> Part:
    if isinstance(then, Value) and isinstance(other, Value):
        return None
    if isinstance(then, ValueList) and isinstance(other, ValueList):
        ranks = [[(value.onnx_type, value.rank) for value in branch.values] for branch in (then, other)]
        if ranks[0] == ranks[1] and then.onnx_type == other.onnx_type:
            return len(then.values)
    return common_type(value_type_of(then), value_type_of(other))


def _flat(node: Node, block: ir.Block, values: Sequence[OnnxValue], parts: Sequence[Part]) -> list[Value]:
    """Returns the results of a branch as tensors."""
    found: list[Value] = []
    with ir.InsertionPoint(block):
        for value, part in zip(values, parts, strict=True):
            if isinstance(value, ValueList) and isinstance(part, int):
                found += value.values
            elif isinstance(value, Value) and part is None:
                found.append(value)
            else:
                assert part is not None and not isinstance(part, int)
                found.append(pack(node, value, part))
    return found


def _result(results: Iterator[Value], part: Part, then: OnnxValue) -> OnnxValue:
    if part is None:
        return next(results)
    if isinstance(part, int):
        assert isinstance(then, ValueList)
        return ValueList(tuple(islice(results, part)), then.onnx_type)
    return unpack(next(results), part)


def _branch(node: Node, index: int, block: ir.Block) -> list[OnnxValue]:
    """Imports a branch into a block; returns its results. Raises _FailedBranchError."""
    try:
        with ir.InsertionPoint(block):
            return list(node.attr(_BRANCHES[index])())
    except FailedNodeError as error:
        raise _FailedBranchError(index, error) from None


def _match_ranks(
    node: Node, blocks: Sequence[ir.Block], then: list[Value], other: list[Value]
) -> list[list[Value]]:
    """Returns the results of the branches with equal ranks.

    Where both give a single element in tensors of different ranks, it gets the larger rank, which
    broadcasting does not distinguish.
    """
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


def _join_dims(node: Node, one: Value, other: Value, names: frozenset[str]) -> YieldedDims:
    """Returns the dims that both branches give; None where they differ or are computed inside a branch.

    Raises UnsupportedNodeError for different types, UnlikeBranchesError for different ranks.
    """
    types = [type_name(value.onnx_type) for value in (one, other)]
    if one.onnx_type != other.onnx_type:
        raise UnsupportedNodeError(f"its branches give values of different types: {types[0]} and {types[1]}")
    if one.rank != other.rank:
        raise UnlikeBranchesError(
            f"the branches of node '{node.label}' give values of rank {one.rank} and of rank {other.rank}"
        )
    pairs = zip(one.shape, other.shape, strict=True)
    return [a if a == b and is_outer(a, names) else None for a, b in pairs]


def _yield(node: Node, block: ir.Block, values: Sequence[Value], shapes: Sequence[YieldedDims]) -> None:
    with ir.InsertionPoint(block):
        dims = [
            dim for value, shape in zip(values, shapes, strict=True) for dim in dynamic_dims(value, shape)
        ]
        vector = [node.sizes(dims).ir] if dims else []
        graph.build_yield([*(value.ir for value in values), *vector])
