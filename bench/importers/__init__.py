"""ONNX models for engines that do not read them: an evaluator, and operators in JAX and in PyTorch."""
