"""What depends on constants only and is computed once, in @prepare, within a budget."""
