"""Passes from launches to launches: pipelining, warp specialisation, split-K."""
