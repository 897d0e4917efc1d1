"""The fields of views: an op's operands, results, regions and attributes as typed descriptors.

A field's type is what reading it gives: `strides = integers()` makes `view.strides` a `tuple[int, ...]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar, overload

from mlc.bindings import ir
from mlc.bindings.views import AnyView

T = TypeVar("T")

# Operands, results and regions


class ReadOnly(Generic[T]):
    """A field that can only be read."""

    def __init__(self, read: Callable[[ir.Operation], T]) -> None:
        self.read = read

    @overload
    def __get__(self, view: None, owner: type[AnyView]) -> Self: ...
    @overload
    def __get__(self, view: AnyView, owner: type[AnyView]) -> T: ...
    def __get__(self, view: AnyView | None, owner: type[AnyView]) -> T | Self:
        return self if view is None else self.read(view.operation)

    def __set__(self, view: AnyView, value: Any) -> None:
        raise AttributeError(
            f"this field of {view.operation.name} is read-only: it is no attribute or operand"
        )


class Single(ReadOnly[T]):
    """An operand of which there is one: it can be replaced by another value."""

    def __init__(self, read: Callable[[ir.Operation], T], position: Callable[[ir.Operation], int]) -> None:
        super().__init__(read)
        self.position = position

    def __set__(self, view: AnyView, value: T) -> None:
        view.operation.operands[self.position(view.operation)] = value


def operand(index: int) -> Single[ir.Value]:
    """The operand at `index`; a negative one counts from the end."""
    return Single(lambda op: op.operands[index], lambda op: index % len(op.operands))


def optional_operand(index: int) -> ReadOnly[ir.Value | None]:
    """The operand at `index`, or None if there are fewer."""
    return ReadOnly(lambda op: op.operands[index] if index < len(op.operands) else None)


def operands(first: int = 0, after: int = 0) -> ReadOnly[list[ir.Value]]:
    """The operands from `first` on, but for the last `after` ones."""
    return ReadOnly(lambda op: list(op.operands)[first : len(op.operands) - after])


def result(index: int) -> ReadOnly[ir.Value]:
    """The result at `index`; a negative one counts from the end."""
    return ReadOnly(lambda op: op.results[index])


def optional_result(index: int) -> ReadOnly[ir.Value | None]:
    """The result at `index`, or None if there are fewer."""
    return ReadOnly(lambda op: op.results[index] if index < len(op.results) else None)


def results(first: int = 0, after: int = 0) -> ReadOnly[list[ir.Value]]:
    """The results from `first` on, but for the last `after` ones."""
    return ReadOnly(lambda op: list(op.results)[first : len(op.results) - after])


def region(index: int) -> ReadOnly[ir.Region]:
    """The region at `index`."""
    return ReadOnly(lambda op: op.regions[index])


def regions(first: int = 0) -> ReadOnly[list[ir.Region]]:
    """The regions from `first` on."""
    return ReadOnly(lambda op: list(op.regions)[first:])


def block_argument(index: int) -> ReadOnly[ir.Value]:
    """The argument at `index` of the entry block."""
    return ReadOnly(lambda op: op.regions[0].blocks[0].arguments[index])


def block_arguments(first: int) -> ReadOnly[list[ir.Value]]:
    """The arguments from `first` on of the entry block."""
    return ReadOnly(lambda op: list(op.regions[0].blocks[0].arguments)[first:])


def terminator() -> ReadOnly[ir.Operation]:
    """The last op of the entry block."""

    def read(op: ir.Operation) -> ir.Operation:
        body = op.regions[0].blocks[0].operations
        return body[len(body) - 1].operation

    return ReadOnly(read)


def _segment(op: ir.Operation, first: int, end: int) -> tuple[int, int]:
    """Returns where the operands of the segments from `first` to `end` begin and end."""
    sizes = list(op.attributes["operandSegmentSizes"])
    start = sum(sizes[:first])
    return start, start + sum(sizes[first:end])


def segment(index: int, count: int = 1) -> ReadOnly[list[ir.Value]]:
    """The operands of the segment at `index`, or of `count` segments, of an op with operandSegmentSizes."""

    def read(op: ir.Operation) -> list[ir.Value]:
        start, end = _segment(op, index, index + count)
        return list(op.operands)[start:end]

    return ReadOnly(read)


def segment_operand(index: int) -> Single[ir.Value]:
    """The only operand of the segment at `index`."""

    def position(op: ir.Operation) -> int:
        return _segment(op, index, index)[0]

    return Single(lambda op: op.operands[position(op)], position)


def optional_segment_operand(index: int) -> ReadOnly[ir.Value | None]:
    """The operand of the segment at `index`, or None if that is empty."""

    def read(op: ir.Operation) -> ir.Value | None:
        start, end = _segment(op, index, index + 1)
        return op.operands[start] if end > start else None

    return ReadOnly(read)


def _share(values: Sequence[ir.Value], index: int, count: int, singles: int) -> list[ir.Value]:
    every = list(values)
    size = (len(every) - singles) // count
    start = singles + index * size
    return every[start : start + size]


def operand_share(index: int, count: int, singles: int = 0) -> ReadOnly[list[ir.Value]]:
    """The operands after the first `singles` ones are `count` lists of equal length: the one at `index`."""
    return ReadOnly(lambda op: _share(op.operands, index, count, singles))


def result_share(index: int, count: int, singles: int = 0) -> ReadOnly[list[ir.Value]]:
    """The results after the first `singles` ones are `count` lists of equal length: the one at `index`."""
    return ReadOnly(lambda op: _share(op.results, index, count, singles))


# Attributes


@dataclass(frozen=True)
class Form(Generic[T]):
    """Reads an attribute as a Python value, and makes one of it in the current context.

    With `keeps_type`, `make` gets the type of the attribute that is replaced, or None.
    """

    read: Callable[[Any], T]
    make: Callable[..., ir.Attribute]
    keeps_type: bool = False


class Required:
    """The type of the default of an attribute that must be there."""


REQUIRED = Required()


class AttributeField(Generic[T]):
    """An attribute as a Python value: its default where it is absent.

    LookupError if it has none. `name` is the attribute's, where it is not the field's. Assigning None to an
    attribute that may be absent removes it.
    """

    def __init__(self, form: Form[Any], default: T | Required, name: str = "") -> None:
        self.form, self.default, self.name = form, default, name

    def __set_name__(self, owner: type[AnyView], name: str) -> None:
        self.name = self.name or name

    @overload
    def __get__(self, view: None, owner: type[AnyView]) -> Self: ...
    @overload
    def __get__(self, view: AnyView, owner: type[AnyView]) -> T: ...
    def __get__(self, view: AnyView | None, owner: type[AnyView]) -> T | Self:
        if view is None:
            return self
        found = view.operation.attributes.get(self.name)
        if found is not None:
            value: T = self.form.read(found)
            return value
        if isinstance(self.default, Required):
            where = view.operation.location
            raise LookupError(f"{view.operation.name} has no attribute '{self.name}' ({where})")
        return self.default

    def __set__(self, view: AnyView, value: T) -> None:
        attributes = view.operation.attributes
        if value is not None:
            with view.operation.context:
                attributes[self.name] = self._make(value, attributes)
        elif isinstance(self.default, Required):
            raise TypeError(f"the attribute '{self.name}' of {view.operation.name} must be there")
        elif self.name in attributes:
            del attributes[self.name]

    def _make(self, value: T, attributes: Any) -> ir.Attribute:
        if not self.form.keeps_type:
            return self.form.make(value)
        replaced = attributes.get(self.name)
        return self.form.make(value, None if replaced is None else replaced.type)


def optional(attribute: AttributeField[T]) -> AttributeField[T | None]:
    """The attribute, or None where it is absent."""
    return AttributeField(attribute.form, None, attribute.name)


def _value(attribute: Any) -> Any:
    return attribute.value


def _integer(value: int, type_: ir.Type | None = None) -> ir.Attribute:
    return ir.IntegerAttr.get(type_ or ir.IntegerType.get_signless(64), value)


def _scalar(value: int | float) -> ir.Attribute:
    return _integer(value) if isinstance(value, int) else ir.FloatAttr.get_f64(value)


_INTEGER: Form[int] = Form(_value, _integer, keeps_type=True)
_FLOAT: Form[float] = Form(_value, lambda value: ir.FloatAttr.get_f64(value))
_SCALAR: Form[int | float] = Form(_value, _scalar)
_BOOLEAN: Form[bool] = Form(_value, lambda value: ir.BoolAttr.get(value))
_STRING: Form[str] = Form(_value, lambda value: ir.StringAttr.get(value))
_SYMBOL: Form[str] = Form(_value, lambda value: ir.FlatSymbolRefAttr.get(value))
_TYPE: Form[Any] = Form(_value, lambda value: ir.TypeAttr.get(value))
_MAP: Form[Any] = Form(_value, lambda value: ir.AffineMapAttr.get(value))
_RAW: Form[Any] = Form(lambda attribute: attribute, lambda attribute: attribute)
_INTS: Form[tuple[int, ...]] = Form(tuple, lambda value: ir.DenseI64ArrayAttr.get(list(value)))
_INTS32: Form[tuple[int, ...]] = Form(tuple, lambda value: ir.DenseI32ArrayAttr.get(list(value)))
_FLOATS: Form[tuple[float, ...]] = Form(tuple, lambda value: ir.DenseF64ArrayAttr.get(list(value)))
_STRINGS: Form[tuple[str, ...]] = Form(
    lambda attribute: tuple(entry.value for entry in attribute),
    lambda value: ir.ArrayAttr.get([ir.StringAttr.get(entry) for entry in value]),
)
_MAPS: Form[list[Any]] = Form(
    lambda attribute: [entry.value for entry in attribute],
    lambda value: ir.ArrayAttr.get([ir.AffineMapAttr.get(entry) for entry in value]),
)
_ARRAY: Form[list[Any]] = Form(list, lambda value: ir.ArrayAttr.get(list(value)))


def integer(default: int | Required = REQUIRED, *, name: str = "") -> AttributeField[int]:
    """An integer; written, it has the type of the one that it replaces, or is an i64."""
    return AttributeField(_INTEGER, default, name)


def floating(default: float | Required = REQUIRED, *, name: str = "") -> AttributeField[float]:
    """A float; written, it is an f64."""
    return AttributeField(_FLOAT, default, name)


def scalar(default: int | float | Required = REQUIRED, *, name: str = "") -> AttributeField[int | float]:
    """An i64 or an f64."""
    return AttributeField(_SCALAR, default, name)


def boolean(default: bool | Required = REQUIRED, *, name: str = "") -> AttributeField[bool]:
    """A boolean."""
    return AttributeField(_BOOLEAN, default, name)


def string(default: str | Required = REQUIRED, *, name: str = "") -> AttributeField[str]:
    """A string."""
    return AttributeField(_STRING, default, name)


def strings(
    default: tuple[str, ...] | Required = REQUIRED, *, name: str = ""
) -> AttributeField[tuple[str, ...]]:
    """An array of strings."""
    return AttributeField(_STRINGS, default, name)


def symbol(*, name: str = "") -> AttributeField[str]:
    """The name of a symbol."""
    return AttributeField(_SYMBOL, REQUIRED, name)


def integers(
    default: tuple[int, ...] | Required = REQUIRED, *, name: str = ""
) -> AttributeField[tuple[int, ...]]:
    """An `array<i64: ...>`."""
    return AttributeField(_INTS, default, name)


def integers32(*, name: str = "") -> AttributeField[tuple[int, ...]]:
    """An `array<i32: ...>`."""
    return AttributeField(_INTS32, REQUIRED, name)


def floats(*, name: str = "") -> AttributeField[tuple[float, ...]]:
    """An `array<f64: ...>`."""
    return AttributeField(_FLOATS, REQUIRED, name)


def type_(*, name: str = "") -> AttributeField[ir.Type]:
    """A type."""
    return AttributeField(_TYPE, REQUIRED, name)


def affine_map(*, name: str = "") -> AttributeField[ir.AffineMap]:
    """An affine map."""
    return AttributeField(_MAP, REQUIRED, name)


def affine_maps(*, name: str = "") -> AttributeField[list[ir.AffineMap]]:
    """An array of affine maps."""
    return AttributeField(_MAPS, REQUIRED, name)


def array(*, name: str = "") -> AttributeField[list[ir.Attribute]]:
    """An array of attributes."""
    return AttributeField(_ARRAY, REQUIRED, name)


def attribute(*, name: str = "") -> AttributeField[ir.Attribute]:
    """An attribute as MLIR has it: an enumeration, a constant, or one of any type."""
    return AttributeField(_RAW, REQUIRED, name)


class Unit:
    """A unit attribute: True where it is there."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __set_name__(self, owner: type[AnyView], name: str) -> None:
        self.name = self.name or name

    @overload
    def __get__(self, view: None, owner: type[AnyView]) -> Self: ...
    @overload
    def __get__(self, view: AnyView, owner: type[AnyView]) -> bool: ...
    def __get__(self, view: AnyView | None, owner: type[AnyView]) -> bool | Self:
        return self if view is None else self.name in view.operation.attributes

    def __set__(self, view: AnyView, value: bool) -> None:
        attributes = view.operation.attributes
        if value:
            attributes[self.name] = ir.UnitAttr.get(view.operation.context)
        elif self.name in attributes:
            del attributes[self.name]


def unit(*, name: str = "") -> Unit:
    """A unit attribute, as a boolean."""
    return Unit(name)
