"""Rules for ops that copy elements or convert them: identity, cast, pad, expand, tile, pooling by one."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import FLOAT, INTEGER
from mlc.dialects.graph.types import element_name
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import is_static

# Bits that hold an integer: significand of floats, digits of integers.
_DIGITS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
_EXPONENT_BITS = {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}


def same(op: ir.Operation) -> ir.Value:
    """The operand itself."""
    return graph.Identity(op).x


def cast_to_own_type(op: ir.Operation) -> ir.Value | None:
    """The operand, where it has the result's type."""
    cast = graph.Cast(op)
    return cast.x if cast.x.type == cast.result.type else None


def _digits(element_type: str) -> int:
    """Binary digits of the largest integer up to which a type represents all integers; 1 for i1."""
    if element_type in _DIGITS:
        return _DIGITS[element_type]
    return int(element_type[2:]) if element_type.startswith("ui") else max(1, int(element_type[1:]) - 1)


def holds(wide: str, narrow: str) -> bool:
    """Whether every value of the element type `narrow` is one of `wide`."""
    known = FLOAT.members | INTEGER.members | {"i1"}
    if not {wide, narrow} <= known or (wide == "i1" and narrow != "i1"):
        return False
    if narrow in _DIGITS:
        reaches = _EXPONENT_BITS.get(wide, 0) >= _EXPONENT_BITS[narrow]
        return reaches and _DIGITS[wide] >= _DIGITS[narrow]
    loses_sign = wide.startswith("ui") and narrow.startswith("i") and narrow != "i1"
    return _digits(wide) >= _digits(narrow) and not loses_sign


def cast_of_cast(op: ir.Operation) -> ir.Value | None:
    """Two casts of which the first loses nothing: one, or none."""
    cast = graph.Cast(op)
    inner = graph.Cast.defining(cast.x)
    if inner is None:
        return None
    x, result = inner.x, cast.result
    first, middle, last = (element_name(graph.element_type(value)) for value in (x, cast.x, result))
    if not holds(middle, first):
        return None
    if first == last:
        return x
    # A float to an integer that is too small for it gives what the machine gives: that stays as it is.
    if not holds(last, last) or (middle in _DIGITS and last not in _DIGITS and last != "i1"):
        return None
    return graph.build("cast", [x], {}, result.type)


def pad_by_nothing(op: ir.Operation) -> ir.Value | None:
    """No element before or after any dim."""
    pad = graph.Pad(op)
    amounts = (*pad.low, *pad.high)
    return None if any(amounts) else pad.x


def expand_to_own_shape(op: ir.Operation) -> ir.Value | None:
    """The same type."""
    expand = graph.Expand(op)
    x = expand.x
    return x if graph.same_type(x, expand.result) else None


def expand_of_expand(op: ir.Operation) -> ir.Value | None:
    """expand(expand(x)): the outer one."""
    expand = graph.Expand(op)
    inner, result = defining_op(expand.x, graph.Expand.NAME), expand.result
    return None if inner is None else graph.expand_to(inner.operands[0], graph.dims_of(result))


def tile_once(op: ir.Operation) -> ir.Value | None:
    """One copy of every dim."""
    tile = graph.Tile(op)
    return tile.x if all(count == 1 for count in tile.repeats) else None


def tile_of_tile(op: ir.Operation) -> ir.Value | None:
    """Merges copies of copies: the product of their repetitions."""
    tile = graph.Tile(op)
    inner = graph.Tile.defining(tile.x)
    if inner is None:
        return None
    both = zip(inner.repeats, tile.repeats, strict=True)
    repeats = [a * b for a, b in both]
    return graph.build("tile", [inner.x], {"repeats": repeats}, tile.result.type)


def movement_of_fill(op: ir.Operation) -> ir.Value | None:
    """Movement inside a tensor of one value: that tensor of the new shape."""
    source = defining_op(op.operands[0], graph.Full.NAME)
    result = op.results[0]
    if source is None or not is_static(result):
        return None
    return graph.build("full", [], {"value": source.attributes["value"]}, result.type, source.location)


def window_of_one(op: ir.Operation) -> ir.Value | None:
    """Maximum over windows of one element, each of them: the operand."""
    ones = all(count == 1 for name in ("kernel", "strides") for count in graph.attribute(op, name))
    return op.operands[0] if ones and not any(graph.attribute(op, "pads")) else None


def transpose_beside_units(op: ir.Operation) -> ir.Value | None:
    """A transpose whose operand or result ends with a dim of 1: one of the other dims, between reshapes, so
    that its rows are of several elements."""
    transpose, permutation = graph.Transpose(op), list(graph.Transpose(op).permutation)
    shape, dims = graph.shape_of(transpose.x), graph.dims_of(transpose.x)
    if not shape or 1 not in (shape[-1], shape[permutation[-1]]):
        return None
    kept = [axis for axis, extent in enumerate(shape) if extent != 1]
    flat = graph.reshape_to(transpose.x, [dims[axis] for axis in kept])
    moved = [kept.index(axis) for axis in permutation if axis in kept]
    return graph.reshape_to(
        graph.build("transpose", [flat], {"permutation": moved}), graph.dims_of(op.results[0])
    )


RULES: Rules = {
    graph.Identity.NAME: (same,),
    graph.Cast.NAME: (cast_to_own_type, cast_of_cast),
    graph.Pad.NAME: (pad_by_nothing,),
    graph.Expand.NAME: (expand_to_own_shape, expand_of_expand, movement_of_fill),
    graph.Tile.NAME: (tile_once, tile_of_tile, movement_of_fill),
    graph.MaxPool.NAME: (window_of_one,),
    graph.Slice.NAME: (movement_of_fill,),
    graph.Transpose.NAME: (movement_of_fill, transpose_beside_units),
}
