"""Node-level and algebraic simplification: tables of rules, and the passes that apply them."""
