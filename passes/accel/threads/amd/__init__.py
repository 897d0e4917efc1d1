"""The code of threads on AMD's GPUs."""
