"""Upstream's dialects: what the wheel's modules have, on first use, and views of their ops.

`scf.ForOp` and `scf.for_` are the wheel's and build ops, `scf.For` is a view and reads them. Using views
alone does not load the wheel's module of the dialect, which for the largest takes 60 ms.
"""
