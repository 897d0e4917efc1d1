"""Primitives on structured computations, through upstream's transforms."""
