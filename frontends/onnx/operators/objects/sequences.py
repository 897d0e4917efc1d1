"""Sequences: lists of values that the importer holds, as long as it knows which there are; else objects of
the running call.

SplitToSequence.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, differ
from mlc.frontends.onnx.element_types import SEQUENCE
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import number_of, sliced
from mlc.frontends.onnx.operators.tensor.splitting import LONGEST
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import (
    as_sequence,
    completed,
    element_at,
    memory_number,
    sequence_call,
    told_shape,
    with_element,
)
from mlc.frontends.onnx.value_types import SequenceKind, TensorKind
from mlc.frontends.onnx.values import Dim, Held, OpenList, RunTimeSequence, Value, ValueList, at_home


@onnx_operator("SplitToSequence")
def split_to_sequence(node: Node) -> list[Held]:
    """`keepdims` is for parts of one element that no input asks for."""
    x, given = node.input(0), node.optional(1)
    axis = node.axis(node.attr("axis", 0), x.rank)
    size = x.shape[axis]
    squeezed = given is None and not node.attr("keepdims", 1)
    kind = SequenceKind(TensorKind(x.number, _part_shape(x, axis, squeezed)))
    # Made where the node is, whoever asks for it: once, and not in each run of a loop.
    made = Value("", (), SEQUENCE, at_home(lambda: _split(node, x, axis, squeezed, kind).value.ir))
    whole = partial(RunTimeSequence, made, kind)
    if given is not None and given.rank == 1 and not given.is_constant:
        return [OpenList(given.shape[0], whole, kind)]
    if given is None and isinstance(size, Size):
        return [OpenList(size, whole, kind)]
    if given is not None and given.rank == 0 and not (given.is_constant and isinstance(size, int)):
        return [whole()]
    lengths = _lengths(node, size)
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    parts = [
        sliced(node, x, {axis: (start, length, 1)}) for start, length in zip(starts, lengths, strict=True)
    ]
    values = tuple(node.emit("squeeze", each, axes=[axis]) if squeezed else each for each in parts)
    return [ValueList(values, x.number)]


def _part_shape(x: Value, axis: int, squeezed: bool) -> tuple[int | None, ...]:
    """What the parts' shapes have in common."""
    dims = [None if place == axis or isinstance(dim, Size) else dim for place, dim in enumerate(x.shape)]
    return tuple(dims[:axis] + dims[axis + 1 :] if squeezed else dims)


def _split(node: Node, x: Value, axis: int, squeezed: bool, kind: SequenceKind) -> RunTimeSequence:
    """The sequence of the running call."""
    given = node.optional(1)
    if given is None:
        lengths = node.constant(np.asarray(1, np.int64))
    else:
        lengths = node.cast(given, TensorProto.INT64) if given.rank else number_of(node, given)
    options = [axis, int(not squeezed)]
    return RunTimeSequence(sequence_call(node, "sequence_split", x, lengths, options=options), kind)


def _lengths(node: Node, size: Dim) -> list[int]:
    """How long the parts are."""
    given = node.optional(1)
    if given is not None and given.rank == 1:
        lengths = node.ints(1)
        if differ(sum(lengths), size) or min(lengths, default=0) < 0 or sum(lengths) > LONGEST:
            raise NodeError(f"parts of {lengths} do not make up a dim of {size}")
        return lengths
    [whole] = node.static([size], "the dim that is split")
    [step] = [1] if given is None else node.ints(1)
    if step < 1:
        raise NodeError(f"parts of {step} elements")
    return [min(step, whole - start) for start in range(0, whole, step)]


@onnx_operator("SequenceEmpty")
def sequence_empty(node: Node) -> list[Held]:
    return [ValueList((), node.attr("dtype", TensorProto.FLOAT))]


@onnx_operator("SequenceConstruct")
def sequence_construct(node: Node) -> list[Held]:
    values = tuple(node.input(index) for index in range(len(node.inputs)))
    return [ValueList(values, values[0].number)]


