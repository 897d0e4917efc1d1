"""Regular expressions of RE2's syntax, made into tables of deterministic automata."""
