"""Slices, concatenations and splits that move through the ops that compute them."""
