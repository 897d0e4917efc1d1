"""Sequences: lists of values that the importer holds as long as it knows their elements, else runtime
objects."""

from __future__ import annotations

from functools import partial

import numpy as np
from onnx import TensorProto

from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size, differ
from mlc.frontends.onnx.element_types import SEQUENCE
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import i64_scalar, slice_axes
from mlc.frontends.onnx.operators.tensor.splitting import LONGEST
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import (
    as_sequence,
    complete_shape,
    element_at,
    known_shape,
    memory_type,
    sequence_call,
    with_element,
)
from mlc.frontends.onnx.value_types import SequenceValueType, TensorValueType
from mlc.frontends.onnx.values import Dim, OnnxValue, OpenList, RunTimeSequence, Value, ValueList, at_home


@onnx_operator("SplitToSequence")
def split_to_sequence(node: Node) -> list[OnnxValue]:
    """Imports SplitToSequence; `keepdims` applies to parts of one element, where the input `split` is left
    out."""
    x, given = node.input(0), node.optional(1)
    axis = node.axis(node.attr("axis", 0), x.rank)
    size = x.shape[axis]
    squeezed = given is None and not node.attr("keepdims", 1)
    length = 1 if given is None or _is_filled_with_ones(given) else None
    value_type = SequenceValueType(TensorValueType(x.onnx_type, _part_shape(x, axis, length, squeezed)))
    # Built where the node is, whichever op uses it: once, and not in each iteration of a loop.
    made = Value("", (), SEQUENCE, at_home(lambda: _split(node, x, axis, squeezed, value_type).value.ir))
    whole = partial(RunTimeSequence, made, value_type)
    if given is not None and given.rank == 1 and not given.is_constant:
        return [OpenList(given.shape[0], whole, value_type)]
    if given is None and isinstance(size, Size):
        return [OpenList(size, whole, value_type)]
    if given is not None and given.rank == 0 and not (given.is_constant and isinstance(size, int)):
        return [whole()]
    lengths = _lengths(node, size)
    starts = [sum(lengths[:position]) for position in range(len(lengths))]
    parts = [
        slice_axes(node, x, {axis: (start, length, 1)}) for start, length in zip(starts, lengths, strict=True)
    ]
    values = tuple(node.emit("squeeze", part, axes=[axis]) if squeezed else part for part in parts)
    return [ValueList(values, x.onnx_type)]


def _is_filled_with_ones(lengths: Value) -> bool:
    """Whether all elements, of which there may be any number, are 1, as where PyTorch repeats elements."""
    if lengths.known is not None:
        return all(length == 1 for length in lengths.known.reshape(-1))
    filled = graph.Full.defining(lengths.ir)
    return filled is not None and filled.value == 1


def _part_shape(x: Value, axis: int, length: int | None, squeezed: bool) -> tuple[int | None, ...]:
    """Returns the dims that the parts have in common; `length` is theirs along the axis."""
    dims = [None if isinstance(dim, Size) else dim for dim in x.shape]
    return (*dims[:axis], *([] if squeezed else [length]), *dims[axis + 1 :])


def _split(node: Node, x: Value, axis: int, squeezed: bool, value_type: SequenceValueType) -> RunTimeSequence:
    """Builds the runtime sequence."""
    given = node.optional(1)
    if given is None:
        lengths = node.constant(np.asarray(1, np.int64))
    else:
        lengths = node.cast(given, TensorProto.INT64) if given.rank else i64_scalar(node, given)
    options = [axis, int(not squeezed)]
    return RunTimeSequence(sequence_call(node, "sequence_split", x, lengths, options=options), value_type)


