"""Makes a case smaller while it still shows what it showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from mlc.tools.fuzz.case import FuzzCase
from mlc.tools.fuzz.node_mutators import without_unread
from mlc.tools.fuzz.oracles import all_values, give_outputs
from mlc.tools.fuzz.random_draws import is_float

Interesting = Callable[[FuzzCase], bool]
_TRIALS = 120


def shrunk(case: FuzzCase, interesting: Interesting, trials: int = _TRIALS) -> FuzzCase:
    """The smallest case found by at most so many trials: fewer nodes first, then fewer attributes and inputs,
    smaller dims, simpler values. Each step is kept if the smaller case is interesting."""
    left = trials
    while True:
        for candidate in _smaller(case):
            if left <= 0:
                return case
            left -= 1
            if interesting(candidate):
                case = replace(candidate, steps=case.steps)
                break
        else:
            return case


def _smaller(case: FuzzCase) -> Iterator[FuzzCase]:
    """Smaller cases, the most promising first; those that make no sense are left out."""
    steps = (
        without_nodes,
        fewer_outputs,
        fewer_attributes,
        fewer_inputs,
        smaller_dims,
        simpler_values,
        plainer,
    )
    for step in steps:
        yield from _sensible(step(case))


def _sensible(candidates: Iterable[Callable[[], FuzzCase | None]]) -> Iterator[FuzzCase]:
    for make in candidates:
        try:
            candidate = make()
        except Exception:  # shape inference, NumPy and oracles say in many ways that a model is wrong
            continue
        if candidate is not None:
            yield candidate


Candidates = Iterator[Callable[[], FuzzCase | None]]


def without_nodes(case: FuzzCase) -> Candidates:
    """Without one node: what others read of it become inputs, with the values that an oracle computes."""
    for index in range(len(case.nodes) if len(case.nodes) > 1 else 0):
        yield lambda index=index: _without_node(case, index)


def _without_node(case: FuzzCase, index: int) -> FuzzCase:
    values = all_values(case.model, case.inputs)
    model = case.copied()
    gone = set(model.graph.node[index].output)
    del model.graph.node[index]
    made = [name for node in model.graph.node for name in node.output if name]
    read = {name for node in model.graph.node for name in node.input}
    inputs = {**case.inputs, **{name: values[name] for name in gone & read if name}}
    kept = [info.name for info in model.graph.output if info.name not in gone]
    give_outputs(model, kept or [name for name in made if name not in read])
    return without_unread(replace(case, inputs=inputs), model)


def fewer_outputs(case: FuzzCase) -> Candidates:
    """Without one of the model's outputs."""
    names = [info.name for info in case.model.graph.output]
    for name in names if len(names) > 1 else ():
        yield lambda name=name: _with_outputs(case, [each for each in names if each != name])


def _with_outputs(case: FuzzCase, names: list[str]) -> FuzzCase:
    model = case.copied()
    give_outputs(model, names)
    return case.with_inputs(case.inputs, model)


def fewer_attributes(case: FuzzCase) -> Candidates:
    """With one attribute left to its default."""
    for place, node in enumerate(case.nodes):
        for index in range(len(node.attribute)):
            yield lambda place=place, index=index: _without_attribute(case, place, index)


def _without_attribute(case: FuzzCase, place: int, index: int) -> FuzzCase:
    model = case.copied()
    del model.graph.node[place].attribute[index]
    return case.with_inputs(case.inputs, model)


def fewer_inputs(case: FuzzCase) -> Candidates:
    """Without the last input of a node."""
    for place, node in enumerate(case.nodes):
        if len(node.input) > 1:
            yield lambda place=place: _without_last_input(case, place)


def _without_last_input(case: FuzzCase, place: int) -> FuzzCase:
    model = case.copied()
    names = model.graph.node[place].input
    del names[-1]
    while names and not names[-1]:
        del names[-1]
    return without_unread(case, model)


def smaller_dims(case: FuzzCase) -> Candidates:
    """All dims of one extent cut to 1, 2, or the half."""
    extents = {extent for array in case.inputs.values() for extent in array.shape}
    for old in sorted(extents, reverse=True):
        for new in sorted({1, 2, old // 2}):
            if new < old:
                yield lambda old=old, new=new: _cut(case, old, new)


def _cut(case: FuzzCase, old: int, new: int) -> FuzzCase:
    """Vectors of sizes follow."""
    inputs = {}
    for name, array in case.inputs.items():
        kept = array[tuple(slice(new) if extent == old else slice(None) for extent in array.shape)]
        is_sizes = array.dtype == np.int64 and array.ndim == 1 and kept.shape == array.shape
        inputs[name] = np.where(kept == old, new, kept) if is_sizes else np.ascontiguousarray(kept)
        inputs[name] = inputs[name].reshape(kept.shape)
    return case.with_inputs(inputs)


def simpler_values(case: FuzzCase) -> Candidates:
    """One input of floats all zeros, all ones, or rounded."""
    for name, array in case.inputs.items():
        if not is_float(array.dtype) or not array.size:
            continue
        for simpler in (np.zeros_like(array), np.ones_like(array), _rounded(array)):
            if _weight(simpler) < _weight(array):
                yield lambda name=name, simpler=simpler: case.with_inputs({**case.inputs, name: simpler})


def _rounded(array: np.ndarray) -> np.ndarray:
    return np.asarray(np.round(array.astype(np.float64))).astype(array.dtype)


def _weight(array: np.ndarray) -> int:
    """How many different values there are, and how many of them are no small integers."""
    values = np.unique(array.astype(np.float64))
    plain = np.isin(values, np.arange(-4.0, 5.0))
    return 2 * len(values) + 20 * int((~plain).sum()) + int((values != 0).sum())


def plainer(case: FuzzCase) -> Candidates:
    """With inputs that are no constants."""
    if case.variant != "static":
        yield lambda: replace(case, variant="static")
    for name in sorted(case.fixed):
        yield lambda name=name: replace(case, fixed=case.fixed - {name})
