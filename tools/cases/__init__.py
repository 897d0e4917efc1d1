"""Cases of ONNX models run in worker processes: the suite of ONNX, variants of a model, workers, reasons."""
