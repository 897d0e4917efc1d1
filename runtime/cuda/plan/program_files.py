"""Reads and writes programs as folders: a plan, and the images and objects that it names."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from mlc.runtime.atomic_file import atomic_file
from mlc.runtime.cuda.plan.plan import Plan, parse_plan
from mlc.runtime.errors import ExecutableError

PLAN_FILE = "plan.json"


def write_program(folder: str | os.PathLike[str], plan: Plan, images: Mapping[str, bytes]) -> None:
    """Writes a plan as plan.json, and beside it its images and the processor's objects; makes the folder.
    Raises ExecutableError."""
    target = Path(folder)
    missing = [name for name in plan.code_files if name not in images]
    if missing:
        raise ExecutableError(f"{target}: missing images {missing}")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExecutableError(f"{target}: cannot make the folder: {error.strerror or error}") from error
    for name in plan.code_files:
        with atomic_file(target / name) as file:
            file.write(images[name])
    with atomic_file(target / PLAN_FILE) as file:
        file.write(json.dumps(plan.to_json(), separators=(",", ":")).encode())


def read_program(folder: str | os.PathLike[str]) -> tuple[Plan, dict[str, bytes]]:
    """Returns the plan of a folder, checked, and its images and objects. They are code: load only what you
    trust.

    Raises ExecutableError with the path and the cause.
    """
    target = Path(folder)
    plan = parse_plan(_read(target / PLAN_FILE), str(target / PLAN_FILE))
    return plan, {name: _read(target / name) for name in plan.code_files}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ExecutableError(f"{path}: cannot read: {error.strerror or error}") from error
