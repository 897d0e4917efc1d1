"""What reads a part of a tensor says of it."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.common.constants import index_constant


def slice_offsets(op: ir.Operation) -> list[ir.Value]:
    """The offsets of a `tensor.extract_slice` as values."""
    dynamic = iter(list(op.operands)[1:])
    unknown = ir.ShapedType.get_dynamic_size()
    return [
        next(dynamic) if offset == unknown else index_constant(offset)
        for offset in op.attributes["static_offsets"]
    ]
