"""Helpers of schedules: their state, the builder, loops, the categories of contractions."""
