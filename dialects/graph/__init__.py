"""The `graph` dialect: one op per mathematical operator, on tensors.

`build` makes ops, `attribute` reads their attributes, `shape_of` and `element_type` their values' types.
The op classes are attributes of this module under their own names (`MatmulOp`); `specs()` lists the
definitions as data.
"""

from __future__ import annotations

# Importing a family's module defines its ops.
from . import (  # noqa: F401
    contraction,
    convolution,
    creation,
    elementwise,
    layout,
    movement,
    normalisation,
    pooling,
    quantisation,
    reduction,
    selection,
)
from .attributes import array_of, attribute
from .builder import build, infer
from .dialect import Graph, make_op_class
from .reference import document
from .spec import OpSpec, ShapeError, specs
from .types import element_type, shape_of
from .verifier import check, describe, refined_types

OP_CLASSES = {spec.name: make_op_class(spec, document(spec)) for spec in specs().values()}
globals().update({op_class.__name__: op_class for op_class in OP_CLASSES.values()})

__all__ = [
    "OP_CLASSES",
    "Graph",
    "OpSpec",
    "ShapeError",
    "array_of",
    "attribute",
    "build",
    "check",
    "describe",
    "element_type",
    "infer",
    "refined_types",
    "shape_of",
    "specs",
]
