"""Exports architectures of published packages to ONNX, with seeded weights.

This runs in an environment with PyTorch and the packages of `requirements.txt`, without mlc: besides these it
imports `bench.zoo` alone. A module holds the architectures of one package, or of one part of a large one.
"""
