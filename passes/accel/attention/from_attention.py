"""accel-from-attention: kernels of attention become programs of thread blocks.

A thread block has a tile of queries and loops over tiles of keys, which are copied ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, func, ir, scf
from mlc.passes.accel.attention.operands import QueryTileIndex, copy_rows, read_rows, wait, write_rows
from mlc.passes.accel.attention.problem import Attention, attention_of
from mlc.passes.accel.attention.scores import ScoreTile
from mlc.passes.accel.attention.sizes import AttentionTileSizes, sizes_of
from mlc.passes.accel.attention.softmax import SoftmaxState, SoftmaxUpdate, normalise_result, update_softmax
from mlc.passes.accel.attention.tiles import floats, multiply_tiles
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
    """Builds a launch with a thread block per tile of queries of each head; `memory` has the kernel's
    buffers."""
    counts = [*attention.leading, -(-attention.queries // sizes.queries)]
    single = [1] * len(attention.leading)
    order = BlockOrder(counts, [*single, sizes.cluster], [*single, 1])
    warps = i64_attribute(sizes.warps)
    body = launch(order.grid, order.clusters, warps)
    with ir.InsertionPoint(body):
        *heads, tile = map(as_value, order.tile(list(body.arguments)))
        if attention.causal:
            # The last queries see most keys: their thread blocks start first.
            tile = arith.subi(index(counts[-1] - 1), tile)
        query_tile = QueryTileIndex(tuple(heads), arith.muli(tile, index(sizes.queries)))
        AttentionProgram(attention, sizes, memory, query_tile).emit()


@dataclass(frozen=True)
class AttentionOperands:
    """The operands of a thread block's mma: queries, in registers or in shared memory, and buffers that the
    loop fills. Weights stay in registers if their buffer is None."""

    queries: ir.Value
    keys: ir.Value
    values: ir.Value
    weights: ir.Value | None


@dataclass(frozen=True)
class AttentionProgram:
    """The program of the thread block that computes a tile of queries."""

    attention: Attention
    sizes: AttentionTileSizes
    memory: list[ir.Value]
    query_tile: QueryTileIndex

    def emit(self) -> None:
        """Builds the program at the current insertion point."""
        attention, (heads, first_query) = self.attention, (self.query_tile.heads, self.query_tile.first_query)
        result = normalise_result(self._loop(self._operands()), safe=attention.safe)
        memory = self.memory[attention.result.buffer]
        write_rows(self._narrow(result), memory, attention.result, heads, first_query)

    def _operands(self) -> AttentionOperands:
        sizes, element = self.sizes, self.attention.element
        keys = new_matrix(sizes.keys, sizes.width, element)
        values = new_matrix(sizes.keys, sizes.features, element)
        weights = None if sizes.matrix_unit else new_matrix(sizes.queries, sizes.keys, element)
        return AttentionOperands(self._queries(), keys, values, weights)

    def _queries(self) -> ir.Value:
        """Loads the tile of queries."""
        attention, sizes = self.attention, self.sizes
        memory, query_tile = self.memory[attention.q.buffer], self.query_tile
        if sizes.queries_in_registers:
            shape = (sizes.queries, sizes.width)
            return read_rows(memory, attention.q, query_tile.heads, query_tile.first_query, shape)
        buffer = new_matrix(sizes.queries, sizes.width, attention.element)
        wait(copy_rows(memory, attention.q, query_tile.heads, buffer, query_tile.first_query))
        return buffer

    def _loop(self, operands: AttentionOperands) -> SoftmaxState:
        """Builds the loop over tiles of keys and returns the state after the last one."""
        attention, sizes = self.attention, self.sizes
        scores = ScoreTile(attention, sizes, self.memory, self.query_tile)
        heads, end = self._heads_of_keys(), scores.common_end()
        start = SoftmaxState.start(sizes.queries, sizes.features)
        loop = scf.ForOp(index(0), self._end(), index(sizes.keys), start.values)
        with ir.InsertionPoint(loop.body):
            first = loop.induction_variable
            self._copy(operands, heads, first)
            masked = scores.mask_scores(self._products(operands), first, end)
            state, hidden = SoftmaxState(*loop.inner_iter_args), attention.may_hide_all
            new = update_softmax(state, masked, scores.factor, may_hide_all=hidden)
            scf.YieldOp(self._accumulate(operands, new).values)
        if attention.keys > sizes.keys:
            stages = i64_attribute(sizes.stages)
            loop.operation.attributes[STAGES_ATTRIBUTE] = stages
            if sizes.overlap:
                loop.operation.attributes[OVERLAP] = ir.UnitAttr.get()
            if sizes.ping_pong:
                loop.operation.attributes[PING_PONG] = ir.UnitAttr.get()
        return SoftmaxState(*loop.results)

    def _copy(self, operands: AttentionOperands, heads: Sequence[ir.Value], first: ir.Value) -> None:
        """Copies the tile of keys and values from `first` on."""
        pairs = ((self.attention.k, operands.keys), (self.attention.v, operands.values))
        wait(*(copy_rows(self.memory[tensor.buffer], tensor, heads, into, first) for tensor, into in pairs))

    def _products(self, operands: AttentionOperands) -> ir.Value:
        """Multiplies the queries by the tile of keys."""
        zeros = splat(floats(self.sizes.queries, self.sizes.keys), 0)
        precision = self.attention.precision
        return multiply_tiles(operands.queries, operands.keys, zeros, precision, transpose_b=True)

    def _accumulate(self, operands: AttentionOperands, new: SoftmaxUpdate) -> SoftmaxState:
        """Adds the weighted values of the tile to the result."""
        precision, weights = self.attention.precision, self._narrow(new.weights)
        if operands.weights is not None:
            # Without the matrix unit a thread needs full rows of weights, too many for its registers.
            write_matrix(weights, operands.weights)
            weights = operands.weights
        return SoftmaxState(
            new.maximum, new.total, multiply_tiles(weights, operands.values, new.result, precision)
        )

    def _narrow(self, tile: ir.Value) -> ir.Value:
        """Converts a tile of f32 to the element type of the operands."""
        element = self.attention.element
        if element == tile.type.element_type:
            return tile
        return arith.truncf(ir.VectorType.get(tile.type.shape, element), tile)

    def _heads_of_keys(self) -> tuple[ir.Value, ...]:
        """Returns the indices of the batch and the head of keys, which groups of heads of queries share."""
        *batch, head = self.query_tile.heads
        group = self.attention.q.shape[-3] // self.attention.k.shape[-3]
        return (*batch, head if group == 1 else arith.divui(head, index(group)))

    def _end(self) -> ir.Value:
        """Returns the end of the keys that any of the queries sees. A query whose keys are all masked sees
        them all."""
        attention, keys = self.attention, index(self.attention.keys)
        if not attention.causal or attention.mask is not None:
            return keys
        first = self.query_tile.first_query
        end = arith.minsi(arith.addi(first, index(self.sizes.queries + attention.diagonal)), keys)
        if attention.diagonal >= 0:
            return end
        last = arith.addi(first, index(attention.diagonal))
        return arith.select(arith.cmpi(arith.CmpIPredicate.slt, last, index(0)), keys, end)


def lower_kernel(kernel: ir.Operation) -> bool:
    """Replaces a kernel of attention by a program of thread blocks; whether it was one. Raises PassError."""
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
    """Make an `accel.launch` of each kernel of `graph.attention` and of the transposes around it: a thread
    block for some queries of a head, which never holds all of their scores (FlashAttention).

    A loop copies tiles of keys and values ahead into shared memory, multiplies, masks, keeps each query's
    maximum score and its sum of weights, and adds the weighted values to a result that it rescales when the
    maximum changes. With a causal mask and no other one, tiles of keys that no query sees are skipped.
    `accel.precision = "tf32"` on the op or on the kernel allows matrix units to multiply elements of f32.
    Other kernels stay as they are.
    """

    name: ClassVar[str] = "accel-from-attention"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> bool:
        changed = [lower_kernel(tensor) for tensor in kernels_on_tensors(op)]
        return any(changed)
