"""tloop-split-accumulators: loops carry the rows of a register tile as separate vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

from mlc.bindings import ir, scf, ub, vector
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import attributes_of, collect_ops, defining_op, terminator_of, users

# Ops that compute each row of their result from the same row of their operands.
ROWWISE = frozenset(
    "arith.addf arith.subf arith.mulf arith.divf arith.maximumf arith.minimumf arith.maxnumf arith.minnumf "
    "arith.negf arith.addi arith.subi arith.muli arith.select arith.cmpf math.fma vector.fma".split()
)


def is_tile(value: ir.Value) -> bool:
    """Whether a value is a vector of two or more dims."""
    return isinstance(value.type, ir.VectorType) and ir.VectorType(value.type).rank >= 2


def _row_type(type_: ir.Type) -> ir.VectorType:
    tile = ir.VectorType(type_)
    return ir.VectorType.get([tile.shape[-1]], tile.element_type)


def row_positions(type_: ir.Type) -> list[tuple[int, ...]]:
    """Returns the indices of a tile's rows in its leading dims."""
    return list(product(*map(range, ir.VectorType(type_).shape[:-1])))


@dataclass
class TileRows:
    """The rows of tiles `vector<...xRxN>` that have been split, by the tile."""

    known: dict[ir.Value, list[ir.Value]] = field(default_factory=dict)

    def of(self, tile: ir.Value) -> list[ir.Value]:
        """Returns the vectors of N elements, in order, built where the tile is defined."""
        if tile not in self.known:
            self.known[tile] = self._build(tile)
        return self.known[tile]

    def _build(self, tile: ir.Value) -> list[ir.Value]:
        op, positions = defining_op(tile), row_positions(tile.type)
        if op is None:
            with ir.InsertionPoint.at_block_begin(tile.owner), ir.Location.unknown():
                return _extracts(tile, positions)
        with ir.InsertionPoint.after(op), op.location:
            if op.name == vector.FromElements.NAME:
                return _joined_rows(vector.FromElements(op)) or _extracts(tile, positions)
            if op.name == vector.Broadcast.NAME and vector.Broadcast(op).source.type == _row_type(tile.type):
                return [vector.Broadcast(op).source] * len(positions)
            if op.name in ROWWISE and all(map(is_tile, op.operands)):
                return self._rowwise(op)
            return _extracts(tile, positions)

    def _rowwise(self, op: ir.Operation) -> list[ir.Value]:
        operands = [self.of(operand) for operand in op.operands]
        type_ = _row_type(op.results[0].type)
        attributes = attributes_of(op)
        return [
            ir.Operation.create(op.name, [type_], list(row), attributes).results[0]
            for row in zip(*operands, strict=True)
        ]


def _extracts(tile: ir.Value, positions: Sequence[tuple[int, ...]]) -> list[ir.Value]:
    return [vector.extract(tile, [], list(position)) for position in positions]


def _joined_rows(op: vector.FromElements) -> list[ir.Value] | None:
    """Returns the vectors whose elements `op` lists one after the other; None if there are none."""
    columns = ir.VectorType(op.dest.type).shape[-1]
    elements, found = op.elements, []
    for first in range(0, len(elements), columns):
        row = vector.ToElements.defining(elements[first])
        if row is None or row.elements != elements[first : first + columns]:
            return None
        found.append(row.source)
    return found


def tile_of(rows: Sequence[ir.Value], type_: ir.Type) -> ir.Value:
    """Builds a tile from its rows, after the op that defines the first one."""
    owner = rows[0].owner
    within = isinstance(owner, ir.Block)
    point = ir.InsertionPoint.at_block_begin(owner) if within else ir.InsertionPoint.after(owner)
    with point, ir.Location.unknown():
        tile = ub.PoisonOp(type_).result
        for position, row in zip(row_positions(type_), rows, strict=True):
            tile = vector.insert(row, tile, [], list(position))
    return tile


SHAPING = frozenset({vector.Extract.NAME, vector.FromElements.NAME, vector.ToElements.NAME})


