"""Operators of the domain ai.onnx.ml: trees, linear models, support vectors, encoders."""

MACHINE_LEARNING = "ai.onnx.ml"
