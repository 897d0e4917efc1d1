"""Finds the engines that can run on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from bench import engines, environments
from bench.cell import ROOT
from bench.run import RunSettings


def check_engines(texts: Sequence[str]) -> None:
    """Raises ValueError for engines that do not exist."""
    unknown = [
        name
        for name in (engines.EngineVariant.parse(text).name for text in texts)
        if name not in engines.names()
    ]
    if unknown:
        raise ValueError(
            f"no engine named {', '.join(unknown)}; the engines are: {', '.join(engines.names())}"
        )


_IMPORT = "import sys; from bench import engines; engines.find(sys.argv[1]).version()"


def missing(texts: Sequence[str], settings: RunSettings) -> dict[str, str]:
    """Returns those of `texts` whose engine cannot be imported in its interpreter, with the reason."""
    reasons: dict[str, str | None] = {}
    for name in dict.fromkeys(engines.EngineVariant.parse(text).name for text in texts):
        reasons[name] = _why_missing(name, settings)
    found = {text: reasons[engines.EngineVariant.parse(text).name] for text in texts}
    return {text: reason for text, reason in found.items() if reason is not None}


def _why_missing(name: str, settings: RunSettings) -> str | None:
    command = [settings.python(name), "-c", _IMPORT, name]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    own = settings.python(name) != sys.executable or not environments.requirements(name)
    return reason if own else f"{reason}; make its environment: python -m bench.environments {name}"
