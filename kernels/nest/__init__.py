"""Explicit loop nests: the source of a Python function becomes affine and scf loops on memrefs."""

# Importing these defines what expressions mean.
from mlc.kernels.nest import (  # noqa: F401
    calls,
    name_lookup,
    operators,
)
from mlc.kernels.nest.build import build_body

__all__ = ["build_body"]
