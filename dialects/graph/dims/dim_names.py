"""The attribute `graph.dims`: the sizes that ops and functions write at their tensors' dims."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import parse_size
from mlc.dialects.graph.types import tensor_of

# At an argument: the names of its dims, "" for static ones. At an op: the same per result.
NAMES = "graph.dims"
# At a loop: the same per argument of its body.
ARGUMENTS = "graph.argument_dims"
Shape = tuple[int | Size, ...]


def named_dims(value: ir.Value) -> list[int | Size | None]:
    """Returns the dims of a tensor value that its type, its op or its function write; None for the others."""
    shape: list[int | Size | None] = list(tensor_of(value.type, "value").shape or ())
    if None not in shape:
        return shape
    texts = _written_names(value)
    if len(texts) != len(shape):
        return shape
    return [parse_size(text) if dim is None and text else dim for dim, text in zip(shape, texts, strict=True)]


def argument_name(index: int, axis: int) -> str:
    """Returns the name of a function argument's dim that the function does not name."""
    return f"arg{index}.shape[{axis}]"


def _written_names(value: ir.Value) -> list[str]:
    if isinstance(value.owner, ir.Block):
        function = value.owner.owner
        if ARGUMENTS in function.attributes:
            return [name.value for name in function.attributes[ARGUMENTS][value.arg_number]]
        named = function.attributes.get("arg_attrs", [])
        entry = named[value.arg_number] if value.arg_number < len(named) else {}
        return [name.value for name in entry[NAMES]] if NAMES in entry else []
    op = value.owner.operation
    if NAMES not in op.attributes or value.result_number >= len(op.attributes[NAMES]):
        return []
    return [name.value for name in op.attributes[NAMES][value.result_number]]


def names_attribute(shapes: Sequence[Sequence[int | Size | None]]) -> ir.Attribute:
    """Returns the attribute `graph.dims`: per result its dims as text, "" for static ones."""
    return ir.ArrayAttr.get(
        [
            ir.ArrayAttr.get([ir.StringAttr.get(str(dim) if isinstance(dim, Size) else "") for dim in shape])
            for shape in shapes
        ]
    )
