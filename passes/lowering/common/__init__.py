"""Scalar arithmetic, conversions, and the table of lowering rules."""
