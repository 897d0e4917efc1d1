"""Explicit loop nests: the source of a Python function becomes affine and scf loops on memrefs."""

from mlc.kernels.nest.build import build_body

__all__ = ["build_body"]
