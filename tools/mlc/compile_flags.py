"""The options of a compilation as given on the command line, and their conversion to the compiler's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.session import Progress
from mlc.tools.mlc.specialise_option import parse_specialise

if TYPE_CHECKING:
    from mlc.codegen.pool import JobRunner
    from mlc.compiler import Options

# The default of --target.
HOST = "host"


@dataclass(frozen=True)
class CompileFlags:
    """The options of `compile_options` as given on the command line; those of `graph_options` come first."""

    target_cpu: str
    target_triple: str
    target_features: str
    dims: tuple[str, ...]
    shapes: tuple[str, ...]
    disable_pass: tuple[str, ...]
    replace_pass: tuple[str, ...]
    exactness: str
    schedule_file: str | None
    precision: str
    load_plugin: tuple[str, ...]
    import_budget: tuple[str, ...]
    independent_dim: tuple[str, ...] = ()
    jobs: int = 0
    blocks_on_cpu: bool = False
    cubin: bool = False
    unsupported: str = "error"
    unchecked_indices: bool = False
    specialise: tuple[str, ...] = ()
    cache: bool = True
    cache_dir: str | None = None

    def options(self, progress: Progress, pool: JobRunner | None = None) -> Options:
        """Returns the compiler's options; compilations may share a `pool` of workers.

        Raises click.UsageError for a malformed --dim, --shape or --specialise, and for passes that cannot be
        switched; TargetError.
        """
        from mlc.compiler import Options
        from mlc.tools.mlc.size_options import parse_sizes

        _announce_passes()
        _load_plugins(self.load_plugin)
        dims, shapes = parse_sizes(self.dims, self.shapes)
        if self.cache_dir:
            os.environ["MLC_CACHE_DIR"] = os.path.abspath(self.cache_dir)
        options = Options(
            target=self._target(),
            dims=dims,
            shapes=shapes,
            cache=self.cache,
            jobs=self.jobs,
            pool=pool,
            disable_passes=self.disable_pass,
            replace_passes=_replacements(self.replace_pass),
            exactness=self.exactness,
            schedules=_read_schedules(self.schedule_file),
            precision=self.precision,
            blocks_on_cpu=self.blocks_on_cpu,
            cubin=self.cubin,
            unsupported=self.unsupported,
            unchecked_indices=self.unchecked_indices,
            specialise=parse_specialise(self.specialise),
            import_budget=_parse_budget(self.import_budget),
            independent_dims=self.independent_dim,
            progress=progress,
        )
        _check_switches(options)
        return options

    def _target(self) -> str:
        """Returns a name or text for `Options.target`."""
        if not (self.target_triple or self.target_features):
            return self.target_cpu
        from mlc.codegen.triples import chosen_target

        # The host is no default where another machine's triple is given.
        cpu = "" if self.target_triple and self.target_cpu == HOST else self.target_cpu
        return str(chosen_target(self.target_triple, cpu, self.target_features))


def _replacements(texts: tuple[str, ...]) -> dict[str, str]:
    """Returns the values of --replace-pass by name."""
    parted = [text.partition("=") for text in texts]
    for name, equals, _ in parted:
        if not (name and equals):
            raise click.UsageError(f"--replace-pass expects NAME=PIPELINE, not '{name}{equals}'")
    return {name: pipeline for name, _, pipeline in parted}


def _parse_budget(texts: tuple[str, ...]) -> dict[str, float]:
    """Returns the limits of --import-budget by name. Raises click.UsageError."""
    from mlc.tools.command_line import UsageError
    from mlc.tools.translate.import_onnx import parse_budget

    try:
        return parse_budget(texts)
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def _read_schedules(path: str | None) -> str:
    """Returns the text of --schedule-file. Raises OSError, ToolError for an empty file."""
    if path is None:
        return ""
    # MLIR's parser refuses what is not UTF-8, and names the line and column.
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    if not text.strip():
        raise ToolError(f"{path} is empty; expected tloop.schedule ops")
    return text


def _check_switches(options: Options) -> None:
    from mlc.pipelines.grammar import PipelineError

    try:
        options.graph_pipelines()
    except PipelineError as error:
        raise click.UsageError(str(error)) from error


def _load_plugins(paths: tuple[str, ...]) -> None:
    from mlc.passes import registry

    # Worker processes load them from there.
    given = os.environ.get(registry.PLUGIN_VARIABLE, "").split(os.pathsep)
    os.environ[registry.PLUGIN_VARIABLE] = os.pathsep.join(
        [*filter(None, given), *map(os.path.abspath, paths)]
    )
    try:
        for path in paths:
            registry.load_plugin(path)
    except registry.PluginError as error:
        raise click.UsageError(str(error)) from error


def _announce_passes() -> None:
    """Reports passes as steps of the child, so that a crash names its pass."""
    from mlc.pipelines.driver import watch_all
    from mlc.tools import child_activity, pass_announcer

    if child_activity.current is not None:
        watch_all(pass_announcer.Announcer(child_activity.current))
