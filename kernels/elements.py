"""Element types: names in signatures, conversions in kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mlc.kernels.errors import KernelError

NAMES = ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "i1")
# Upstream's arithmetic has signless integers only; kernels take them as signed.
_SYNONYMS = {
    "bool": "i1",
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "int32": "i32",
    "int64": "i64",
}


class ElementType:
    """An element type. In a kernel `f32(x)` converts `x`; in a signature it stands for itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __call__(self, value: Any) -> Any:
        from mlc.kernels.builtin_functions import convert

        return convert(self, value)


_ELEMENTS = {name: ElementType(name) for name in NAMES}

if TYPE_CHECKING:
    # For type checkers an element type is a class without known members, which is Any.
    class Unknown(Any):
        """A value or a type, as the kernel's compiler decides."""

        __add__: Any
        __sub__: Any
        __mul__: Any
        __truediv__: Any

    f16: TypeAlias = Unknown
    bf16: TypeAlias = Unknown
    f32: TypeAlias = Unknown
    f64: TypeAlias = Unknown
    i8: TypeAlias = Unknown
    i16: TypeAlias = Unknown
    i32: TypeAlias = Unknown
    i64: TypeAlias = Unknown
    i1: TypeAlias = Unknown
else:
    f16, bf16, f32, f64, i8, i16, i32, i64, i1 = _ELEMENTS.values()


def element(given: object) -> ElementType:
    """Returns the element type that a user names: `f32`, "f32", "float32", NumPy's and Python's `bool`.

    Raises KernelError.
    """
    if isinstance(given, ElementType):
        return given
    name = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    found = _ELEMENTS.get(_SYNONYMS.get(name, name))
    if found is None:
        raise KernelError(f"{given!r} is no element type of kernels; there are {', '.join(NAMES)}")
    return found
