"""SplitToSequence."""

from __future__ import annotations

from functools import partial

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, differ
from mlc.frontends.onnx.element_types import SEQUENCE
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.common.dynamic_values import number_of
from mlc.frontends.onnx.operators.tensor.slicing import sliced
from mlc.frontends.onnx.operators.tensor.splitting import LONGEST
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import sequence_call
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
            raise NodeFailure(f"parts of {lengths} do not make up a dim of {size}")
        return lengths
    [whole] = node.static([size], "the dim that is split")
    [step] = [1] if given is None else node.ints(1)
    if step < 1:
        raise NodeFailure(f"parts of {step} elements")
    return [min(step, whole - start) for start in range(0, whole, step)]
