"""Frozen dataclasses to and from JSON, which is checked against their type hints, as hostile input.

The JSON of a class with a `TAG` is an object of one key, the tag. Fields with defaults may be missing.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mlc.runtime.errors import ExecutableError

MAX_ITEMS, MAX_TEXT, MAX_INTEGER = 1 << 20, 1 << 12, 1 << 64


def encode(value: Any) -> Any:
    """The JSON value of a record, a tuple or a plain value. Fields that have their default are left out."""
    if isinstance(value, tuple):
        return [encode(each) for each in value]
    if not is_dataclass(value):
        return value
    pairs = ((field, getattr(value, field.name)) for field in fields(value))
    data = {field.name: encode(each) for field, each in pairs if each != field.default}
    tag = getattr(value, "TAG", None)
    return data if tag is None else {tag: data}


def decode(kind: Any, data: Any, where: str) -> Any:
    """A value of type `kind` from JSON. Raises ExecutableError that names the place and the cause."""
    origin = get_origin(kind)
    if origin is tuple:
        return _sequence(kind, data, where)
    if origin in (Union, types.UnionType):
        return _union(get_args(kind), data, where)
    if origin is Literal:
        return _one_of(get_args(kind), data, where)
    if is_dataclass(kind):
        tag = getattr(kind, "TAG", None)
        return _record(kind, data, where) if tag is None else _union((kind,), data, where)
    return _plain(kind, data, where)


def _record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise ExecutableError(f"{where}: expected an object, got {_short(data)}")
    known, hints = _fields(kind)
    unknown = sorted(set(data) - set(known))
    missing = [name for name, field in known.items() if name not in data and field.default is MISSING]
    if unknown or missing:
        raise ExecutableError(f"{where}: unknown keys {_short(unknown)}, missing keys {missing}")
    values = {name: decode(hints[name], data[name], f"{where}.{name}") for name in known if name in data}
    try:
        return kind(**values)
    except ExecutableError as error:
        raise ExecutableError(f"{where}: {error}") from error


@cache
def _fields(kind: Any) -> tuple[dict[str, Field], dict[str, Any]]:
    return {field.name: field for field in fields(kind)}, get_type_hints(kind)


def _sequence(kind: Any, data: Any, where: str) -> tuple[Any, ...]:
    items = get_args(kind)
    if not isinstance(data, (list, tuple)) or len(data) > MAX_ITEMS:
        raise ExecutableError(f"{where}: expected a list of at most {MAX_ITEMS}, got {_short(data)}")
    if items[-1] is Ellipsis:
        items = (items[0],) * len(data)
    if len(items) != len(data):
        raise ExecutableError(f"{where}: expected a list of {len(items)}, got {_short(data)}")
    return tuple(
        decode(item, each, f"{where}[{i}]") for i, (item, each) in enumerate(zip(items, data, strict=True))
    )


def _union(kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    if not hasattr(kinds[0], "TAG"):
        return _plain(float, data, where)
    tags = {kind.TAG: kind for kind in kinds}
    if not isinstance(data, Mapping) or len(data) != 1 or next(iter(data)) not in tags:
        raise ExecutableError(f"{where}: expected an object of one key of {list(tags)}, got {_short(data)}")
    [(tag, value)] = data.items()
    return _record(tags[tag], value, f"{where}.{tag}")


def _one_of(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, str) or data not in choices:
        raise ExecutableError(f"{where}: expected one of {list(choices)}, got {_short(data)}")
    return data


def _plain(kind: type, data: Any, where: str) -> Any:
    wanted = (int, float) if kind is float else kind
    good = isinstance(data, wanted) and isinstance(data, bool) == (kind is bool)
    if good and isinstance(data, int):
        good = abs(data) < MAX_INTEGER
    if good and isinstance(data, str):
        good = len(data) <= MAX_TEXT
    if not good:
        names = {int: "an integer of 64 bits", float: "a number", bool: "true or false"}
        names |= {str: f"a text of at most {MAX_TEXT}"}
        raise ExecutableError(f"{where}: expected {names[kind]}, got {_short(data)}")
    return data


def _short(data: Any) -> str:
    text = repr(data) if not isinstance(data, (list, tuple, Mapping)) or len(data) < 20 else str(type(data))
    return text if len(text) <= 80 else f"{text[:77]}..."
