"""Random models as exporters write them: PyTorch's two, keras2onnx, tf2onnx, PaddlePaddle, quantisers."""
