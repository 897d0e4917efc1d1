"""Code of one thread that is the same on all GPUs."""
