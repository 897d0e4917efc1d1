"""Passes from launches to launches: pipelining, specialised warps, split reductions."""
