"""What passes on programs of thread blocks share: layouts, shared memory, tensor maps, axis info."""
