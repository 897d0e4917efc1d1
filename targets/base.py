"""Descriptions of the processors that mlc compiles for, as data: nothing here inspects a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from mlc.errors import Error
from mlc.targets.features import FEATURE_NAMES, features_of

KIB = 1024
MIB = 1024 * KIB
LINUX_X86_64 = "x86_64-unknown-linux-gnu"
# Pipelines from a model as it was imported to kernels and planned host functions.
GRAPH_PIPELINES = ("graph-optimize", "lower-graph", "form-kernels", "host-plan-memory")


class TargetError(Error, ValueError):
    """The name or text of a target describes no processor."""


@dataclass(frozen=True)
class Target:
    """One processor.

    `cpu` and `features` are LLVM's names (`features` adds to or takes from what `cpu` implies: "+avx2",
    "-rtm"). `vector_bits` is the width of the vectors that code should use, `vector_registers` the number
    of vector registers. Cache sizes are in bytes; `l1d` and `l2` are those of one core, `l3` is shared, 0 if
    there is none. `cores` is the number of cores that a process may run on, 0 when unknown.

    `graph_pipelines` and `kernel_pipeline` name the pipelines that make code for it, of a model and of each
    kernel. `libraries` are paths of shared libraries whose functions kernels call: an accelerator's driver.
    """

    name: str
    triple: str = LINUX_X86_64
    cpu: str = "x86-64"
    features: tuple[str, ...] = ()
    vector_bits: int = 128
    vector_registers: int = 16
    l1d: int = 32 * KIB
    l2: int = 256 * KIB
    l3: int = 8 * MIB
    cores: int = 0
    graph_pipelines: tuple[str, ...] = GRAPH_PIPELINES
    kernel_pipeline: str = "cpu-kernel"
    libraries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for feature in self.features:
            if feature[:1] not in ("+", "-") or any(c in feature for c in ",:= "):
                raise TargetError(f"target feature {feature!r}: expected +name or -name")
        if self.vector_bits % 8 or self.vector_bits <= 0:
            raise TargetError(
                f"target {self.name}: vector-bits {self.vector_bits} is not a positive multiple of 8"
            )

        if self.vector_registers <= 0:
            raise TargetError(f"target {self.name}: vector-registers {self.vector_registers} is not positive")
        for path in self.libraries:
            if any(c in path for c in ",:") or path != "".join(path.split()):
                raise TargetError(
                    f"target {self.name}: library {path!r}: paths may have no comma, colon or space"
                )

    @property
    def architecture(self) -> str:
        """First part of the triple, for instance "x86_64"."""
        return self.triple.partition("-")[0]

    def has(self, feature: str) -> bool:
        """Whether the target is an x86-64 processor for which LLVM uses `feature`, one of `FEATURES`: implied
        by `cpu`, or given in `features`. Raises ValueError for other names."""
        if feature not in FEATURE_NAMES:
            raise ValueError(f"targets/features.py has no feature '{feature}'")
        return self.architecture == "x86_64" and feature in features_of(self.cpu, self.features)

    def with_features(self, *features: str) -> Target:
        """Returns a copy with `features` ("+x", "-x") appended; later ones win."""
        return replace(self, features=(*self.features, *features))

    def __str__(self) -> str:
        """Returns the text form, one line without spaces, that `parse_target` reads back."""
        return ",".join(f"{_text_name(f.name)}={_print_value(getattr(self, f.name))}" for f in fields(self))

    @staticmethod
    def host() -> Target:
        """Returns the machine this process runs on, from the provider that the code generator sets.

        Raises TargetError when no provider is set: import `mlc.codegen.host_target` first.
        """
        if _host_provider is None:
            raise TargetError("nothing describes the host: import mlc.codegen.host_target first")
        return _host_provider()


_host_provider: Callable[[], Target] | None = None


def set_host_provider(provider: Callable[[], Target]) -> None:
    """Sets the function that `Target.host` calls; it inspects the machine, which this package must not."""
    global _host_provider  # noqa: PLW0603 - the one hook through which the layer above describes the host
    _host_provider = provider


def parse_fields(text: str, base: Target) -> Target:
    """Returns `base` with the fields of `text` ("cpu=znver5,features=+avx2:-rtm,l2=1048576").

    Raises TargetError for an unknown field or a value of the wrong type.
    """
    values: dict[str, Any] = {}
    known = {_text_name(f.name): f.name for f in fields(base)}
    for item in text.split(","):
        name, equals, value = item.strip().partition("=")
        if not equals or name not in known:
            raise TargetError(f"target text {item!r}: expected one of {', '.join(known)} and '=value'")
        values[known[name]] = _parse_value(name, value, getattr(base, known[name]))
    return replace(base, **values)


def _text_name(field_name: str) -> str:
    return field_name.replace("_", "-")


def _print_value(value: object) -> str:
    if isinstance(value, tuple):
        return ":".join(value)
    return str(int(value)) if isinstance(value, bool) else str(value)


def _parse_value(name: str, text: str, like: object) -> object:
    if isinstance(like, tuple):
        return tuple(part for part in text.split(":") if part)
    if isinstance(like, str):
        return text
    try:
        value = int(text)
    except ValueError:
        raise TargetError(f"target text {name}={text}: expected an integer") from None
    return bool(value) if isinstance(like, bool) else value
