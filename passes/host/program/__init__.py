"""Builds host functions on buffers, of static and dynamic sizes."""
