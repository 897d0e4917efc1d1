"""Weights of models: large constants by reference to memory-mapped files."""
