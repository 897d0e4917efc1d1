"""Layers of neural networks: convolution, pooling, normalisation, attention, recurrent layers (ONNX's
chapters nn and rnn).
"""
