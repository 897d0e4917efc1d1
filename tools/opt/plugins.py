"""Loads passes from Python files, for `--load-plugin`."""

from __future__ import annotations

from mlc.tools.child_activity import Activity
from mlc.tools.command_line import CommandLine, UsageError


def load_plugins(line: CommandLine, activity: Activity) -> None:
    """Loads the files that the command line names. Raises `UsageError`."""
    for path in line.values.get("load-plugin", []):
        activity.begin(f"mlc-opt: error: loading plugin '{path}'")
        _load(path)


def _load(path: str) -> None:
    from mlc.passes import registry

    before = set(registry.names())
    try:
        registry.load_plugin(path)
    except registry.PluginError as error:
        raise UsageError(str(error)) from error
    except SystemExit as error:
        raise UsageError(f"cannot load plugin '{path}': it raised SystemExit: {error}") from error
    for name in set(registry.names()) - before:
        _check(path, name)


def _check(path: str, name: str) -> None:
    """Checks that a plugin registered a pass with a new name. Raises `UsageError`."""
    from mlc.bindings.upstream_table import upstream_passes
    from mlc.passes import registry
    from mlc.pipelines.named import lookup_pipeline

    target = registry.target(name)
    if name in upstream_passes():
        raise UsageError(f"plugin '{path}': '{name}' is a pass of upstream MLIR; give yours another name")
    if lookup_pipeline(name) is not None:
        raise UsageError(f"plugin '{path}': '{name}' is a named pipeline; give the pass another name")
    # A string names a module that is imported when the pass is used.
    if not isinstance(target, str) and not _is_pass(target):
        raise UsageError(f"plugin '{path}': '{name}' is no pass: {target!r} does not derive from Pass")


def _is_pass(target: object) -> bool:
    from mlc.passes.base import Pass

    return isinstance(target, type) and issubclass(target, Pass)
