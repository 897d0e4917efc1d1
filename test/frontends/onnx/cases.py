"""All cases, by name: `CASES[name].model()` and `.inputs(seed)`.

One per operator and interesting set of attributes or opset. The numeric tests run the same cases.
"""

from __future__ import annotations

from importlib import import_module

from case import CASES, Case

__all__ = ["CASES", "Case"]

# Importing a module adds its cases.
for _module in ("elementwise", "movement", "indexing", "images", "numeric", "functions", "types"):
    import_module(f"cases_{_module}")
