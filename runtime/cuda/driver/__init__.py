"""The CUDA driver's API: devices, memory, streams, modules, launches and graphs."""
