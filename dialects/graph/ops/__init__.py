"""The definitions of the graph ops, one module per family."""
