"""The code of threads on NVIDIA's GPUs."""
