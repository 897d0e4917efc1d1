"""Small programs of the graph dialect, written by hand, and arrays that show who leaves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from mlc.bindings import ir
from mlc.compiler import Options, compile_program, worker_pool
from mlc.dialects import create_context
from mlc.runtime import Executable

Compile = Callable[[str], Executable]

# Elements around each array of which a program must know nothing, and what they are.
AROUND, FOREIGN = 4096, 77


@contextmanager
def compiler() -> Iterator[Compile]:
    """Makes executables of modules' texts inside the `with` block."""
    with worker_pool(1) as pool:

        def program(text: str) -> Executable:
            with create_context(), ir.Location.unknown():
                made = compile_program(ir.Module.parse(text), Options(cache=False, pool=pool))
            return made.executable(threads=1)

        yield program


def inside(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A copy within memory of foreign elements, and that memory."""
    whole = np.full(array.size + 2 * AROUND, FOREIGN, array.dtype)
    part = whole[AROUND : AROUND + array.size].reshape(array.shape)
    part[...] = array
    return part, whole


def is_intact(whole: np.ndarray) -> bool:
    """Whether the foreign elements are as they were."""
    return bool((whole[:AROUND] == FOREIGN).all() and (whole[-AROUND:] == FOREIGN).all())


def function(arguments: dict[str, str], result: str, *lines: str) -> str:
    """A module of one function, which returns %r; types are written as in "n 4 f32"."""
    types = {name: type_of(words) for name, words in arguments.items()}
    given = ", ".join(
        f"%{name}: {tensor_type}{_names(arguments[name])}" for name, tensor_type in types.items()
    )
    body = "\n".join(lines)
    return f"func.func @main({given}) -> {type_of(result)} {{\n{body}\nreturn %r : {type_of(result)}\n}}"


def type_of(words: str) -> str:
    """The tensor type: names are unknown dims."""
    *dims, element = words.split()
    return f"tensor<{''.join(dim + 'x' if dim.isdecimal() else '?x' for dim in dims)}{element}>"


def _names(words: str) -> str:
    dims = words.split()[:-1]
    texts = ", ".join('""' if dim.isdecimal() else f'"{dim}"' for dim in dims)
    return f" {{graph.dims = [{texts}]}}" if any(not dim.isdecimal() for dim in dims) else ""


def op(text: str, *types: str) -> str:
    """A line of IR: `text` with the types of operands and result after it."""
    *operands, result = map(type_of, types)
    return f"{text} : ({', '.join(operands)}) -> {result}"
