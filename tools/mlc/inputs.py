"""Reads inputs of a model from files, or draws random ones."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from mlc.runtime.arguments import constants_hint
from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.object_values import gather_sequences, is_list, nothing_of

if TYPE_CHECKING:
    from mlc.runtime import Executable, TensorSpec


# The words of random strings; one is no ASCII, one is an integer.
_WORDS = ("lorem", "ipsum", "Dolor", "sit", "ÄMET", "12")


class IntRange(click.ParamType):
    """The bounds of random integers, LOW:HIGH; HIGH is excluded."""

    name = "low:high"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Returns the bounds."""
        if isinstance(value, tuple):
            return value
        low, _, high = value.partition(":")
        try:
            bounds = int(low), int(high)
        except ValueError:
            self.fail(f"{value!r} is not LOW:HIGH, e.g. 0:100", param, ctx)
        if bounds[0] >= bounds[1]:
            self.fail(f"{value!r} is empty: LOW must be below HIGH", param, ctx)
        return bounds


def integer_bounds(executable: Executable) -> tuple[int, int]:
    """Returns the bounds of random integers where none are given: without 0 for a program that checks that
    divisors are not 0."""
    return (1 if executable.report().get("divisor_checks") else 0), 10


def random_inputs(
    specs: Sequence[TensorSpec], seed: int, bounds: tuple[int, int], given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Returns arrays by name: floats of mean 0 and variance 1, booleans, integers within `bounds`,
    strings of a few words.

    Bounds beyond the type's range are cut to it. Arrays in `given` are used as they are. Sequences and
    optionals that are not in it are empty.
    """
    generator = np.random.default_rng(seed)
    drawn = {
        spec.name: nothing_of(spec) if _is_held(spec) else _draw(generator, spec, bounds) for spec in specs
    }
    return {**drawn, **(given or {})}


def _is_held(spec: TensorSpec) -> bool:
    return is_list(spec) or spec.dtype.startswith("optional(")


def _draw(generator: np.random.Generator, spec: TensorSpec, bounds: tuple[int, int]) -> np.ndarray:
    if spec.dtype == "string":
        return _draw_texts(generator, spec.sizes)
    if spec.is_object:
        raise ToolError(f"input '{spec.name}' is a {spec.dtype}, which is neither drawn nor read from files")
    target = spec.numpy_dtype
    if target.kind == "b":
        return generator.integers(0, 2, spec.sizes).astype(target)
    if target.kind in "iu" or spec.dtype.startswith(("int", "uint")):
        low, high = _type_bounds(spec.dtype)
        low, high = max(low, bounds[0]), min(high, bounds[1] - 1)
        wide = generator.integers(low, max(low, high), spec.sizes, endpoint=True, dtype=np.int64)
        return wide.astype(target)
    if target.kind == "c":
        real, imaginary = generator.standard_normal((2, *spec.sizes))
        return (real + 1j * imaginary).astype(target)
    return generator.standard_normal(spec.sizes, np.float32).astype(target)


def _draw_texts(generator: np.random.Generator, sizes: Sequence[int]) -> np.ndarray:
    """Draws strings of up to four words, separated by spaces or commas."""
    texts = np.empty(sizes, object)
    for index in np.ndindex(*sizes):
        words = generator.choice(_WORDS, generator.integers(0, 5)).tolist()
        texts[index] = str(generator.choice([" ", ","])).join(words)
    return texts


def _type_bounds(dtype: str) -> tuple[int, int]:
    """Returns the lowest and highest value of an integer type, within those of int64."""
    bits = int(dtype.lstrip("uint"))
    if dtype.startswith("u"):
        return 0, min((1 << bits) - 1, (1 << 63) - 1)
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def read_inputs(
    specs: Sequence[TensorSpec], files: Sequence[str], archive: str | None, constants: Collection[str] = ()
) -> dict[str, Any]:
    """Reads arrays from --inputs FILE.npz and --input [NAME=]FILE; a sequence is a list of them, in the
    archive NAME[0], NAME[1], else all arrays of a file. `constants` are inputs of the model that are none of
    the program. Raises ToolError naming the file, OSError."""
    names = [spec.name for spec in specs]
    lists = [spec.name for spec in specs if is_list(spec)]
    arrays: dict[str, Any] = {}
    if archive is not None:
        arrays |= gather_sequences(specs, _archive(archive), archive)
        if strangers := [name for name in arrays if name not in names]:
            raise ToolError(
                f"{archive}: holds {', '.join(strangers)}; the model's inputs are {', '.join(names)}"
                f"{constants_hint(strangers, constants)}"
            )
    given: set[str] = set()
    for text in files:
        name, path = _split(text, names, constants)
        if name in given:
            raise ToolError(f"--input {text}: the input '{name}' is given twice")
        given.add(name)
        arrays[name] = list(_archive(path).values()) if name in lists else _load(path, name)
    return arrays


def _split(text: str, names: Sequence[str], constants: Collection[str]) -> tuple[str, str]:
    """Returns the input and the file of one --input; the name may be left out if there is only one input."""
    for name in sorted(names, key=len, reverse=True):  # names may hold '='
        if text.startswith(f"{name}="):
            return name, text[len(name) + 1 :]
    if "=" not in text and len(names) == 1:
        return names[0], text
    hint = constants_hint([text.partition("=")[0]], constants)
    raise ToolError(f"--input {text}: expected NAME=FILE, where NAME is one of {', '.join(names)}{hint}")


def _load(path: str, name: str) -> np.ndarray:
    """Reads the array of a .npy file, or from an .npz file the one called `name`, or the only one."""
    if not zipfile.is_zipfile(path):
        return _numpy_load(path)
    arrays = _archive(path)
    if name in arrays or len(arrays) == 1:
        return arrays.get(name, next(iter(arrays.values())))
    raise ToolError(f"{path}: no array '{name}'; it holds {', '.join(arrays) or 'nothing'}")


def _archive(path: str) -> dict[str, np.ndarray]:
    loaded = _numpy_load(path)
    if isinstance(loaded, np.ndarray):
        raise ToolError(f"{path}: one array without a name; use --input NAME={path}")
    with loaded:
        try:
            return {name: loaded[name] for name in loaded.files}
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            raise ToolError(f"{path}: cannot read: {error}") from error


def _numpy_load(path: str) -> Any:
    with open(path, "rb") as file:
        # What has neither mark NumPy takes for a pickle.
        is_numpy = file.read(6).startswith((b"\x93NUMPY", b"PK"))
    if not is_numpy:
        raise ToolError(f"{path}: not a NumPy file, .npy or .npz")
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ToolError(f"{path}: cannot be read by NumPy: {str(error).partition('.')[0]}") from error
