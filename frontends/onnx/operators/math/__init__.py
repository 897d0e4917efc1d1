"""Elementwise arithmetic and logic, products, reductions, transforms and quantised products (ONNX's
chapters math, logical, reduction and quantization).
"""
