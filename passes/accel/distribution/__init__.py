"""The distribution of a thread block's program to its threads."""
