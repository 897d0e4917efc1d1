"""What a kernel of attention computes, and how its operands lie, read off its graph ops."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.passes.base import PassError
from mlc.passes.common.kernel_functions import EXACT, PRECISION, precision_of
from mlc.passes.common.rewriting import collect_ops, defining_op, users
from mlc.passes.graph.attention.kernel import block_obstacle

ATTENTION = graph.Attention.NAME
TRANSPOSE = graph.Transpose.NAME


@dataclass(frozen=True)
class AttentionTensor:
    """An operand or the result, as attention sees it: its dim i is dim `order[i]` of a buffer of the kernel,
    whose inputs come first, then its outputs."""

    buffer: int
    order: tuple[int, ...]
    shape: tuple[int, ...]
    element: ir.Type


@dataclass(frozen=True)
class Attention:
    """`softmax(scale * q k^T + mask) v`, with `graph.attention`'s meaning."""

    q: AttentionTensor
    k: AttentionTensor
    v: AttentionTensor
    mask: AttentionTensor | None
    result: AttentionTensor
    scale: float
    causal: bool
    fill: float
    safe: bool
    # How elements of f32 are multiplied, as `accel.mma` has it.
    precision: str

    @property
    def element(self) -> ir.Type:
        return self.q.element

    @property
    def masks_queries(self) -> bool:
        """Whether the mask is a tensor with numbers of their own for several queries."""
        return self.mask is not None and self.mask.shape[-2:-1] > (1,)

    @property
    def queries(self) -> int:
        return self.q.shape[-2]

    @property
    def keys(self) -> int:
        return self.k.shape[-2]

    @property
    def width(self) -> int:
        """Numbers of a query and of a key."""
        return self.q.shape[-1]

    @property
    def features(self) -> int:
        """Numbers of a value."""
        return self.v.shape[-1]

    @property
    def leading(self) -> tuple[int, ...]:
        """Batches and heads of the result."""
        return self.result.shape[:-2]

    @property
    def later(self) -> int:
        """The last key that a query sees, less the query, where the mask is causal."""
        return self.keys - self.queries

    @property
    def may_hide_all(self) -> bool:
        """Whether a query's keys may all be masked. Those keep the order of their scores, which the softmax
        then sees."""
        return self.mask is not None or (self.causal and self.later < 0)


def attention_of(kernel: ir.Operation) -> Attention | None:
    """What the kernel computes; None if that is no attention. Raises PassError for attention that has no
    program of blocks."""
    found = collect_ops(kernel, ATTENTION)
    if not found:
        return None
    op = found[0]
    if (reason := block_obstacle(op)) is not None:
        raise PassError(f"attention is to be taken apart by graph-decompose-attention: {reason}", op.location)
    _check_ops(kernel, op)
    q, k, v, *masks = [_read(operand) for operand in op.operands]
    inputs = len(kernel.regions[0].blocks[0].arguments)
    fill = graph.attribute(op, "fill")
    attention = Attention(
        q,
        k,
        v,
        masks[0] if masks else None,
        _written(op, inputs),
        graph.attribute(op, "scale"),
        graph.attribute(op, "causal"),
        float("-inf") if fill is None else fill,
        graph.attribute(op, "safe"),
        _precision(kernel, op),
    )
    _check_order(attention, op)
    return attention


def _check_ops(kernel: ir.Operation, attention: ir.Operation) -> None:
    """Raises PassError for what else the kernel computes."""
    for each in kernel.regions[0].blocks[0]:
        op = each.operation
        if op != attention and op.name not in (TRANSPOSE, func.Return.NAME):
            raise PassError(
                f"'{op.name}' op in a kernel of attention has no form in its program of blocks, which only "
                "reads and writes through transposes",
                op.location,
            )


def _precision(kernel: ir.Operation, attention: ir.Operation) -> str:
    """What the op asks for, or else the kernel, if its elements are of f32."""
    asked = precision_of(attention if PRECISION in attention.attributes else kernel)
    return asked if str(graph.element_type(attention.operands[0])) == "f32" else EXACT


def _read(value: ir.Value) -> AttentionTensor:
    """An operand, which is an argument of the kernel behind transposes."""
    kind = ir.RankedTensorType(value.type)
    order = list(range(kind.rank))
    while (made := defining_op(value)) is not None:
        permutation = graph.attribute(made, "permutation")
        order = [permutation[dim] for dim in order]
        value = made.operands[0]
    return AttentionTensor(value.arg_number, tuple(order), tuple(kind.shape), kind.element_type)


def _written(attention: ir.Operation, buffer: int) -> AttentionTensor:
    """The result, which the kernel returns behind transposes."""
    (value,) = attention.results
    kind = ir.RankedTensorType(value.type)
    order = list(range(kind.rank))
    while (reader := _only_reader(value, attention)).name != func.Return.NAME:
        permutation = list(graph.attribute(reader, "permutation"))
        order = [permutation.index(dim) for dim in order]
        value = reader.results[0]
    return AttentionTensor(buffer, tuple(order), tuple(kind.shape), kind.element_type)


def _only_reader(value: ir.Value, attention: ir.Operation) -> ir.Operation:
    readers = users(value)
    if len(readers) != 1 or len(readers[0].operands) != 1:
        raise PassError("a kernel of attention has one result", attention.location)
    return readers[0]


def _check_order(attention: Attention, op: ir.Operation) -> None:
    """Raises PassError unless numbers of one row lie side by side."""
    named = {"q": attention.q, "k": attention.k, "v": attention.v, "the result": attention.result}
    for name, tensor in named.items():
        last = len(tensor.order) - 1
        if tensor.order[last] != last:
            raise PassError(f"the last dim of {name} must be the last one in memory too", op.location)
