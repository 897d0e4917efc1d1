"""The `graph` dialect: one op per mathematical operator, on tensors.

`build` makes ops, views such as `Conv` read them (docs/reading-ops.md); `attribute` reads an attribute of any
graph op and `write_defaults` adds those left out; `shape_of` and
`element_type` read their values' types. Dynamic dims are None in `shape_of` and sizes of
named dims in `dims_of`; `same_shape` and `same_type` compare those,
`reshape_to` and `expand_to` build with them.
`op_classes()` are the op classes by op name, `specs()` the definitions as data.
"""

from __future__ import annotations

from mlc.dialects.graph.dims.value_dims import dims_of, name_dims, same_shape, same_type

# Importing a family's module defines its ops.
from mlc.dialects.graph.ops import (
    activations,  # noqa: F401
    attention,  # noqa: F401
    checking,  # noqa: F401
    compaction,  # noqa: F401
    contraction,  # noqa: F401
    control,  # noqa: F401
    conversions,  # noqa: F401
    convolution,  # noqa: F401
    creation,  # noqa: F401
    elementwise,  # noqa: F401
    layout,  # noqa: F401
    movement,  # noqa: F401
    normalisation,  # noqa: F401
    objects,  # noqa: F401
    ordering,  # noqa: F401
    quantisation,  # noqa: F401
    reduction,  # noqa: F401
    reshaping,  # noqa: F401
    scatter,  # noqa: F401
    selection,  # noqa: F401
    shape_values,  # noqa: F401
    trees,  # noqa: F401
    winograd,  # noqa: F401
)
from mlc.dialects.graph.sized_builders import can_compute_dims, expand_to, reshape_to, sizes_vector

from . import views
from .attributes import array_of, attribute
from .builder import build, infer, write_defaults
from .dialect import GraphDialect, op_classes
from .regions import CONTROL_OPS, build_control, build_yield, has_effect, yield_of
from .spec import OpSpec, ShapeError, specs
from .types import element_type, shape_of
from .verifier import check, describe, refined_types
from .views import *  # noqa: F403

__all__ = [
    "CONTROL_OPS",
    "GraphDialect",
    "OpSpec",
    "ShapeError",
    "array_of",
    "attribute",
    "build",
    "build_control",
    "build_yield",
    "can_compute_dims",
    "check",
    "describe",
    "dims_of",
    "element_type",
    "expand_to",
    "has_effect",
    "infer",
    "name_dims",
    "op_classes",
    "refined_types",
    "reshape_to",
    "same_shape",
    "same_type",
    "shape_of",
    "sizes_vector",
    "specs",
    "write_defaults",
    "yield_of",
]
__all__ += views.__all__
