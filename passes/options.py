"""Typed pass options: dataclass fields read from and written to MLIR's option syntax, `{a=1 b=x,y}`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from math import isnan
from typing import Any, get_args, get_origin, get_type_hints

from mlc.errors import Error

_CLOSING = {"{": "}", "(": ")", "[": "]"}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
# Python evaluates the annotations of a class and of its bases again at each call.
_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


class OptionError(Error):
    """An option that a pass does not have, or a value that is not of its type; names the valid ones."""


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """The description of one option, for help and parsing. `type_name` is "int", "float", "bool", "string",
    "list of ..."."""

    name: str
    field: str
    type_name: str
    default: Any
    help: str
    choices: tuple[str, ...]

    @property
    def default_text(self) -> str:
        """The default in option syntax."""
        return _print_value(self.default)


def option(default: Any, *, help: str, choices: tuple[str, ...] = (), name: str = "") -> Any:
    """Declares a dataclass field that is a pass option. Its type is the field's annotation: int, float, bool,
    str, `tuple[int, ...]` or `tuple[str, ...]`; `max_iterations` is written `max-iterations` in text, or
    `name` if that is no valid name of a field."""
    return dataclasses.field(default=default, metadata={"help": help, "choices": choices, "name": name})


def option_infos(cls: type[Any]) -> tuple[OptionInfo, ...]:
    """Returns the options of a pass class, in the order of its fields."""
    hints = _hints(cls)
    fields = [field for field in dataclasses.fields(cls) if "help" in field.metadata]
    return tuple(option_info(field, field.name, _type_name(hints[field.name])) for field in fields)


def option_info(field: Any, name: str, type_name: str) -> OptionInfo:
    """Returns the description of an option from `field`, made by `option(...)`."""
    return OptionInfo(
        name=field.metadata["name"] or name.replace("_", "-"),
        field=name,
        type_name=type_name,
        default=field.default,
        help=field.metadata["help"],
        choices=field.metadata["choices"],
    )


def parse_options(text: str, infos: tuple[OptionInfo, ...]) -> dict[str, Any]:
    """Parses option text without its outer braces to values of fields. Raises `OptionError`."""
    known = {info.name: info for info in infos}
    values = {}
    for name, value in split_options(text):
        if name not in known:
            valid = ", ".join(known) or "none, the pass has no options"
            raise OptionError(f"no option '{name}'; valid options: {valid}")
        values[known[name].field] = parse_value(known[name], value)
    return values


def print_options(values: dict[str, Any]) -> str:
    """Returns the option text, without braces, of `values` by the names in text."""
    return " ".join(f"{name}={_print_value(value)}" for name, value in values.items())


def parse_value(info: OptionInfo, text: str | None) -> Any:
    """Parses one value; `None` (an option without `=`) is true for booleans. Raises `OptionError`."""
    if text is None and info.type_name != "bool":
        raise OptionError(f"option '{info.name}' needs a value ({info.type_name})")
    try:
        value = _PARSERS[info.type_name](text if text is not None else "true")
    except (ValueError, KeyError):
        raise OptionError(
            f"option '{info.name}' is of type {info.type_name}, but the value is '{text}'"
        ) from None
    wrong = [
        item
        for item in (value if isinstance(value, tuple) else (value,))
        if info.choices and item not in info.choices
    ]
    if wrong:
        raise OptionError(
            f"option '{info.name}' must be one of {', '.join(info.choices)}, but the value is '{wrong[0]}'"
        )
    return value


def split_options(text: str) -> Iterator[tuple[str, str | None]]:
    """Yields `(name, value or None)`. Values may be quoted or contain balanced brackets. Raises
    `OptionError`."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = _skip_to(text, at, " \t\n=")
        name, value = text[at:end], None
        if not name:
            raise OptionError(f"an option has no name near '{text[at : at + 10]}'")
        if text[end : end + 1] == "=":
            at, end = end + 1, _skip_to(text, end + 1, " \t\n")
            value = _unquote(text[at:end])
        yield name, value
        at = end


def _skip_to(text: str, at: int, stops: str) -> int:
    """Returns the index of the first of `stops` from `at` on, outside quotes and brackets, or the text's
    length."""
    while at < len(text) and text[at] not in stops:
        at = matching(text, at) + 1
    return at


def matching(text: str, at: int) -> int:
    """Returns the index of the bracket or quote that closes the one at `at`; `at` itself for other
    characters.

    Raises `OptionError` if nothing closes it.
    """
    opened = text[at]
    if opened in "\"'":
        end = text.find(opened, at + 1)
        if end < 0:
            raise OptionError(f"unbalanced {opened} in '{text}'")
        return end
    if opened not in _CLOSING:
        return at
    end = at + 1
    while end < len(text) and text[end] != _CLOSING[opened]:
        end = matching(text, end) + 1
    if end >= len(text):
        raise OptionError(f"unbalanced '{opened}' in '{text}'")
    return end


def _unquote(text: str) -> str:
    quoted = (
        len(text) >= 2 and text[0] + text[-1] in ('""', "''", "{}") and matching(text, 0) == len(text) - 1
    )
    return text[1:-1] if quoted else text


def _print_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(_print_value(item) for item in value)
    text = str(value)
    return f"{{{text}}}" if not text or any(char in " \t\n=" for char in text) else text


def _type_name(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return f"list of {_type_name(get_args(hint)[0])}"
    return "string" if hint is str else hint.__name__


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text.strip() else []


def _parse_float(text: str) -> float:
    """Parses a float that is not NaN: NaN does not compare with others."""
    value = float(text)
    if isnan(value):
        raise ValueError(text)
    return value


_PARSERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": _parse_float,
    "bool": lambda text: _BOOLEANS[text.lower()],
    "string": str,
    "list of int": lambda text: tuple(int(item) for item in _items(text)),
    "list of float": lambda text: tuple(_parse_float(item) for item in _items(text)),
    "list of string": lambda text: tuple(_items(text)),
}
