"""Prints kernels of loop_kernels.py: `print_kernel.py name M=4 N=8`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
module, _, name = sys.argv[1].partition(".")
found = getattr(import_module(module), name)
kernel = found(sys.argv.pop(2)) if name.endswith("_of") else found
pairs = (argument.split("=") for argument in sys.argv[2:])
print(kernel.mlir(**{key: int(value) for key, value in pairs}))
