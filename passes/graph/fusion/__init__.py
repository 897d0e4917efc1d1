"""Placement of ops on devices, groups of ops, and the kernels made of them."""
