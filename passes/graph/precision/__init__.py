"""Products in lower precision, and values in narrower types."""