def _known_values(node: Node, place: int) -> tuple[Value, ...] | None:
    """The values of the first input, if these and the position that is input `place` are known."""
    given, position = node.held(0), node.optional(place)
    known = isinstance(given, ValueList) and (position is None or position.is_constant)
    return given.values if known and isinstance(given, ValueList) else None


def _place(node: Node, index: int, count: int, end: int) -> int:
    """A position, from `count` back if it is negative; the last one where it is left out."""
    if node.optional(index) is None:
        return end
    [place] = node.ints(index)
    if not -count <= place <= end:
        raise NodeError(f"position {place} is outside a sequence of {count} values")
    return place + count if place < 0 else place


@onnx_operator("SequenceInsert")
def sequence_insert(node: Node) -> list[Held]:
    values, x, place = _known_values(node, 2), node.input(1), node.optional(2)
    if values is not None:
        at = _place(node, 2, len(values), len(values))
        return [ValueList((*values[:at], x, *values[at:]), x.number)]
    given = as_sequence(node, node.held(0))
    kind = with_element(given.kind, x)
    if place is None:
        return [RunTimeSequence(sequence_call(node, "sequence_append", given.value, x), kind)]
    operands = given.value, x, number_of(node, place)
    return [RunTimeSequence(sequence_call(node, "sequence_insert", *operands), kind)]


@onnx_operator("SequenceErase")
def sequence_erase(node: Node) -> list[Held]:
    values, place = _known_values(node, 1), node.optional(1)
    if values is not None:
        at = _place(node, 1, len(values), len(values) - 1)
        given = node.held(0)
        number = given.number if isinstance(given, ValueList) else values[0].number
        return [ValueList((*values[:at], *values[at + 1 :]), number)]
    sequence = as_sequence(node, node.held(0))
    operands = sequence.value, number_of(node, -1 if place is None else place)
    return [RunTimeSequence(sequence_call(node, "sequence_erase", *operands), sequence.kind)]


@onnx_operator("SequenceLength")
def sequence_length(node: Node) -> Value:
    given = node.held(0)
    if isinstance(given, ValueList):
        return node.size(len(given.values))
    if isinstance(given, OpenList):
        return node.size(given.length)
    sequence = as_sequence(node, given)
    return node.call_runtime("sequence_length", sequence.value, number=TensorProto.INT64, shape=[])


@onnx_operator("SequenceAt")
def sequence_at(node: Node) -> Value:
    """At a place that only running tells, the call fails for one outside the sequence."""
    given, place = node.held(0), node.input(1)
    if isinstance(given, ValueList) and place.is_constant:
        return given.values[_place(node, 1, len(given.values), len(given.values) - 1)]
    sequence = as_sequence(node, given)
    return element_at(node, sequence.value, number_of(node, place), sequence.kind.element)


@onnx_operator("ConcatFromSequence")
def concat_from_sequence(node: Node) -> Value:
    given, new = node.held(0), bool(node.attr("new_axis", 0))
    if not isinstance(given, ValueList):
        return _joined_at_run_time(node, as_sequence(node, given), new)
    values = given.values
    if not values:
        raise NodeError("its sequence is empty")
    axis = node.axis(node.attr("axis"), values[0].rank + new)
    parts = [node.emit("unsqueeze", value, axes=[axis]) for value in values] if new else values
    return node.emit("concat", *parts, axis=axis)


def _joined_at_run_time(node: Node, sequence: RunTimeSequence, new: bool) -> Value:
    """First the sizes, which are checked to fit, then the data."""
    element = sequence.kind.element
    shape = list(told_shape(node, element, more=int(new)))
    axis = node.axis(node.attr("axis"), len(shape) + new)
    if new:
        shape.insert(axis, None)
    shape[axis] = None
    options = [memory_number(element.number), axis, int(new)]

    def read() -> Value:
        return node.call_runtime(
            "sequence_joined_dims",
            sequence.value,
            number=TensorProto.INT64,
            shape=[len(shape)],
            options=options,
        )

    dims = completed(node, shape, read)
    operands = sequence.value, node.sizes(dims)
    return node.call_runtime("sequence_joined", *operands, number=element.number, shape=dims, options=[axis])
