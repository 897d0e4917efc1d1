"""Strings, sequences and optionals (ONNX's chapters text, sequence and optional)."""
