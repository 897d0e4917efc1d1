"""The models of the zoo that are in its folder."""

from __future__ import annotations

import os
from pathlib import Path

from bench.zoo.fetch import is_present
from bench.zoo.model import Model
from bench.zoo.trained import trained_models

FOLDER = Path(os.environ.get("ZOO", Path(__file__).parents[2] / "build" / "zoo"))


def models(folder: Path = FOLDER) -> list[Model]:
    """Returns, by name, the trained models that were fetched and those that an exporter described in
    GROUP/NAME.json."""
    fetched = [entry.model for entry in trained_models() if is_present(entry, folder)]
    exported = [Model.from_json(path.read_text()) for path in folder.glob("*/*.json")]
    return sorted(
        [*fetched, *(model for model in exported if (folder / model.file).is_file())],
        key=lambda model: model.name,
    )