@dataclass
class LoopSplitter:
    """Replaces loops that carry tiles. The old ones stay, emptied, until nothing uses their values."""

    rows: TileRows = field(default_factory=TileRows)
    emptied: list[ir.Operation] = field(default_factory=list)

    def split_below(self, block: ir.Block) -> None:
        """Splits the loops in `block`, at any depth."""
        for op in [op.operation for op in block.operations]:
            if op.name == scf.For.NAME and any(map(is_tile, op.results)):
                self._split(op)
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self.split_below(inner)

    def _split(self, loop: ir.Operation) -> None:
        old = scf.For(loop)
        inits = self._expand(old.init_args)
        with ir.InsertionPoint(loop), loop.location:
            new = scf.ForOp(old.lower_bound, old.upper_bound, old.step, inits)
        for name, attribute in attributes_of(loop).items():
            new.operation.attributes[name] = attribute
        old.induction_variable.replace_all_uses_with(new.induction_variable)
        self._assign(old.iteration_arguments, list(new.inner_iter_args))
        self._assign(old.results, list(new.results))
        for op in list(old.entry_block.operations):
            new.body.append(op)
        self.split_below(new.body)
        terminator = terminator_of(new.body)
        with ir.InsertionPoint(terminator), terminator.location:
            scf.YieldOp(self._expand(list(terminator.operands)))
        terminator.erase()
        self.emptied.append(loop)

    def _expand(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        return [row for value in values for row in (self.rows.of(value) if is_tile(value) else [value])]

    def _assign(self, olds: Sequence[ir.Value], news: Sequence[ir.Value]) -> None:
        """Maps the old values to the new ones, tiles to their rows."""
        remaining = iter(news)
        for old in olds:
            if is_tile(old):
                self.rows.known[old] = [next(remaining) for _ in row_positions(old.type)]
            else:
                old.replace_all_uses_with(next(remaining))

    def erase_emptied(self) -> None:
        """Rebuilds tiles from their rows for users of all of a tile, and erases the old loops."""
        for loop in self.emptied:
            for tile in [*scf.For(loop).iteration_arguments, *loop.results]:
                if is_tile(tile) and users(tile):
                    tile.replace_all_uses_with(tile_of(self.rows.known[tile], tile.type))
        for loop in self.emptied:
            loop.erase()


def _read_rows(rows: TileRows, extracts: Sequence[ir.Operation]) -> None:
    """Replaces `vector.extract tile[i]` by row i of a split tile, or of a tile computed from one."""
    for extract in map(vector.Extract, extracts):
        position, tile = extract.static_position, extract.source
        if extract.dynamic_position or not is_tile(tile) or position[0] < 0 or not _can_split(tile, rows):
            continue
        positions = row_positions(tile.type)
        depth = len(positions[0])
        if len(position) < depth:
            continue
        row = rows.of(tile)[positions.index(position[:depth])]
        if len(position) > depth:
            with ir.InsertionPoint(extract.operation), extract.operation.location:
                row = vector.extract(row, [], list(position[depth:]))
        if row != extract.result:
            extract.result.replace_all_uses_with(row)


def _can_split(tile: ir.Value, rows: TileRows) -> bool:
    """Whether a tile is split already, or computed by rows from one that is."""
    op = defining_op(tile)
    if tile in rows.known or op is None:
        return tile in rows.known
    if op.name not in ROWWISE or not all(map(is_tile, op.operands)):
        return False
    return any(_can_split(operand, rows) for operand in op.operands)


def _erase_dead(ops: Sequence[ir.Operation]) -> None:
    for op in reversed(ops):
        if (op.name in ROWWISE or op.name in SHAPING) and not any(map(users, op.results)):
            op.erase()


@dataclass(frozen=True)
class SplitAccumulators(Pass):
    """Rewrite loops that carry a tile `vector<RxN>`, or one of more dims, into loops that carry vectors of N.

    Each row then is a separate value, which stays in its registers: a tile would reach LLVM as one array,
    assembled and split in every iteration.
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
