"""What operators of several chapters compute with: dynamic values, windows, attention heads, tables."""
