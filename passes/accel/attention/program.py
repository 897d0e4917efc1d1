"""The program of a block: a tile of queries meets all keys, some at a time, which are copied ahead."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.attention.operands import (
    Place,
    copied,
    matrix_of,
    read_rows,
    shared_buffer,
    wait,
    write_rows,
)
from mlc.passes.accel.attention.problem import Attention
from mlc.passes.accel.attention.scores import Scores
from mlc.passes.accel.attention.sizes import STAGES, Sizes
from mlc.passes.accel.attention.softmax import Running, finished, step
from mlc.passes.accel.attention.tiles import floats, index, product
from mlc.passes.accel.copying_loops import STAGES as STAGES_ATTRIBUTE
from mlc.passes.accel.tiles.block_orders import places_of
from mlc.passes.accel.tiles.meanings import as_value
from mlc.passes.lowering.vector_tools import splat


def build_launch(attention: Attention, sizes: Sizes, memory: list[ir.Value]) -> None:
    """A block for each tile of queries of each head; `memory` holds the kernel's buffers."""
    counts = [*attention.leading, -(-attention.queries // sizes.queries)]
    warps = {"warps": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), sizes.warps)}
    launch = ir.Operation.create("accel.launch", [], [index(prod(counts))], warps, regions=1)
    body = launch.regions[0].blocks.append(ir.IndexType.get())
    with ir.InsertionPoint(body):
        *heads, tile = map(as_value, places_of(body.arguments[0], counts))
        if attention.causal:
            # The last queries see most keys: those blocks begin first.
            tile = arith.subi(index(counts[-1] - 1), tile)
        place = Place(tuple(heads), arith.muli(tile, index(sizes.queries)))
        Block(attention, sizes, memory, place).emit()


@dataclass(frozen=True)
class Operands:
    """What a block multiplies: its queries, in registers or in shared memory, and buffers that the loop
    fills. Weights stay in registers unless they have one."""

    queries: ir.Value
    keys: ir.Value
    values: ir.Value
    weights: ir.Value | None


@dataclass(frozen=True)
class Block:
    """One block, at its place."""

    attention: Attention
    sizes: Sizes
    memory: list[ir.Value]
    place: Place

    def emit(self) -> None:
        """The whole program."""
        attention = self.attention
        result = finished(self._loop(self._operands()), safe=attention.safe)
        rows = matrix_of(self.memory[attention.result.buffer], attention.result, self.place.heads)
        write_rows(self._narrowed(result), rows, self.place.first_query)

    def _operands(self) -> Operands:
        sizes, element = self.sizes, self.attention.element
        keys = shared_buffer(sizes.keys, sizes.width, element)
        values = shared_buffer(sizes.keys, sizes.features, element)
        weights = None if sizes.tensor_units else shared_buffer(sizes.queries, sizes.keys, element)
        return Operands(self._queries(), keys, values, weights)

    def _queries(self) -> ir.Value:
        """The tile of queries."""
        attention, sizes = self.attention, self.sizes
        rows = matrix_of(self.memory[attention.q.buffer], attention.q, self.place.heads)
        if sizes.queries_in_registers:
            return read_rows(rows, self.place.first_query, sizes.queries, sizes.width)
        buffer = shared_buffer(sizes.queries, sizes.width, attention.element)
        wait(copied(rows, buffer, self.place.first_query))
        return buffer

    def _loop(self, operands: Operands) -> Running:
        """What is known of the queries behind the last key."""
        attention, sizes = self.attention, self.sizes
        heads = self._heads_of_keys()
        keys = matrix_of(self.memory[attention.k.buffer], attention.k, heads)
        values = matrix_of(self.memory[attention.v.buffer], attention.v, heads)
        start = Running.start(sizes.queries, sizes.features)
        loop = scf.ForOp(index(0), self._end(), index(sizes.keys), start.values)
        with ir.InsertionPoint(loop.body):
            first = loop.induction_variable
            wait(copied(keys, operands.keys, first), copied(values, operands.values, first))
            scf.YieldOp(self._step(operands, first, Running(*loop.inner_iter_args)).values)
        if attention.keys > sizes.keys:
            stages = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), STAGES)
            loop.operation.attributes[STAGES_ATTRIBUTE] = stages
        return Running(*loop.results)

    def _step(self, operands: Operands, first: ir.Value, known: Running) -> Running:
        """Takes in the keys and values from `first` on."""
        sizes = self.sizes
        scores = Scores(self.attention, sizes, self.memory, self.place)
        none = splat(floats(sizes.queries, sizes.keys), 0)
        raw = product(operands.queries, operands.keys, none, self.attention.precision, transpose_b=True)
        new = step(known, scores.masked(raw, first), scores.factor)
        weights = self._narrowed(new.weights)
        if operands.weights is not None:
            # Without tensor units a thread needs whole rows of them, which would not fit its registers.
            write_rows(weights, operands.weights, index(0))
            weights = operands.weights
        return Running(
            new.top, new.total, product(weights, operands.values, new.result, self.attention.precision)
        )

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
