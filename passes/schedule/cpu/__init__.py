"""Default schedules of kernels of CPUs."""
