"""The names of mlc's dialects, known without loading them."""

from __future__ import annotations

OUR_DIALECTS = ("accel", "graph", "tloop")
