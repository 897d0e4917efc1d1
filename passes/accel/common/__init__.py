"""Helpers of passes on programs of thread blocks: layouts, shared memory, tensor maps, axis info."""
