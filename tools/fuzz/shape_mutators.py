"""Mutations of the shapes of inputs. Each returns another case, or None if it does not apply.

The case may be invalid, which the oracles then find.
"""

from __future__ import annotations

import numpy as np

from mlc.tools.fuzz.case import Arrays, FuzzCase
from mlc.tools.fuzz.random_draws import EXTENTS, pick, resize


def change_extent(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Gives all dims of one extent another one, in all inputs."""
    old = _extent(rng, case)
    return case.with_inputs(_replace_extent(rng, case, old, pick(rng, EXTENTS))) if old is not None else None


def empty_extent(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Makes all dims of one extent zero."""
    old = _extent(rng, case)
    return case.with_inputs(_replace_extent(rng, case, old, 0)) if old is not None else None


def change_dim(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Gives one dim of one input another extent."""
    name = _pick_ranked(rng, case)
    if name is None:
        return None
    shape = list(case.inputs[name].shape)
    shape[rng.integers(len(shape))] = pick(rng, EXTENTS)
    return _reshape(rng, case, name, shape)


def broadcast(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Makes a dim of one input 1, or leaves out its first dims, or makes it a scalar."""
    name = _pick_ranked(rng, case)
    if name is None:
        return None
    shape = list(case.inputs[name].shape)
    kept = int(rng.integers(len(shape) + 1))
    if rng.random() < 0.5:
        return _reshape(rng, case, name, shape[kept:])
    shape[kept % len(shape)] = 1
    return _reshape(rng, case, name, shape)


def add_dim(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Puts a dim before those of one input, or of all."""
    extent, names = pick(rng, EXTENTS[1:8]), list(case.inputs)
    if not names:
        return None
    chosen = names if rng.random() < 0.3 else [pick(rng, names)]
    inputs = {
        name: resize(rng, array, (extent, *array.shape)) if name in chosen else array
        for name, array in case.inputs.items()
    }
    return case.with_inputs(inputs)


def all_scalars(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Makes every input a scalar."""
    return case.with_inputs({name: resize(rng, array, ()) for name, array in case.inputs.items()})


def _extent(rng: np.random.Generator, case: FuzzCase) -> int | None:
    """Draws an extent of an input; None if all are scalars."""
    extents = [extent for array in case.inputs.values() for extent in array.shape]
    return pick(rng, extents) if extents else None


def _pick_ranked(rng: np.random.Generator, case: FuzzCase) -> str | None:
    names = [name for name, array in case.inputs.items() if array.ndim]
    return pick(rng, names) if names else None


def _reshape(rng: np.random.Generator, case: FuzzCase, name: str, shape: list[int]) -> FuzzCase:
    return case.with_inputs({**case.inputs, name: resize(rng, case.inputs[name], shape)})


def _replace_extent(rng: np.random.Generator, case: FuzzCase, old: int, new: int) -> Arrays:
    """Replaces an extent in all inputs, also where elements of integer vectors, which may be sizes, equal
    it."""
    inputs = {}
    for name, array in case.inputs.items():
        shape = [new if extent == old else extent for extent in array.shape]
        inputs[name] = array if shape == list(array.shape) else resize(rng, array, shape)
        if array.dtype == np.int64 and array.ndim == 1 and shape == list(array.shape):
            inputs[name] = np.where(array == old, new, array)
    return inputs
