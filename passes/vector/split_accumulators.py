"""tloop-split-accumulators: loops carry the rows of a register tile one by one.

Tiles of vectors as their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

from mlc.bindings import ir, scf, ub, vector
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops, defining_op, terminator_of, users

# Ops that compute each row of their result from the same row of their operands.
ROWWISE = frozenset(
    "arith.addf arith.subf arith.mulf arith.divf arith.maximumf arith.minimumf arith.maxnumf arith.minnumf "
    "arith.negf arith.addi arith.subi arith.muli arith.select arith.cmpf math.fma vector.fma".split()
)


def is_tile(value: ir.Value) -> bool:
    return isinstance(value.type, ir.VectorType) and ir.VectorType(value.type).rank >= 2


def _row_type(kind: ir.Type) -> ir.VectorType:
    tile = ir.VectorType(kind)
    return ir.VectorType.get([tile.shape[-1]], tile.element_type)


def places_of(kind: ir.Type) -> list[tuple[int, ...]]:
    """Where the rows of a tile are."""
    return list(product(*map(range, ir.VectorType(kind).shape[:-1])))


@dataclass
class TileRows:
    """The rows of tiles `vector<...xRxN>` that have been taken apart, by the tile."""

    known: dict[ir.Value, list[ir.Value]] = field(default_factory=dict)

    def of(self, tile: ir.Value) -> list[ir.Value]:
        """The vectors of N, one behind the other, built where the tile is defined."""
        if tile not in self.known:
            self.known[tile] = self._build(tile)
        return self.known[tile]

    def _build(self, tile: ir.Value) -> list[ir.Value]:
        op, places = defining_op(tile), places_of(tile.type)
        if op is None:
            with ir.InsertionPoint.at_block_begin(tile.owner), ir.Location.unknown():
                return _extracts(tile, places)
        with ir.InsertionPoint.after(op), op.location:
            if op.name == vector.FromElements.NAME:
                return _joined_rows(op) or _extracts(tile, places)
            if op.name == vector.Broadcast.NAME and vector.Broadcast(op).source.type == _row_type(tile.type):
                return [vector.Broadcast(op).source] * len(places)
            if op.name in ROWWISE and all(map(is_tile, op.operands)):
                return self._rowwise(op)
            return _extracts(tile, places)

    def _rowwise(self, op: ir.Operation) -> list[ir.Value]:
        operands = [self.of(operand) for operand in op.operands]
        kind = _row_type(op.results[0].type)
        attributes = {name: op.attributes[name] for name in op.attributes}
        return [
            ir.Operation.create(op.name, [kind], list(row), attributes).results[0]
            for row in zip(*operands, strict=True)
        ]


def _extracts(tile: ir.Value, places: Sequence[tuple[int, ...]]) -> list[ir.Value]:
    return [vector.extract(tile, [], list(place)) for place in places]


def _joined_rows(op: ir.Operation) -> list[ir.Value] | None:
    """The vectors whose elements `vector.from_elements` lists one after the other; None if there are none."""
    columns = ir.VectorType(op.results[0].type).shape[-1]
    elements, found = list(op.operands), []
    for row in range(len(elements) // columns):
        first = elements[row * columns].owner
        if isinstance(first, ir.Block) or first.name != vector.ToElements.NAME:
            return None
        source = first.operation
        if list(source.results) != elements[row * columns : (row + 1) * columns]:
            return None
        found.append(source.operands[0])
    return found


def tile_of(rows: Sequence[ir.Value], kind: ir.Type) -> ir.Value:
    """Built behind the last row."""
    owner = rows[0].owner
    within = isinstance(owner, ir.Block)
    place = ir.InsertionPoint.at_block_begin(owner) if within else ir.InsertionPoint.after(owner)
    with place, ir.Location.unknown():
        tile = ub.PoisonOp(kind).result
        for place, row in zip(places_of(kind), rows, strict=True):
            tile = vector.insert(row, tile, [], list(place))
    return tile


SHAPING = frozenset({vector.Extract.NAME, vector.FromElements.NAME, vector.ToElements.NAME})


@dataclass
class LoopSplitter:
    """Replaces loops that carry tiles. The old ones stay, emptied, until nothing uses their values."""

    rows: TileRows = field(default_factory=TileRows)
    emptied: list[ir.Operation] = field(default_factory=list)

    def split_below(self, block: ir.Block) -> None:
        for op in [each.operation for each in block.operations]:
            if op.name == scf.For.NAME and any(map(is_tile, op.results)):
                self._split(op)
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self.split_below(inner)

    def _split(self, loop: ir.Operation) -> None:
        old = loop.regions[0].blocks[0]
        inits = self._expanded(list(loop.operands)[3:])
        with ir.InsertionPoint(loop), loop.location:
            new = scf.ForOp(*list(loop.operands)[:3], inits)
        for name in loop.attributes:
            new.operation.attributes[name] = loop.attributes[name]
        old.arguments[0].replace_all_uses_with(new.induction_variable)
        self._assign(list(old.arguments)[1:], list(new.inner_iter_args))
        self._assign(list(loop.results), list(new.results))
        for op in list(old.operations):
            new.body.append(op)
        self.split_below(new.body)
        terminator = terminator_of(new.body)
        with ir.InsertionPoint(terminator), terminator.location:
            scf.YieldOp(self._expanded(list(terminator.operands)))
        terminator.erase()
        self.emptied.append(loop)

    def _expanded(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        return [row for value in values for row in (self.rows.of(value) if is_tile(value) else [value])]

    def _assign(self, olds: Sequence[ir.Value], news: Sequence[ir.Value]) -> None:
        """Old values stand for new ones: each tile for as many rows as it has."""
        remaining = iter(news)
        for old in olds:
            if is_tile(old):
                self.rows.known[old] = [next(remaining) for _ in places_of(old.type)]
            else:
                old.replace_all_uses_with(next(remaining))

    def erase_emptied(self) -> None:
        """Builds tiles again from their rows for those that read them whole, and erases the old loops."""
        for loop in self.emptied:
            for tile in [*list(loop.regions[0].blocks[0].arguments)[1:], *loop.results]:
                if is_tile(tile) and users(tile):
                    tile.replace_all_uses_with(tile_of(self.rows.known[tile], tile.type))
        for loop in self.emptied:
            loop.erase()


def _read_rows(rows: TileRows, extracts: Sequence[ir.Operation]) -> None:
    """`vector.extract tile[i]` becomes row i of a tile taken apart, or of what is computed from one."""
    for op in extracts:
        position = list(op.attributes["static_position"])
        tile = op.operands[0]
        if len(op.operands) > 1 or not is_tile(tile) or position[0] < 0 or not _comes_apart(tile, rows):
            continue
        places = places_of(tile.type)
        depth = len(places[0])
        if len(position) < depth:
            continue
        row = rows.of(tile)[places.index(tuple(position[:depth]))]
        if len(position) > depth:
            with ir.InsertionPoint(op), op.location:
                row = vector.extract(row, [], position[depth:])
        if row != op.results[0]:
            op.results[0].replace_all_uses_with(row)


def _comes_apart(tile: ir.Value, rows: TileRows) -> bool:
    op = defining_op(tile)
    if tile in rows.known or op is None:
        return tile in rows.known
    if op.name not in ROWWISE or not all(map(is_tile, op.operands)):
        return False
    return any(_comes_apart(operand, rows) for operand in op.operands)


def _erase_dead(ops: Sequence[ir.Operation]) -> None:
    for op in reversed(ops):
        if (op.name in ROWWISE or op.name in SHAPING) and not any(map(users, op.results)):
            op.erase()


@dataclass(frozen=True)
class SplitAccumulators(Pass):
    """Rewrite loops that carry a tile `vector<RxN>`, or one of more dims, into loops that carry vectors of N.

    Each row then is a value of its own, which stays in its registers: a tile would reach LLVM as one array,
    put together and taken apart in every iteration.
    """

    name: ClassVar[str] = "tloop-split-accumulators"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        splitter = LoopSplitter()
        for block in op.regions[0]:  # none in a declaration
            splitter.split_below(block)
        if splitter.emptied:
            _read_rows(splitter.rows, collect_ops(op, vector.Extract.NAME))
            _erase_dead(collect_ops(op, {*ROWWISE, *SHAPING}))
            splitter.erase_emptied()
