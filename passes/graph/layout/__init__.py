"""Layouts: blocked channels, channels last, packed and padded weights, transposes that sink."""
