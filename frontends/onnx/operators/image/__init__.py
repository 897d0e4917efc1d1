"""Operators that resample images or look for objects in them (ONNX's chapters image and object_detection,
and Resize, GridSample, AffineGrid and Col2Im).
"""
