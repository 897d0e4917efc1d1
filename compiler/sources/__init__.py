"""Models that can be compiled: ONNX models, and modules of the graph dialect."""
