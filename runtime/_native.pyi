"""Types of the extension module, whose source is in csrc/."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from typing_extensions import Buffer

def cpu_has(check: str) -> bool:
    """Returns whether this x86-64 processor has a feature, described as `mlc_cpu_has` in csrc/mlc_runtime.h
    says; False for text that describes none."""

class Image:
    """Relocatable x86-64 ELF objects, linked and mapped for execution. Raises ValueError.

    `libraries` are handles of shared libraries (`ctypes.CDLL(...)._handle`) with functions that the objects
    call; they must stay open. `measured` are kernels, with their numbers of dims, whose launches by other
    objects are measured in `Program.profile`.
    """

    def __init__(
        self,
        objects: Sequence[Buffer],
        libraries: tuple[int, ...] = (),
        measured: tuple[tuple[str, int], ...] = (),
    ) -> None: ...
    def symbol(self, name: str) -> int:
        """Returns the address of a global symbol. Raises KeyError."""

class Program:
    """An entry point with its weights. Tensors are described by `TensorSpec.native()`, named dims by
    `NamedDim.native()`; without `dims` the program is static. `messages` are the texts of
    failures, which its code refers to by index."""

    threads: int
    @property
    def peak_bytes(self) -> int: ...
    def __init__(
        self,
        image: Image,
        symbol: str,
        inputs: tuple[tuple[Any, ...], ...],
        outputs: tuple[tuple[Any, ...], ...],
        weights: tuple[Any, ...],
        arena_bytes: int,
        convert: Callable[[int, Any], Any],
        array_type: type,
        dims: tuple[tuple[str, int, int | None], ...] | None = None,
        messages: tuple[str, ...] = (),
    ) -> None: ...
    @property
    def clock(self) -> int:
        """The number of calls since `watch`."""
    def call(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]: ...
    def profile(
        self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None
    ) -> tuple[list[Any], list[tuple[int, tuple[int, ...], int, int]]]:
        """Returns the outputs of a call, and its launches of the image's measured kernels, by kernel and
        dims: (kernel's index, dims, number, nanoseconds). Dims are empty for kernels without, and for all
        launches of a kernel with dims beyond the first 64."""
    def watch(self, entries: dict[bytes, Any], after: int, seen: Callable[[bytes], object]) -> None:
        """Counts later calls of this dynamic program in `entries`, by the sizes of the named dims as native
        int64s; calls whose entry has a program run that. `seen` is called with the sizes after a call without
        an entry, and after each whose entry has at least `after` recent ones. Raises ValueError for a static
        program, and the second time."""

class SizeEntry:
    """Calls with the same sizes; see `Program.watch`."""

    program: Program | None
    general_calls: int
    own_calls: int
    recent: int
    since: int
    used: int

def aligned_empty(nbytes: int, alignment: int = 64) -> Any:
    """Returns uninitialised memory with the buffer protocol (read and write)."""

def call_entry(
    image: Image, symbol: str, buffers: Sequence[Any], dims: Sequence[int] = (), threads: int = 1
) -> None:
    """Calls `void symbol(void **buffers, int64_t *dims)` without the interpreter's lock.

    `buffers` holds objects with the buffer protocol (C-contiguous), addresses or None (a null pointer).
    Sizes and types are not checked.
    """

class Objects:
    """The strings and sequences of one call; in compiled code each is an id. Those of `constants` have the
    first ids; it must not grow while this table is in use. Id 0 is the empty sequence."""

    def __init__(self, constants: Objects | None = None) -> None: ...
    def ids(self, texts: np.ndarray) -> bytes:
        """Returns the ids, as int64, of the str and bytes of an array of objects; equal ones have one id."""

    def sequence(self, elements: Sequence[tuple[int, tuple[int, ...], Buffer]]) -> int:
        """Returns the id of a new sequence of tensors: ONNX's element type, shape and dense data of each."""

    def value(self, form: tuple[Any, ...], ids: np.ndarray) -> Any:
        """Returns the array of strings with these ids, or the sequence, optional or map with this id: a
        list, a value or None, a dict. Its type is a tuple: ("tensor", ONNX's element type, numpy.ndarray,
        dtype), ("sequence", form), ("optional", form) or ("map", form of its keys, of its values)."""

    @property
    def peak_bytes(self) -> int: ...
    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function; programs that it calls on this thread use this table."""
