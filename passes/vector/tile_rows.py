"""Tiles of vectors as their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from mlc.bindings import ir, ub, vector
from mlc.passes.common.rewriting import defining_op

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
class Rows:
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
            if op.name == "vector.from_elements":
                return _joined_rows(op) or _extracts(tile, places)
            if op.name == "vector.broadcast" and op.operands[0].type == _row_type(tile.type):
                return [op.operands[0]] * len(places)
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
        if isinstance(first, ir.Block) or first.name != "vector.to_elements":
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