def _lengths(node: Node, size: Dim) -> list[int]:
    """Returns the lengths of the parts. Raises NodeError where they do not make up the dim."""
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
    node.check_repetitions(whole // step)
    return [min(step, whole - start) for start in range(0, whole, step)]


@onnx_operator("SequenceEmpty")
def sequence_empty(node: Node) -> list[OnnxValue]:
    """Imports SequenceEmpty."""
    return [ValueList((), node.attr("dtype", TensorProto.FLOAT))]


@onnx_operator("SequenceConstruct")
def sequence_construct(node: Node) -> list[OnnxValue]:
    """Imports SequenceConstruct."""
    values = tuple(node.input(index) for index in range(len(node.inputs)))
    return [ValueList(values, values[0].onnx_type)]


def _known_values(node: Node, index: int) -> tuple[Value, ...] | None:
    """Returns the values of the first input, if they and the position, input `index`, are known at import."""
    given, position = node.any_input(0), node.optional(index)
    known = isinstance(given, ValueList) and (position is None or position.is_constant)
    return given.values if known and isinstance(given, ValueList) else None


def _position(node: Node, index: int, count: int, end: int) -> int:
    """Returns the position that input `index` holds as a non-negative one; `end` where it is left out.

    Raises NodeError if it is out of range.
    """
    if node.optional(index) is None:
        return end
    [position] = node.ints(index)
    if not -count <= position <= end:
        raise NodeError(f"position {position} is outside a sequence of {count} values")
    return position + count if position < 0 else position


@onnx_operator("SequenceInsert")
def sequence_insert(node: Node) -> list[OnnxValue]:
    """Imports SequenceInsert."""
    values, x, position = _known_values(node, 2), node.input(1), node.optional(2)
    if values is not None:
        at = _position(node, 2, len(values), len(values))
        return [ValueList((*values[:at], x, *values[at:]), x.onnx_type)]
    given = as_sequence(node, node.any_input(0))
    value_type = with_element(given.value_type, x)
    if position is None:
        return [RunTimeSequence(sequence_call(node, "sequence_append", given.value, x), value_type)]
    operands = given.value, x, i64_scalar(node, position)
    return [RunTimeSequence(sequence_call(node, "sequence_insert", *operands), value_type)]


@onnx_operator("SequenceErase")
def sequence_erase(node: Node) -> list[OnnxValue]:
    """Imports SequenceErase."""
    values, position = _known_values(node, 1), node.optional(1)
    if values is not None:
        at = _position(node, 1, len(values), len(values) - 1)
        given = node.any_input(0)
        onnx_type = given.onnx_type if isinstance(given, ValueList) else values[0].onnx_type
        return [ValueList((*values[:at], *values[at + 1 :]), onnx_type)]
    sequence = as_sequence(node, node.any_input(0))
    operands = sequence.value, i64_scalar(node, -1 if position is None else position)
    return [RunTimeSequence(sequence_call(node, "sequence_erase", *operands), sequence.value_type)]


@onnx_operator("SequenceLength")
def sequence_length(node: Node) -> Value:
    """Imports SequenceLength."""
    given = node.any_input(0)
    if isinstance(given, ValueList):
        return node.size(len(given.values))
    if isinstance(given, OpenList):
        return node.size(given.length)
    sequence = as_sequence(node, given)
    return node.call_runtime("sequence_length", sequence.value, onnx_type=TensorProto.INT64, shape=[])


@onnx_operator("SequenceAt")
def sequence_at(node: Node) -> Value:
    """Imports SequenceAt. A call fails for a dynamic position outside the sequence."""
    given, position = node.any_input(0), node.input(1)
    if isinstance(given, ValueList) and position.is_constant:
        return given.values[_position(node, 1, len(given.values), len(given.values) - 1)]
    sequence = as_sequence(node, given)
    return element_at(node, sequence.value, i64_scalar(node, position), sequence.value_type.element)


@onnx_operator("ConcatFromSequence")
def concat_from_sequence(node: Node) -> Value:
    """Imports ConcatFromSequence. Raises NodeError for an empty sequence."""
    given, new = node.any_input(0), bool(node.attr("new_axis", 0))
    if not isinstance(given, ValueList):
        return _joined_at_run_time(node, as_sequence(node, given), new)
    values = given.values
    if not values:
        raise NodeError("its sequence is empty")
    axis = node.axis(node.attr("axis"), values[0].rank + new)
    parts = [node.emit("unsqueeze", value, axes=[axis]) for value in values] if new else values
    return node.emit("concat", *parts, axis=axis)


def _joined_at_run_time(node: Node, sequence: RunTimeSequence, new: bool) -> Value:
    """Concatenates a runtime sequence: first the sizes, which are checked to fit, then the data."""
    element = sequence.value_type.element
    shape = list(known_shape(node, element, more=int(new)))
    axis = node.axis(node.attr("axis"), len(shape) + new)
    if new:
        shape.insert(axis, None)
    shape[axis] = None
    options = [memory_type(element.onnx_type), axis, int(new)]

    def read() -> Value:
        """Reads the sizes of the result."""
        return node.call_runtime(
            "sequence_joined_dims",
            sequence.value,
            onnx_type=TensorProto.INT64,
            shape=[len(shape)],
            options=options,
        )

    dims = complete_shape(node, shape, read)
    operands = sequence.value, node.sizes(dims)
    return node.call_runtime(
        "sequence_joined", *operands, onnx_type=element.onnx_type, shape=dims, options=[axis]
    )
