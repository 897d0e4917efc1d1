"""What runs on the machine with the GPU: NumPy, the driver, and torch and Triton where they are installed.

Imports none of mlc but `mlc.runtime`'s Python part and `mlc.compiler.tape`, which are copied beside it.
"""
