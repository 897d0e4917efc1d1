"""`--load-plugin`: passes from Python files, whatever these do."""

from __future__ import annotations

from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.guard import Activity


def load_plugins(line: CommandLine, activity: Activity) -> None:
    """Loads the files that the command line names. Raises `UsageError`."""
    for path in line.values.get("load-plugin", []):
        activity.begin(f"mlc-opt: error: loading plugin '{path}'")
        _load(path)


def _load(path: str) -> None:
    from mlc.passes.registry import PluginError, load_plugin

    try:
        load_plugin(path)
    except PluginError as error:
        raise UsageError(str(error)) from error
    except SystemExit as error:
        raise UsageError(f"cannot load plugin '{path}': it raised SystemExit: {error}") from error
