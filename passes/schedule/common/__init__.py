"""What schedules share: their state, the builder, loops, the categories of contractions."""
