"""Default schedules of kernels for thread blocks."""
