"""Operators that make, cast, move and index tensors (ONNX's chapters tensor and generator)."""
