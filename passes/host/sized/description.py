"""What a host function whose sizes only a call tells says of itself to whoever calls it."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.description import describe
from mlc.passes.host.sized.numbers import input_names, sizes_of
from mlc.passes.host.sized.storage import CALLER


def describe_sized(
    function: ir.Operation, old: ir.Operation, returned: Sequence[ir.Value], weights: Sequence[ir.Operation]
) -> None:
    """Sets the attributes of a function on buffers that was made of `old`, which returns `returned`."""
    names = input_names(old)
    numbers = {
        "num_inputs": len(names),
        "num_outputs": len(returned),
        "arena_bytes": 0,
        "arena_lower_bound": 0,
        "unshared_bytes": 0,
    }
    describe(function, numbers, "run time", weights)
    shapes = [[str(dim) if not isinstance(dim, int) else "" for dim in sizes_of(v)] for v in returned]
    given = dict.fromkeys(name for shape in names for name in shape if name)
    callers = [op for op in collect_ops(function) if CALLER in op.attributes]
    messages = [op.attributes["msg"].value for op in collect_ops(function, ["cf.assert"])]
    messages += [op.attributes["message"].value for op in collect_ops(function, ["tloop.check"])]
    messages += [op.attributes[CALLER].value for op in callers]
    function.attributes["tloop.dims"] = _texts(list(given))
    function.attributes["tloop.input_shapes"] = ir.ArrayAttr.get([_texts(each) for each in names])
    function.attributes["tloop.output_shapes"] = ir.ArrayAttr.get([_texts(each) for each in shapes])
    function.attributes["tloop.messages"] = _texts(list(dict.fromkeys(messages)))


def _texts(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])
