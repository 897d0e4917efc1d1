"""Graph functions: kernels and graph ops, called from Python on symbols, become one program."""
