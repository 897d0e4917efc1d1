"""Ablation: the effect of each graph pass, of fusion and of the memory planner on models."""
