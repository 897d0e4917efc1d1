"""The runner on the machine with the GPU: uses NumPy, the driver, and torch and Triton if installed.

Imports nothing of mlc but `mlc.runtime`'s Python part and `mlc.compiler.host_program.step_list`, which are
copied beside it.
"""
