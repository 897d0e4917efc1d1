"""graph-sink-reshapes: reshapes move below elementwise ops, transposes and padding, so that these meet the op
that computes their input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from mlc.bindings import address, ir
from mlc.dialects import graph
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import apply_patterns, attributes_of, defining_op, has_one_use, replace_op
from mlc.passes.graph.common.dim_groups import Dim, dim_groups
from mlc.passes.graph.common.op_families import ELEMENTWISE
from mlc.passes.graph.common.rematerialization import REMATERIALIZE

# Ops whose results consumers should read in the producer's own shape: products before slices.
PRODUCERS = {graph.Matmul.NAME: 2, graph.MatmulPacked.NAME: 2, graph.Slice.NAME: 1}
WITH_WINDOWS = PRODUCERS | {graph.Conv.NAME: 2, graph.MaxPool.NAME: 2, graph.AveragePool.NAME: 2}
OUTER_PRODUCT = 1
# Elementwise ops between a product and an op that may follow it: no kernel holds more.
LONGEST = 64


def reshaped_operand_shape(
    operand: Sequence[Dim], result: Sequence[Dim], source: Sequence[Dim]
) -> list[Dim] | None:
    """The shape in which an operand broadcasts to `source` as it did to `result`; None if no reshape does
    that."""
    groups = dim_groups(result, source)
    if groups is None:
        return None
    padded = [1] * (len(result) - len(operand)) + list(operand)
    shape: list[Dim] = []
    for olds, news in groups:
        extents = [padded[dim] for dim in olds]
        if extents == [result[dim] for dim in olds]:
            shape += [source[dim] for dim in news]
        elif all(extent == 1 for extent in extents):
            shape += [1] * len(news)
        else:
            return None
    return shape


def sink(op: ir.Operation, producers: Mapping[str, int] = PRODUCERS) -> bool:
    """f(reshape(x), y, ...) -> reshape(f(x, reshape(y), ...)), where x comes from one of `producers` or f
    of it."""
    result = graph.dims_of(op.results[0])
    if REMATERIALIZE in op.attributes:
        # It stays with its reader.
        return False
    # An op stays with the product that it follows already: two would pull it back and forth.
    followed = max(_producer(value, producers) for value in op.operands)
    for value in op.operands:
        reshape = graph.Reshape.defining(value)
        if reshape is None or not has_one_use(value) or not _is_whole(graph.dims_of(value), result):
            continue
        source = reshape.x
        shapes = _operand_shapes(op, result, graph.dims_of(source))
        if shapes is None or _producer(source, producers) <= followed:
            continue
        if all(map(graph.can_compute_dims, (result, *shapes))):
            _rebuild(op, source, shapes)
            return True
    return False


def _operand_shapes(op: ir.Operation, result: Sequence[Dim], source: Sequence[Dim]) -> list[list[Dim]] | None:
    shapes = []
    for operand in op.operands:
        new = reshaped_operand_shape(graph.dims_of(operand), result, source)
        if new is None:
            return None
        shapes.append(new)
    return shapes


def _is_whole(shape: Sequence[Dim], result: Sequence[Dim]) -> bool:
    """Whether an operand of that shape has an element for each of the result's; it may lack leading dims."""
    return [1] * (len(result) - len(shape)) + list(shape) == list(result)


def _producer(value: ir.Value, producers: Mapping[str, int]) -> int:
    """The weight of the product that the value comes from by elementwise ops; 0 where there is none. An outer
    product is an elementwise op, all of whose operands are broadcast."""
    found, pending = 0, [value]
    seen: set[int] = set()
    while pending and len(seen) < LONGEST:
        op = defining_op(pending.pop())
        if op is None or address(op) in seen:
            continue
        seen.add(address(op))
        found = max(found, producers.get(op.name, 0))
        if op.name in ELEMENTWISE:
            found = max(found, OUTER_PRODUCT * _broadcasts_all(op))
            pending += op.operands
    return found


def _broadcasts_all(op: ir.Operation) -> bool:
    result = graph.dims_of(op.results[0])
    return len(op.operands) > 1 and not any(_is_whole(graph.dims_of(value), result) for value in op.operands)


