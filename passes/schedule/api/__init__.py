"""The table of primitives, the passes that apply schedules, and mlc.Schedule."""
