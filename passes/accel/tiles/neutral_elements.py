"""Padding of vectors, in whose place comes what changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.representations import Extent


def without_padding(
    code: Emission, space: Space, value: ir.Value, dims: Sequence[int], filler: str = "zero"
) -> ir.Value:
    """A vector of the space's shape, with what changes nothing in place of what lies beyond `dims`."""
    if all(space.extents[dim].whole for dim in dims):
        return value
    shown = [
        extent if dim in dims else Extent(extent.padded, extent.padded)
        for dim, extent in enumerate(space.extents)
    ]
    return arith.SelectOp(code.mask(shown), value, neutral_vector(value.type, filler)).result


def neutral_vector(kind: ir.VectorType, name: str) -> ir.Value:
    """A number everywhere: "zero", "one", "ones" (all bits), "least" or "greatest"."""
    constant = arith.ConstantOp(kind.element_type, _neutral(kind.element_type, name)).result
    return vector.BroadcastOp(kind, constant).result


def _neutral(kind: ir.Type, name: str) -> ir.Attribute:
    if isinstance(kind, ir.IntegerType):
        top = 1 << (kind.width - 1)
        values = {"zero": 0, "one": 1, "ones": -1, "least": -top, "greatest": top - 1}
        return ir.IntegerAttr.get(kind, values[name])
    floats = {"zero": 0.0, "one": 1.0, "least": float("-inf"), "greatest": float("inf")}
    return ir.FloatAttr.get(kind, floats[name])
