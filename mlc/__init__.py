"""mlc: a machine-learning compiler written in Python on upstream MLIR."""
