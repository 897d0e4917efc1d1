"""Reductions in explicit loops: `out[i] = combine(out[i], x)`."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import address, arith, ir
from mlc.passes.schedule.nests.accesses import LOADS, STORES

# Combining op -> the name of the reduction in `vector.reduction`.
COMBINERS = {
    arith.AddF.NAME: "add",
    arith.AddI.NAME: "add",
    arith.MulF.NAME: "mul",
    arith.MulI.NAME: "mul",
    arith.MaximumF.NAME: "maximumf",
    arith.MinimumF.NAME: "minimumf",
    arith.MaxNumF.NAME: "maxnumf",
    arith.MinNumF.NAME: "minnumf",
    arith.MaxSI.NAME: "maxsi",
    arith.MinSI.NAME: "minsi",
    arith.MaxUI.NAME: "maxui",
    arith.MinUI.NAME: "minui",
    arith.AndI.NAME: "and",
    arith.OrI.NAME: "or",
    arith.XOrI.NAME: "xor",
}


@dataclass
class Update:
    """The step of a reduction: `store` writes the result of `combiner` on `load`, of the same element, and
    `term`."""

    load: ir.Operation
    store: ir.Operation
    combiner: ir.Operation
    term: ir.Value


def update_of(op: ir.Operation) -> Update | None:
    """Returns the reduction's step that the load or store `op` is part of, or None."""
    if op.name in STORES:
        return _update(op)
    if op.name not in LOADS:
        return None
    for use in op.result.uses:
        combiner = use.owner.operation
        if combiner.name not in COMBINERS:
            continue
        for other in combiner.result.uses:
            store = other.owner.operation
            found = _update(store) if store.name in STORES else None
            if found is not None and address(found.load) == address(op):
                return found
    return None


def _update(store: ir.Operation) -> Update | None:
    owner = store.operands[0].owner
    if isinstance(owner, ir.Block) or owner.name not in COMBINERS:
        return None
    terms = list(owner.operands)
    for at, value in enumerate(terms):
        load = value.owner
        if not isinstance(load, ir.Block) and load.name in LOADS and _same_element(load.operation, store):
            return Update(load.operation, store, owner.operation, terms[1 - at])
    return None


def _same_element(load: ir.Operation, store: ir.Operation) -> bool:
    same_map = ("map" in load.attributes) == ("map" in store.attributes) and (
        "map" not in load.attributes or load.attributes["map"] == store.attributes["map"]
    )
    return same_map and list(load.operands) == list(store.operands)[1:]


def is_one_reduction(first: ir.Operation, second: ir.Operation) -> bool:
    """Whether both are the load or the store of one reduction's step, whose order does not matter."""
    update = update_of(first)
    other = update_of(second)
    return update is not None and other is not None and address(update.store) == address(other.store)
