"""Operators of ONNX Runtime's domain com.microsoft, which its optimizers and exporters write."""

MICROSOFT = "com.microsoft"
