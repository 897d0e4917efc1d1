"""graph-name-dims: what is known of dims before the program runs, written at the ops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects.graph.dims.function_dims import NAMES, Dims, names_attribute
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import Pass


@dataclass(frozen=True)
class NameDims(Pass):
    """Give each op with a result of dynamic dims the attribute `graph.dims`: per result its dims as sums of
    products of named dims, such as "2*batch*seq + 1"; "" for static dims.

    Names are those of the function's arguments (`graph.dims` on them, as the importer writes it, or
    "arg0.shape[1]"), and "nonzero#3.shape[0]" for a dim that is known after the op has run. Equal texts are
    equal sizes. The elements of small integer tensors are followed through shape arithmetic.
    """

    name: ClassVar[str] = "graph-name-dims"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        dims = Dims(op)
        with op.context:
            for inner in [child.operation for child in op.regions[0].blocks[0]]:
                shapes = [dims.of(value) for value in inner.results]
                if any(isinstance(dim, Size) for shape in shapes for dim in shape):
                    inner.attributes[NAMES] = names_attribute(shapes)
