"""Helpers that all passes share: rewriting, builders of ops, kernel functions, the target, affine forms."""
