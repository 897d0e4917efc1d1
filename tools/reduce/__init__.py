"""mlc-reduce: shrinks an input that fails, with a test that says whether a smaller one still does."""
