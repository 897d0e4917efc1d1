"""Sequences and optionals: lists of values that the importer holds; the graph has nothing for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from mlc.dialects.graph.sizes import Size, differ
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.run_time import number_of, taken
from mlc.frontends.onnx.operators.slicing import sliced
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Held, Nothing, OpenList, Value, ValueList
from onnx import TensorProto


@onnx_operator("SequenceEmpty")
def sequence_empty(node: Node) -> list[Held]:
    return [ValueList(())]


@onnx_operator("SequenceConstruct")
def sequence_construct(node: Node) -> list[Held]:
    return [ValueList(tuple(node.input(index) for index in range(len(node.inputs))))]


def _place(node: Node, index: int, count: int, end: int) -> int:
    """A position, from `count` back if it is negative; the last one where it is left out."""
    if node.optional(index) is None:
        return end
    [place] = node.ints(index)
    if not -count <= place <= end:
        raise NodeFailure(f"position {place} is outside a sequence of {count} values")
    return place + count if place < 0 else place


@onnx_operator("SequenceInsert")
def sequence_insert(node: Node) -> list[Held]:
    values = node.values(0)
    place = _place(node, 2, len(values), len(values))
    return [ValueList((*values[:place], node.input(1), *values[place:]))]


@onnx_operator("SequenceErase")
def sequence_erase(node: Node) -> list[Held]:
    values = node.values(0)
    place = _place(node, 1, len(values), len(values) - 1)
    return [ValueList((*values[:place], *values[place + 1 :]))]


@onnx_operator("SequenceLength")
def sequence_length(node: Node) -> Value:
    given = node.held(0)
    return node.size(given.length if isinstance(given, OpenList) else len(node.values(0)))


@onnx_operator("SequenceAt")
def sequence_at(node: Node) -> Value:
    """At a place that only running tells a row of all values, stacked."""
    given, place = node.held(0), node.input(1)
    if isinstance(given, OpenList):
        last = node.emit("add", number_of(node, place), node.size(given.length))
        return given.at(node.emit("mod", last, node.size(given.length), fmod=False))
    values = node.values(0)
    if place.is_constant:
        return values[_place(node, 1, len(values), len(values) - 1)]
    if len({(value.shape, value.number) for value in values}) != 1:
        raise Unsupported("a position that only running tells, in a sequence of values of different types")
    rows = [node.emit("unsqueeze", value, axes=[0]) for value in values]
    return node.emit("gather", node.emit("concat", *rows, axis=0), node.reshape(place, []), axis=0)


@onnx_operator("ConcatFromSequence")
def concat_from_sequence(node: Node) -> Value:
    values, new = node.values(0), bool(node.attr("new_axis", 0))
    if not values:
        raise NodeFailure("its sequence is empty")
    axis = node.axis(node.attr("axis"), values[0].rank + new)
    parts = [node.emit("unsqueeze", value, axes=[axis]) for value in values] if new else values
    return node.emit("concat", *parts, axis=axis)


@onnx_operator("SplitToSequence")
def split_to_sequence(node: Node) -> list[Held]:
    """`keepdims` is for parts of one element that no input asks for."""
    x, given = node.input(0), node.optional(1)
    axis = node.axis(node.attr("axis", 0), x.rank)
    size = x.shape[axis]
    if given is not None and given.rank == 1 and not given.is_constant:
        return [OpenList(given.shape[0], partial(_part, node, x, axis, given))]
    squeezed = given is None and not node.attr("keepdims", 1)
    if given is None and isinstance(size, Size):
        return [OpenList(size, partial(_row_at, node, x, axis, squeezed))]
    lengths = _lengths(node, size)
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    parts = [
        sliced(node, x, {axis: (start, length, 1)}) for start, length in zip(starts, lengths, strict=True)
    ]
    return [ValueList(tuple(node.emit("squeeze", each, axes=[axis]) if squeezed else each for each in parts))]


def _lengths(node: Node, size: Dim) -> list[int]:
    """How long the parts are."""
    given = node.optional(1)
    if given is not None and given.rank == 1:
        if differ(sum(node.ints(1)), size):
            raise NodeFailure(f"parts of {node.ints(1)} do not make up a dim of {size}")
        return node.ints(1)
    [whole] = node.static([size], "the dim that is split")
    [step] = [1] if given is None else node.ints(1)
    if step < 1:
        raise NodeFailure(f"parts of {step} elements")
    return [min(step, whole - start) for start in range(0, whole, step)]


def _row_at(node: Node, x: Value, axis: int, squeezed: bool, place: Value) -> Value:
    """A part of one element."""
    found = node.emit("gather", x, place, axis=axis)
    return found if squeezed else node.emit("unsqueeze", found, axes=[axis])


def _part(node: Node, x: Value, axis: int, lengths: Value, place: Value) -> Value:
    """A part as long as an input says."""
    wide = node.cast(lengths, TensorProto.INT64)
    ends = node.emit("cumsum", wide, axis=0, exclusive=False, reverse=False)
    end, length = (node.emit("gather", each, place, axis=0) for each in (ends, wide))
    [count] = node.read_dims(node.reshape(length, [1]))
    return taken(node, x, axis, node.emit("sub", end, length), count)


@onnx_operator("SequenceMap")
def sequence_map(node: Node) -> list[Held]:
    """The body for each place of the sequences; inputs that are tensors are the same for all."""
    first = node.values(0)
    inputs = [node.held(index) for index in range(len(node.inputs))]
    rows = [_row(inputs, place, len(first)) for place in range(len(first))]
    results = [node.attr("body")(*row) for row in rows]
    columns = zip(*results, strict=True) if results else [()] * len(node.outputs)
    return [ValueList(tuple(column)) for column in columns]


def _row(inputs: Sequence[Held], place: int, count: int) -> list[Held]:
    lists = [each for each in inputs if isinstance(each, ValueList)]
    if any(len(each.values) != count for each in lists):
        raise NodeFailure(f"its sequences have lengths {[len(each.values) for each in lists]}")
    return [each.values[place] if isinstance(each, ValueList) else each for each in inputs]


@onnx_operator("Optional")
def optional(node: Node) -> list[Held]:
    """What an optional holds stands for it."""
    given = node.held(0)
    return [Nothing() if given is None else given]


@onnx_operator("OptionalHasElement")
def optional_has_element(node: Node) -> Value:
    given = node.held(0)
    return node.constant(np.asarray(not (given is None or isinstance(given, Nothing))))


@onnx_operator("OptionalGetElement")
def optional_get_element(node: Node) -> list[Held]:
    given = node.held(0)
    if given is None or isinstance(given, Nothing):
        raise NodeFailure("its optional has no element")
    return [given]
