"""What threads of NVIDIA's GPUs have of their own."""
