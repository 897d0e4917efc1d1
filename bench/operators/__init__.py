"""Operators of which a call is short, beside ONNX Runtime: tables, strings and recurrent networks."""
