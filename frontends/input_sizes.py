"""Sizes of dims that callers give."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from mlc.frontends.option_names import dims_option, shape_option


def wrong_sizes(sizes: Iterable[object], least: int = 0) -> str:
    """Returns the message for the first of `sizes` that is no integer in [`least`, 2^63 - 1], the range of
    MLIR's types; "" if all are."""
    for size in sizes:
        with suppress(TypeError):
            if least <= operator.index(size) < 1 << 63:  # type: ignore[arg-type]
                continue
        return f"{size!r} is no size: an integer from {least} to 2^63 - 1"
    return ""


def sizes_by_name(
    inputs: Iterable[tuple[str, Sequence[str | None]]],
    dims: Mapping[str, int],
    shapes: Mapping[str, Sequence[int]],
) -> dict[str, int]:
    """Returns `dims` together with the sizes that `shapes`, by input, gives to named dims (-1 gives none).

    `inputs` are pairs of an input's name and the names of its dims. Raises ValueError, which names both
    options, where a name gets two sizes.
    """
    found = {name: (size, dims_option({name: size})) for name, size in dims.items()}
    for input_name, names in inputs:
        given = shapes.get(input_name, ())
        option = shape_option(input_name, given)
        # Shapes of another rank are refused where they are put in.
        for name, size in zip(names, given, strict=False):
            if name and size >= 0:
                first, by = found.setdefault(name, (size, option))
                if first != size:
                    both = f"{first} by {by}, and {size} by {option}"
                    both = f"{first} and {size} by {option}" if by == option else both
                    raise ValueError(f"the dim '{name}' gets two sizes: {both}")
    return {name: size for name, (size, _) in found.items()}
