"""Command lines in LLVM's style: long options with one dash or two, `--name=value` or `--name value`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mlc.errors import Error

# Flag values that are names, which cannot be empty.
_NAMES = ("file", "folder", "program")
_TRUE, _FALSE = ("", "true", "1"), ("false", "0")


class UsageError(Error):
    """A command line that makes no sense; the tool exits with status 2."""


@dataclass(frozen=True)
class Flag:
    """A flag of a tool. `value` is the name of its value in the help; empty for switches.

    `optional` values may be left out; `repeated` flags collect their values. `letter` is a short form.
    """

    name: str
    help: str
    value: str = ""
    optional: bool = False
    repeated: bool = False
    letter: str = ""

    @property
    def description(self) -> str:
        """The help, and whether the flag may be given several times."""
        return f"{self.help}; may be repeated" if self.repeated else self.help


@dataclass
class CommandLine:
    """A parsed command line: values of flags by name, other arguments, and flags that are unknown."""

    values: dict[str, list[str]] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    # (name, text after "=" or "", as written), in the order given
    others: list[tuple[str, str, str]] = field(default_factory=list)

    def switch(self, name: str, *, default: bool = False) -> bool:
        """Whether the switch `name` is on; the last one given wins. Raises `UsageError`."""
        text = self.values.get(name, ["true" if default else "false"])[-1].lower()
        if text not in (*_TRUE, *_FALSE):
            raise UsageError(f"--{name} is a switch: true or false, not '{text}'")
        return text in _TRUE

    def value(self, name: str, default: str = "") -> str:
        """The last value of `name`."""
        return self.values.get(name, [default])[-1]

    def choice(self, name: str, choices: Sequence[str], *, default: str = "") -> str:
        """The value of `name`, one of `choices`: `default` or the first if left out. Raises `UsageError`."""
        value = self.value(name) or default or choices[0]
        if value not in choices:
            raise UsageError(f"--{name} must be one of {', '.join(choices)}, not '{value}'")
        return value

    def count(self, name: str, default: int, *, least: int = 0) -> int:
        """The value of `name`, an integer of at least `least`. Raises `UsageError`."""
        text = self.value(name, str(default))
        if not re.fullmatch("[0-9]{1,18}", text) or int(text) < least:
            range_text = f" from {least}" if least else " below 10^18"
            raise UsageError(f"--{name} needs an integer{range_text}, not '{text}'")
        return int(text)

    def seconds(self, name: str, default: float) -> float:
        """The value of `name`, a number of seconds, 0 included. Raises `UsageError`."""
        text = self.value(name, str(default))
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            raise UsageError(f"--{name} needs a number of seconds, not '{text}'")
        return value

    def is_given(self, name: str) -> bool:
        """Whether the flag was given at all."""
        return name in self.values

    def input_path(self) -> str:
        """The one input file, "-" (stdin) if none is named. Raises `UsageError`."""
        if len(self.arguments) > 1:
            raise UsageError(f"one input file at most, but got {', '.join(self.arguments)}")
        return self.arguments[0] if self.arguments else "-"


def parse_command_line(arguments: list[str], flags: Iterable[Flag]) -> CommandLine:
    """Sorts arguments into flags of the table, other flags, and positional arguments. Raises `UsageError`."""
    known = {name: flag for flag in flags for name in (flag.name, flag.letter) if name}
    line = CommandLine()
    rest = iter(arguments)
    for argument in rest:
        if not argument:
            raise UsageError("an argument is empty: the name of the input file?")
        if not argument.startswith("-") or argument == "-":
            line.arguments.append(argument)
            continue
        if argument == "--":
            line.arguments.extend(rest)
            break
        name, equals, value = argument.lstrip("-").partition("=")
        flag = known.get(name)
        if flag is None:
            line.others.append((name, value, argument))
            continue
        if flag.value and not equals and not flag.optional:
            following = next(rest, None)
            if following is None:
                raise UsageError(f"{argument} needs a value: {argument}=<{flag.value}>")
            value = following
        if flag.value in _NAMES and not value:
            raise UsageError(f"--{flag.name} needs the name of a {flag.value}, and got none")
        line.values.setdefault(flag.name, []).append(value)
    return line


def unknown_flag(written: str, known: Iterable[str], reasons: Mapping[str, str] | None = None) -> UsageError:
    """Returns the error for a flag that the tool lacks: the reason in `reasons`, or close matches.

    A name in `reasons` that ends with `*` stands for all names with that prefix.
    """
    name = written.lstrip("-").partition("=")[0]
    if reason := _reason(name, reasons or {}):
        return UsageError(f"--{name} is not supported: {reason}")
    hint = close_matches(name, known, prefix="--")
    return UsageError(f"unknown argument '{written}'{hint}")


def refuse_unknown(line: CommandLine, flags: Iterable[Flag], reasons: Mapping[str, str]) -> None:
    """Raises the `UsageError` of `unknown_flag` for the first flag that is not in the table."""
    if line.others:
        raise unknown_flag(line.others[0][2], [flag.name for flag in flags], reasons)


def _reason(name: str, reasons: Mapping[str, str]) -> str:
    exact = reasons.get(name, "")
    starred = (text for key, text in reasons.items() if key.endswith("*") and name.startswith(key[:-1]))
    return (exact or next(starred, "")).replace("`", "")


def close_matches(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Returns `; did you mean ...?` with the names like `name`, or nothing."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(prefix + match for match in close)}?" if close else ""


def flag_help(flags: Iterable[Flag]) -> str:
    """Returns the table of flags for `--help`."""
    rows = []
    for flag in flags:
        value = f"[=<{flag.value}>]" if flag.optional else f"=<{flag.value}>" if flag.value else ""
        short = f", -{flag.letter}" if flag.letter else ""
        rows.append(f"  {f'--{flag.name}{value}{short}':<44} {flag.description}")
    return "\n".join(rows)
