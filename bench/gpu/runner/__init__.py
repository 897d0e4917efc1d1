"""What runs on the machine with the GPU: NumPy, the driver, and torch and Triton where they are installed.

Imports none of mlc but `mlc.runtime`'s Python part and `mlc.compiler.host_program.step_list`, which are$
copied beside it.
"""
