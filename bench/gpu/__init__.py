"""Compiled programs for GPUs, verified and timed beside their peers on a machine that has one."""
