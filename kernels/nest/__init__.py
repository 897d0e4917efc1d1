"""Explicit loop nests: the source of a Python function becomes affine and scf loops on memrefs."""

# Importing these defines what expressions mean.
from mlc.kernels.nest import calls, names, operators  # noqa: F401
from mlc.kernels.nest.build import build_body

__all__ = ["build_body"]
