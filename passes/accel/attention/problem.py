"""The computation of a kernel of attention, and the layouts of its operands, read off its graph ops."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.passes.base import PassError
from mlc.passes.common.kernel_functions import EXACT, PRECISION, precision_of
from mlc.passes.common.rewriting import collect_ops, users
from mlc.passes.graph.attention.kernel import thread_block_obstacle

ATTENTION = graph.Attention.NAME
TRANSPOSE = graph.Transpose.NAME


@dataclass(frozen=True)
class AttentionTensor:
    """An operand or the result: its dim i is dim `order[i]` of the kernel's buffer at index `buffer`; the
    inputs come first, then the outputs."""

    buffer: int
    order: tuple[int, ...]
    shape: tuple[int, ...]
    element: ir.Type


@dataclass(frozen=True)
class Attention:
    """`softmax(scale * q k^T + mask) v`; the fields have the meaning of `graph.attention`'s."""

    q: AttentionTensor
    k: AttentionTensor
    v: AttentionTensor
    mask: AttentionTensor | None
    result: AttentionTensor
    scale: float
    causal: bool
    fill: float
    safe: bool
    # The precision of `accel.mma` for elements of f32.
    precision: str

    @property
    def element(self) -> ir.Type:
        """The element type of queries, keys and values."""
        return self.q.element

    @property
    def masks_queries(self) -> bool:
        """Whether the mask is a tensor whose values differ between queries."""
        return self.mask is not None and self.mask.shape[-2:-1] > (1,)

    @property
    def queries(self) -> int:
        """Queries per head."""
        return self.q.shape[-2]

    @property
    def keys(self) -> int:
        """Keys per head."""
        return self.k.shape[-2]

    @property
    def width(self) -> int:
        """The extent of a query and of a key."""
        return self.q.shape[-1]

    @property
    def features(self) -> int:
        """The extent of a value."""
        return self.v.shape[-1]

    @property
    def leading(self) -> tuple[int, ...]:
        """Batches and heads of the result."""
        return self.result.shape[:-2]

    @property
    def diagonal(self) -> int:
        """The index of the last key that a query sees with a causal mask, minus the query's index."""
        return self.keys - self.queries

    @property
    def may_hide_all(self) -> bool:
        """Whether a query's keys may all be masked: the softmax is then taken over their masked scores, which
        keep their order."""
        return self.mask is not None or (self.causal and self.diagonal < 0)


def attention_of(kernel: ir.Operation) -> Attention | None:
    """Returns the attention that the kernel computes, or None. Raises PassError for attention that has no
    program of thread blocks."""
    found = collect_ops(kernel, ATTENTION)
    if not found:
        return None
    op = found[0]
    if (reason := thread_block_obstacle(op)) is not None:
        raise PassError(f"attention is to be taken apart by graph-decompose-attention: {reason}", op.location)
    _check_ops(kernel, op)
    q, k, v, *masks = [_read(operand) for operand in op.operands]
    inputs = len(kernel.regions[0].blocks[0].arguments)
    view = graph.Attention(op)
    attention = Attention(
        q,
        k,
        v,
        masks[0] if masks else None,
        _read_result(view, inputs),
        view.scale,
        view.causal,
        float("-inf") if view.fill is None else view.fill,
        view.safe,
        _precision(kernel, op),
    )
    _check_order(attention, op)
    return attention


def _check_ops(kernel: ir.Operation, attention: ir.Operation) -> None:
    """Raises PassError if the kernel has other ops than transposes."""
    for op in (inner.operation for inner in kernel.regions[0].blocks[0]):
        if op != attention and op.name not in (TRANSPOSE, func.Return.NAME):
            raise PassError(
                f"'{op.name}' op in a kernel of attention has no form in its program of blocks, which only "
                "reads and writes through transposes",
                op.location,
            )


def _precision(kernel: ir.Operation, attention: ir.Operation) -> str:
    """Returns the precision that is set on the op, or else on the kernel, if the elements are f32."""
    requested = precision_of(attention if PRECISION in attention.attributes else kernel)
    return requested if str(graph.element_type(graph.Attention(attention).q)) == "f32" else EXACT


def _read(value: ir.Value) -> AttentionTensor:
    """Reads the layout of an operand: an argument of the kernel, or transposes of one."""
    tensor = ir.RankedTensorType(value.type)
    order = list(range(tensor.rank))
    while (transpose := graph.Transpose.defining(value)) is not None:
        order = [transpose.permutation[dim] for dim in order]
        value = transpose.x
    return AttentionTensor(value.arg_number, tuple(order), tuple(tensor.shape), tensor.element_type)


def _read_result(attention: graph.Attention, buffer: int) -> AttentionTensor:
    """Reads the layout of the result, which the kernel returns, possibly transposed."""
    value = attention.result
    tensor = ir.RankedTensorType(value.type)
    order = list(range(tensor.rank))
    while (reader := _only_reader(value, attention.operation)).name != func.Return.NAME:
        transpose = graph.Transpose(reader)
        order = [transpose.permutation.index(dim) for dim in order]
        value = transpose.result
    return AttentionTensor(buffer, tuple(order), tuple(tensor.shape), tensor.element_type)


def _only_reader(value: ir.Value, attention: ir.Operation) -> ir.Operation:
    readers = users(value)
    if len(readers) != 1 or len(readers[0].operands) != 1:
        raise PassError("a kernel of attention has one result", attention.location)
    return readers[0]


def _check_order(attention: Attention, op: ir.Operation) -> None:
    """Raises PassError unless the elements of a row are contiguous."""
    named = {"q": attention.q, "k": attention.k, "v": attention.v, "the result": attention.result}
    for name, tensor in named.items():
        last = len(tensor.order) - 1
        if tensor.order[last] != last:
            raise PassError(f"the last dim of {name} must be the last one in memory too", op.location)
