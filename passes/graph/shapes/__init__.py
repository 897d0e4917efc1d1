"""Shapes of graph values: inference, named dims, dynamic sizes."""
