"""Branches and loops of graphs: simplification and loop-invariant code motion."""
