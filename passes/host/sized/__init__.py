"""Host functions with dynamic sizes: memory is allocated at run time."""
