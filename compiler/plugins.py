"""Loads plugins for the compiler."""

from __future__ import annotations

from mlc.compiler.errors import CompileError
from mlc.passes import registry


def load_plugins() -> None:
    """Loads the plugins of installed packages, and those of the environment. Raises CompileError."""
    try:
        registry.load_installed_plugins()
    except registry.PluginError as error:
        raise CompileError(str(error)) from error
