"""One small function per ONNX operator."""
