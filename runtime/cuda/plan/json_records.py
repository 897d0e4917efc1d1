"""Converts frozen dataclasses to and from JSON, which is checked against their type hints, as hostile input.

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
    """Returns the JSON value of a record, a tuple or a plain value. Fields with their default are omitted."""
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if not is_dataclass(value):
        return value
    pairs = ((field, getattr(value, field.name)) for field in fields(value))
    data = {field.name: encode(item) for field, item in pairs if item != field.default}
    tag = getattr(value, "TAG", None)
    return data if tag is None else {tag: data}


def decode(hint: Any, data: Any, where: str) -> Any:
    """Returns a value of type `hint` from JSON. Raises ExecutableError naming the location and the cause."""
    origin = get_origin(hint)
    if origin is tuple:
        return _sequence(hint, data, where)
    if origin in (Union, types.UnionType):
        return _union(get_args(hint), data, where)
    if origin is Literal:
        return _one_of(get_args(hint), data, where)
    if is_dataclass(hint):
        tag = getattr(hint, "TAG", None)
        return _record(hint, data, where) if tag is None else _union((hint,), data, where)
    return _plain(hint, data, where)


def _record(cls: Any, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise ExecutableError(f"{where}: expected an object, got {_short(data)}")
    known, hints = _fields(cls)
    unknown = sorted(set(data) - set(known))
    missing = [name for name, field in known.items() if name not in data and field.default is MISSING]
    if unknown or missing:
        raise ExecutableError(f"{where}: unknown keys {_short(unknown)}, missing keys {missing}")
    values = {name: decode(hints[name], data[name], f"{where}.{name}") for name in known if name in data}
    try:
        return cls(**values)
    except ExecutableError as error:
        raise ExecutableError(f"{where}: {error}") from error


@cache
def _fields(cls: Any) -> tuple[dict[str, Field], dict[str, Any]]:
    return {field.name: field for field in fields(cls)}, get_type_hints(cls)


def _sequence(hint: Any, data: Any, where: str) -> tuple[Any, ...]:
    items = get_args(hint)
    if not isinstance(data, (list, tuple)) or len(data) > MAX_ITEMS:
        raise ExecutableError(f"{where}: expected a list of at most {MAX_ITEMS}, got {_short(data)}")
    if items[-1] is Ellipsis:
        items = (items[0],) * len(data)
    if len(items) != len(data):
        raise ExecutableError(f"{where}: expected a list of {len(items)}, got {_short(data)}")
    return tuple(
        decode(item, value, f"{where}[{i}]") for i, (item, value) in enumerate(zip(items, data, strict=True))
    )


def _union(members: tuple[Any, ...], data: Any, where: str) -> Any:
    if not hasattr(members[0], "TAG"):
        return _plain(float, data, where)
    tags = {member.TAG: member for member in members}
    if not isinstance(data, Mapping) or len(data) != 1 or next(iter(data)) not in tags:
        raise ExecutableError(f"{where}: expected an object of one key of {list(tags)}, got {_short(data)}")
    [(tag, value)] = data.items()
    return _record(tags[tag], value, f"{where}.{tag}")


def _one_of(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, str) or data not in choices:
        raise ExecutableError(f"{where}: expected one of {list(choices)}, got {_short(data)}")
    return data


def _plain(expected: type, data: Any, where: str) -> Any:
    accepted = (int, float) if expected is float else expected
    good = isinstance(data, accepted) and isinstance(data, bool) == (expected is bool)
    if good and isinstance(data, int):
        good = abs(data) < MAX_INTEGER
    if good and isinstance(data, str):
        good = len(data) <= MAX_TEXT
    if not good:
        names = {int: "an integer of 64 bits", float: "a numeric value", bool: "true or false"}
        names |= {str: f"a text of at most {MAX_TEXT}"}
        raise ExecutableError(f"{where}: expected {names[expected]}, got {_short(data)}")
    return data


def _short(data: Any) -> str:
    text = repr(data) if not isinstance(data, (list, tuple, Mapping)) or len(data) < 20 else str(type(data))
    return text if len(text) <= 80 else f"{text[:77]}..."
