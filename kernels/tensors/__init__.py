"""Tensor expressions: what a function computes per element becomes `linalg.generic` ops on tensors."""
