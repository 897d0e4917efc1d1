"""What each graph pass, fusion and the memory planner bring: the same models without it."""
