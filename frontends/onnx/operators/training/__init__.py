"""Gradient and the optimizers of ai.onnx.preview.training."""
