"""Makes a case smaller while it stays interesting."""

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


def shrink(case: FuzzCase, interesting: Interesting, trials: int = _TRIALS) -> FuzzCase:
    """Returns the smallest interesting case found with at most `trials` trials: fewer nodes first, then fewer
    attributes and inputs, smaller dims, simpler values."""
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
    """Yields valid smaller cases, the most promising first; of a case with several calls those of one."""
    if len(case.single_calls()) > 1:
        yield from case.single_calls()
        return
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
        except (
            Exception
        ):  # shape inference, NumPy and oracles raise many types of exception for an invalid model
            continue
        if candidate is not None:
            yield candidate


Candidates = Iterator[Callable[[], FuzzCase | None]]


def without_nodes(case: FuzzCase) -> Candidates:
    """Yields cases without one node, whose results become inputs with the values that an oracle computes."""
    for index in range(len(case.nodes) if len(case.nodes) > 1 else 0):
        yield lambda index=index: _without_node(case, index)


def _without_node(case: FuzzCase, index: int) -> FuzzCase:
    values = all_values(case.model, case.inputs)
    model = case.copy_model()
    gone = set(model.graph.node[index].output)
    del model.graph.node[index]
    made = [name for node in model.graph.node for name in node.output if name]
    read = {name for node in model.graph.node for name in node.input}
    inputs = {**case.inputs, **{name: values[name] for name in gone & read if name}}
    kept = [info.name for info in model.graph.output if info.name not in gone]
    give_outputs(model, kept or [name for name in made if name not in read])
    return without_unread(replace(case, inputs=inputs), model)


def fewer_outputs(case: FuzzCase) -> Candidates:
    """Yields cases without one of the model's outputs."""
    names = [info.name for info in case.model.graph.output]
    for name in names if len(names) > 1 else ():
        yield lambda name=name: _with_outputs(case, [other for other in names if other != name])


def _with_outputs(case: FuzzCase, names: list[str]) -> FuzzCase:
    model = case.copy_model()
    give_outputs(model, names)
    return case.with_inputs(case.inputs, model)


def fewer_attributes(case: FuzzCase) -> Candidates:
    """Yields cases with one attribute left to its default."""
    for node_index, node in enumerate(case.nodes):
        for index in range(len(node.attribute)):
            yield lambda node_index=node_index, index=index: _without_attribute(case, node_index, index)


def _without_attribute(case: FuzzCase, node_index: int, index: int) -> FuzzCase:
    model = case.copy_model()
    del model.graph.node[node_index].attribute[index]
    return case.with_inputs(case.inputs, model)


def fewer_inputs(case: FuzzCase) -> Candidates:
    """Yields cases without the last input of a node."""
    for index, node in enumerate(case.nodes):
        if len(node.input) > 1:
            yield lambda index=index: _without_last_input(case, index)


def _without_last_input(case: FuzzCase, index: int) -> FuzzCase:
    model = case.copy_model()
    names = model.graph.node[index].input
    del names[-1]
    while names and not names[-1]:
        del names[-1]
    return without_unread(case, model)


def smaller_dims(case: FuzzCase) -> Candidates:
    """Yields cases with all dims of one extent cut to 1, 2, or the half."""
    extents = {extent for array in case.inputs.values() for extent in array.shape}
    for old in sorted(extents, reverse=True):
        for new in sorted({1, 2, old // 2}):
            if new < old:
                yield lambda old=old, new=new: _cut(case, old, new)


def _cut(case: FuzzCase, old: int, new: int) -> FuzzCase:
    """Cuts dims of one extent, also where elements of integer vectors, which may be sizes, equal it."""
    inputs = {}
    for name, array in case.inputs.items():
        kept = array[tuple(slice(new) if extent == old else slice(None) for extent in array.shape)]
        is_sizes = array.dtype == np.int64 and array.ndim == 1 and kept.shape == array.shape
        inputs[name] = np.where(kept == old, new, kept) if is_sizes else np.ascontiguousarray(kept)
        inputs[name] = inputs[name].reshape(kept.shape)
    return case.with_inputs(inputs)


def simpler_values(case: FuzzCase) -> Candidates:
    """Yields cases with a floating-point input of zeros, of ones, or rounded."""
    for name, array in case.inputs.items():
        if not is_float(array.dtype) or not array.size:
            continue
        for simpler in (np.zeros_like(array), np.ones_like(array), _round(array)):
            if _weight(simpler) < _weight(array):
                yield lambda name=name, simpler=simpler: case.with_inputs({**case.inputs, name: simpler})


def _round(array: np.ndarray) -> np.ndarray:
    return np.asarray(np.round(array.astype(np.float64))).astype(array.dtype)


def _weight(array: np.ndarray) -> int:
    """Returns the complexity of an array: its distinct values, of which small integers are simple."""
    values = np.unique(array.astype(np.float64))
    plain = np.isin(values, np.arange(-4.0, 5.0))
    return 2 * len(values) + 20 * int((~plain).sum()) + int((values != 0).sum())


def plainer(case: FuzzCase) -> Candidates:
    """Yields cases with fewer open dims and fewer constant inputs."""
    if case.variant != "static":
        yield lambda: replace(case, variant="static")
    if case.dims:
        yield case.with_static_dims
    for opened in sorted({name for names in case.dims.values() for name in names if name}):
        yield lambda opened=opened: _close(case, opened)
    for name in sorted(case.fixed):
        yield lambda name=name: replace(case, fixed=case.fixed - {name})


def _close(case: FuzzCase, opened: str) -> FuzzCase:
    """Makes an open dim static."""
    dims = {key: ["" if name == opened else name for name in names] for key, names in case.dims.items()}
    return replace(case, dims=dims).with_inputs(case.inputs)
