"""The version of this package, readable without the machinery that reads installed metadata."""

from __future__ import annotations

VERSION = "0.1.0"
