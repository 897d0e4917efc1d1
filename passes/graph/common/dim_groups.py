"""The correspondence of the dims of two shapes with equally many elements."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.sizes import Size, exact_quotient, product

Dim = int | Size


def dim_groups(old: Sequence[Dim], new: Sequence[Dim]) -> list[tuple[list[int], list[int]]] | None:
    """Pairs of runs of dims of `old` and `new` with equal products, as short as possible; None if they do
    not align."""
    groups, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        olds, news = [i] if i < len(old) else [], [j] if j < len(new) else []
        i, j = i + len(olds), j + len(news)
        while (one := product([old[d] for d in olds])) != (other := product([new[d] for d in news])):
            shorter = _lacks_dims(one, other)
            if shorter is None:
                return None
            if shorter:
                if i == len(old):
                    return None
                olds.append(i)
                i += 1
            else:
                if j == len(new):
                    return None
                news.append(j)
                j += 1
        groups.append((olds, news))
    return groups


def _lacks_dims(one: Dim, other: Dim) -> bool | None:
    """Whether the first of two products of dims that should be equal lacks dims, rather than the other one;
    None where that depends on the values of named dims."""
    if isinstance(one, int) and isinstance(other, int):
        return one < other
    if one == 0 or other == 0:
        return None
    if exact_quotient(other, one) is not None:
        return True
    return None if exact_quotient(one, other) is None else False
