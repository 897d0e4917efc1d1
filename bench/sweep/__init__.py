"""A sweep of single operators, drawn by a seed, beside ONNX Runtime and OpenVINO: `python -m bench.sweep`."""
