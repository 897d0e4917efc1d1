"""Identities of reductions, which replace padding of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.representations import Extent


def mask_padding(
    code: Emission, space: Space, value: ir.Value, dims: Sequence[int], filler: str = "zero"
) -> ir.Value:
    """Replaces elements of a vector of the iteration space past its extents along `dims` by an identity."""
    if all(space.extents[dim].whole for dim in dims):
        return value
    shown = [
        extent if dim in dims else Extent(extent.padded, extent.padded)
        for dim, extent in enumerate(space.extents)
    ]
    return arith.SelectOp(code.mask(shown), value, identity_vector(value.type, filler)).result


def identity_vector(vector_type: ir.VectorType, name: str) -> ir.Value:
    """Builds a splat of an identity: "zero", "one", "ones" (all bits), "least" or "greatest"."""
    constant = arith.ConstantOp(vector_type.element_type, _identity(vector_type.element_type, name)).result
    return vector.BroadcastOp(vector_type, constant).result


def _identity(element: ir.Type, name: str) -> ir.Attribute:
    if isinstance(element, ir.IntegerType):
        top = 1 << (element.width - 1)
        values = {"zero": 0, "one": 1, "ones": -1, "least": -top, "greatest": top - 1}
        return ir.IntegerAttr.get(element, values[name])
    floats = {"zero": 0.0, "one": 1.0, "least": float("-inf"), "greatest": float("inf")}
    return ir.FloatAttr.get(element, floats[name])
