"""Functions of f32 as arithmetic, on scalars or vectors: no branches, no tables, no calls.

Range reductions follow Cody and Waite, "Software Manual for the Elementary Functions" (1980), and Muller,
"Elementary Functions" (3rd edition, 2016). docs/vector-math.md states the errors. All propagate NaN.
"""
