"""Compares the code that models and kernels become with a record of it (`make same-code`)."""
