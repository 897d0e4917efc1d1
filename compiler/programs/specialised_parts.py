"""One executable of a program with named dims and of programs for single sizes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlc.runtime.deduplicated_arrays import SharedBytes
from mlc.runtime.manifest import SPECIALISED_FORMAT

Parts = tuple[dict[str, Any], list[bytes], dict[str, np.ndarray]]


def combined(general: Parts, others: Sequence[tuple[Mapping[str, int], Parts]]) -> Parts:
    """Manifest, objects and weights with those of `others`, each for its sizes. Equal weights are stored
    once."""
    if not others:
        return general
    manifest, objects, weights = general[0], list(general[1]), dict(general[2])
    shared = SharedBytes(weights)
    entries = []
    for number, (sizes, (own, code, arrays)) in enumerate(others):
        names: dict[str, str] = {}
        for name, array in arrays.items():
            # A program's weights have names of their own, also where two of them are equal.
            known = (found for found, _ in shared.find(array) if found not in names.values())
            names[name] = next(known, f"s{number}.{name}")
            if names[name] not in weights:
                weights[names[name]] = array
                shared.add(names[name], array)
        specs = [spec | {"name": names[spec["name"]]} for spec in own["weights"]]
        entries.append({"sizes": dict(sizes), "objects": len(code), "manifest": own | {"weights": specs}})
        objects += code
    return manifest | {"format": SPECIALISED_FORMAT, "specialised": entries}, objects, weights
