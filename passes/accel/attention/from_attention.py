"""accel-from-attention: kernels of attention become programs of thread blocks.

The program of a block: a tile of queries meets all keys, some at a time, which are copied ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, func, ir, scf
from mlc.passes.accel.attention.operands import QueryTileIndex, copied, read_rows, wait, write_rows
from mlc.passes.accel.attention.problem import Attention, attention_of
from mlc.passes.accel.attention.scores import ScoreTile
from mlc.passes.accel.attention.sizes import AttentionTileSizes, sizes_of
from mlc.passes.accel.attention.softmax import Running, SoftmaxUpdate, finished, step
from mlc.passes.accel.attention.tiles import floats, product
from mlc.passes.accel.common.buffers import new_matrix, write_matrix
from mlc.passes.accel.common.copying_loops import OVERLAP, PING_PONG
from mlc.passes.accel.common.copying_loops import STAGES as STAGES_ATTRIBUTE
from mlc.passes.accel.common.memory_functions import on_memory
from mlc.passes.accel.tiles.block_order import BlockOrder
from mlc.passes.accel.tiles.launches import launch
from mlc.passes.accel.tiles.representations import as_value
from mlc.passes.base import Pass
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.kernel_functions import kernels_on_tensors
from mlc.passes.common.rewriting import erase_op
from mlc.passes.common.target import target_of
from mlc.passes.common.vector_builders import splat


def build_launch(attention: Attention, sizes: AttentionTileSizes, memory: list[ir.Value]) -> None:
    """A block for each tile of queries of each head; `memory` holds the kernel's buffers."""
    counts = [*attention.leading, -(-attention.queries // sizes.queries)]
    single = [1] * len(attention.leading)
    order = BlockOrder(counts, [*single, sizes.cluster], [*single, 1])
    warps = i64_attribute(sizes.warps)
    body = launch(order.grid, order.clusters, warps)
    with ir.InsertionPoint(body):
        *heads, tile = map(as_value, order.places(list(body.arguments)))
        if attention.causal:
            # The last queries see most keys: those blocks begin first.
            tile = arith.subi(index(counts[-1] - 1), tile)
        place = QueryTileIndex(tuple(heads), arith.muli(tile, index(sizes.queries)))
        AttentionBlock(attention, sizes, memory, place).emit()


@dataclass(frozen=True)
class AttentionOperands:
    """What a block multiplies: its queries, in registers or in shared memory, and buffers that the loop
    fills. Weights stay in registers unless they have one."""

    queries: ir.Value
    keys: ir.Value
    values: ir.Value
    weights: ir.Value | None


@dataclass(frozen=True)
class AttentionBlock:
    """One block, at its place."""

    attention: Attention
    sizes: AttentionTileSizes
    memory: list[ir.Value]
    place: QueryTileIndex

    def emit(self) -> None:
        """The whole program."""
        attention, (heads, first_query) = self.attention, (self.place.heads, self.place.first_query)
        result = finished(self._loop(self._operands()), safe=attention.safe)
        memory = self.memory[attention.result.buffer]
        write_rows(self._narrowed(result), memory, attention.result, heads, first_query)

    def _operands(self) -> AttentionOperands:
        sizes, element = self.sizes, self.attention.element
        keys = new_matrix(sizes.keys, sizes.width, element)
        values = new_matrix(sizes.keys, sizes.features, element)
        weights = None if sizes.tensor_units else new_matrix(sizes.queries, sizes.keys, element)
        return AttentionOperands(self._queries(), keys, values, weights)

    def _queries(self) -> ir.Value:
        """The tile of queries."""
        attention, sizes = self.attention, self.sizes
        memory, place = self.memory[attention.q.buffer], self.place
        if sizes.queries_in_registers:
            shape = (sizes.queries, sizes.width)
            return read_rows(memory, attention.q, place.heads, place.first_query, shape)
        buffer = new_matrix(sizes.queries, sizes.width, attention.element)
        wait(copied(memory, attention.q, place.heads, buffer, place.first_query))
        return buffer

    def _loop(self, operands: AttentionOperands) -> Running:
        """What is known of the queries behind the last key."""
        attention, sizes = self.attention, self.sizes
        scores = ScoreTile(attention, sizes, self.memory, self.place)
        heads, end = self._heads_of_keys(), scores.common_end()
        start = Running.start(sizes.queries, sizes.features)
        loop = scf.ForOp(index(0), self._end(), index(sizes.keys), start.values)
        with ir.InsertionPoint(loop.body):
            first = loop.induction_variable
            self._copy(operands, heads, first)
            found = scores.masked(self._products(operands), first, end)
            hidden = attention.may_hide_all
            new = step(Running(*loop.inner_iter_args), found, scores.factor, may_hide_all=hidden)
            scf.YieldOp(self._weighted(operands, new).values)
        if attention.keys > sizes.keys:
            stages = i64_attribute(sizes.stages)
            loop.operation.attributes[STAGES_ATTRIBUTE] = stages
            if sizes.overlap:
                loop.operation.attributes[OVERLAP] = ir.UnitAttr.get()
            if sizes.turns:
                loop.operation.attributes[PING_PONG] = ir.UnitAttr.get()
        return Running(*loop.results)

    def _copy(self, operands: AttentionOperands, heads: Sequence[ir.Value], first: ir.Value) -> None:
        """Copies the keys and values from `first` on."""
        pairs = ((self.attention.k, operands.keys), (self.attention.v, operands.values))
        wait(*(copied(self.memory[tensor.buffer], tensor, heads, into, first) for tensor, into in pairs))

    def _products(self, operands: AttentionOperands) -> ir.Value:
        """Of queries and keys."""
        none = splat(floats(self.sizes.queries, self.sizes.keys), 0)
        precision = self.attention.precision
        return product(operands.queries, operands.keys, none, precision, transpose_b=True)

    def _weighted(self, operands: AttentionOperands, new: SoftmaxUpdate) -> Running:
        """With the values' rows, by their weights."""
        precision, weights = self.attention.precision, self._narrowed(new.weights)
        if operands.weights is not None:
            # Without tensor units a thread needs whole rows of them, which would not fit its registers.
            write_matrix(weights, operands.weights)
            weights = operands.weights
        return Running(new.top, new.total, product(weights, operands.values, new.result, precision))

    def _narrowed(self, tile: ir.Value) -> ir.Value:
        """A tile of f32 with the elements of the operands."""
        element = self.attention.element
        if element == tile.type.element_type:
            return tile
        return arith.truncf(ir.VectorType.get(tile.type.shape, element), tile)

    def _heads_of_keys(self) -> tuple[ir.Value, ...]:
        """The batch and the head that the queries' head reads: groups of heads share one."""
        *batch, head = self.place.heads
        group = self.attention.q.shape[-3] // self.attention.k.shape[-3]
        return (*batch, head if group == 1 else arith.divui(head, index(group)))

    def _end(self) -> ir.Value:
        """Behind the last key that one of the queries may see. A query from which all keys may be hidden sees
        them all."""
        attention, every = self.attention, index(self.attention.keys)
        if not attention.causal or attention.mask is not None:
            return every
        first = self.place.first_query
        end = arith.minsi(arith.addi(first, index(self.sizes.queries + attention.later)), every)
        if attention.later >= 0:
            return end
        last = arith.addi(first, index(attention.later))
        return arith.select(arith.cmpi(arith.CmpIPredicate.slt, last, index(0)), every, end)


def lower_kernel(kernel: ir.Operation) -> bool:
    """Puts a program in place of a kernel of attention; other kernels stay. Raises PassError."""
    attention = attention_of(kernel)
    if attention is None:
        return False
    body = on_memory(kernel)
    with ir.InsertionPoint(body), kernel.location:
        build_launch(attention, sizes_of(attention, target_of(kernel)), list(body.arguments))
        func.ReturnOp([])
    erase_op(kernel)
    return True


@dataclass(frozen=True)
class FromAttention(Pass):
    """Make an `accel.launch` of each kernel of `graph.attention` and of the transposes around it: a block for
    some queries of a head, which never holds all of their scores (FlashAttention).

    A loop copies blocks of keys and values ahead into shared memory, multiplies, masks, keeps each query's
    greatest score and its sum of weights, and adds the weighted values to a result that it scales by the
    change of the greatest score. With a causal mask and no other one, blocks of keys that no query sees are
    left out. `accel.precision = "tf32"` on the op or on the kernel lets tensor units multiply elements of
    f32. Other kernels stay as they are.
    """

    name: ClassVar[str] = "accel-from-attention"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        changed = [lower_kernel(tensor) for tensor in kernels_on_tensors(op)]
        return any(changed)
