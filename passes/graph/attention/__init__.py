"""Attention in graphs: its heads, its decomposition, and which attention is one kernel."""