def _rebuild(op: ir.Operation, source: ir.Value, shapes: list[list[Dim]]) -> None:
    operands = []
    for operand, shape in zip(op.operands, shapes, strict=True):
        reshape = graph.Reshape.defining(operand)
        if reshape is not None and reshape.x == source:
            operands.append(source)
        else:
            operands.append(graph.reshape_to(operand, shape))
    attributes = attributes_of(op)
    result_type = ir.RankedTensorType.get(source.type.shape, graph.element_type(op.results[0]))
    moved = graph.build(op.name, operands, attributes, result_type)
    replace_op(op, graph.reshape_to(moved, graph.dims_of(op.results[0])))


def sink_below_padding(op: ir.Operation) -> bool:
    """pad(reshape(transpose(x))) -> reshape(pad(transpose(x))), where the reshape keeps the dims that are
    padded."""
    pad = graph.Pad(op)
    reshape = graph.Reshape.defining(pad.x)
    if reshape is None or not has_one_use(pad.x) or not has_one_use(reshape.x):
        return False
    source = reshape.x
    shape, result = graph.dims_of(source), graph.dims_of(pad.result)
    if defining_op(source, graph.Transpose.NAME) is None or not graph.can_compute_dims(result):
        return False
    fields = attributes_of(op)
    for name in ("low", "high"):
        counts = _moved_counts(graph.attribute(op, name), graph.dims_of(pad.x), shape)
        if counts is None:
            return False
        fields[name] = counts
    padded = graph.build("pad", [source], fields)
    replace_op(op, graph.reshape_to(padded, result))
    return True


def _moved_counts(counts: Sequence[int], old: Sequence[Dim], new: Sequence[Dim]) -> list[int] | None:
    """The counts of padding for the dims `new` of what has the dims `old`; None where they correspond to no
    dim."""
    moved: list[int] = []
    for olds, news in dim_groups(old, new) or []:
        if any(counts[dim] for dim in olds):
            if len(olds) > 1 or len(news) > 1:
                return None
            moved.append(counts[olds[0]])
        else:
            moved += [0] * len(news)
    return moved if len(moved) == len(new) else None


def sink_below_transpose(op: ir.Operation) -> bool:
    """transpose(reshape(x)) -> reshape(transpose(x)), where x comes from one of PRODUCERS or from attention,
    its innermost dim stays the innermost, and the reshape splits or joins only dims that stay together."""
    transpose = graph.Transpose(op)
    reshape = graph.Reshape.defining(transpose.x)
    if reshape is None or not has_one_use(transpose.x):
        return False
    source = reshape.x
    # One that moved below an elementwise op, and is joined with this one later.
    while (before := graph.Reshape.defining(source)) is not None:
        source = before.x
    shape, result = graph.dims_of(source), graph.dims_of(transpose.result)
    if not (_producer(source, PRODUCERS) or defining_op(source, graph.Attention.NAME)):
        return False
    if not graph.can_compute_dims(result):
        return False
    groups = dim_groups(shape, graph.dims_of(transpose.x))
    permutation = None if groups is None else _moved_together(groups, list(transpose.permutation))
    if permutation is None or permutation[-1] != len(shape) - 1:
        return False
    moved = graph.build("transpose", [source], {"permutation": permutation})
    replace_op(op, graph.reshape_to(moved, result))
    return True


def _moved_together(
    groups: Sequence[tuple[list[int], list[int]]], permutation: Sequence[int]
) -> list[int] | None:
    """The permutation of the first dims of the pairs that moves the second ones by `permutation`; None where
    that tears a pair apart."""
    moved: list[int] = []
    index = 0
    while index < len(permutation):
        olds, news = next(pair for pair in groups if permutation[index] in pair[1])
        if list(permutation[index : index + len(news)]) != news:
            return None
        moved += olds
        index += len(news)
    return moved if len(moved) == sum(len(olds) for olds, _ in groups) else None


@dataclass(frozen=True)
class SinkReshapes(Pass):
    """Move reshapes of products below the elementwise ops that read them; the other operands are reshaped
    instead, which costs nothing. Bias, activation and residual then fuse into the product's kernel, and so
    does a transpose of what they make, as of a channel shuffle. Reshapes between a transpose and padding move
    below the padding."""

    name: ClassVar[str] = "graph-sink-reshapes"
    anchor: ClassVar[str] = "func.func"

    windows: bool = option(False, help="treat convolutions and pools as products")

    def run(self, op: ir.Operation) -> bool:
        below = partial(sink, producers=WITH_WINDOWS) if self.windows else sink
        rules = {
            **dict.fromkeys(ELEMENTWISE, below),
            graph.Pad.NAME: sink_below_padding,
            graph.Transpose.NAME: sink_below_transpose,
        }
        return apply_patterns(op, rules, max_iterations=256)
