"""The host program: its memory, its transfers, its entry."""
