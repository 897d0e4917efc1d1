"""Lowering rules: one file for each family of graph ops."""
