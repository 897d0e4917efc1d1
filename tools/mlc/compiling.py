"""What the commands that compile share: the options, and the compilation with its progress bar."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from mlc.tools.mlc.failures import ToolError
from mlc.tools.mlc.session import Progress, R, Session

if TYPE_CHECKING:
    from mlc.compiler import Options
    from mlc.runtime import Executable

_HOST = "host"


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
    jobs: int = 0
    blocks_on_cpu: bool = False
    cubin: bool = False
    cache: bool = True
    cache_dir: str | None = None

    def options(self, progress: Progress) -> Options:
        """The compiler's options. Raises click.UsageError for a malformed --dim or --shape, and for passes
        that cannot be switched; TargetError."""
        from mlc.compiler import Options

        _announce_passes()
        _load_plugins(self.load_plugin)
        dims, shapes = _sizes(self.dims, self.shapes)
        if self.cache_dir:
            os.environ["MLC_CACHE_DIR"] = os.path.abspath(self.cache_dir)
        options = Options(
            target=self._target(),
            dims=dims,
            shapes=shapes,
            cache=self.cache,
            jobs=self.jobs,
            disable_passes=self.disable_pass,
            replace_passes=_replacements(self.replace_pass),
            exactness=self.exactness,
            schedules=_read_schedules(self.schedule_file),
            precision=self.precision,
            blocks_on_cpu=self.blocks_on_cpu,
            cubin=self.cubin,
            progress=progress,
        )
        _check_switches(options)
        return options

    def _target(self) -> str:
        """A name or text for `Options.target`."""
        if not (self.target_triple or self.target_features):
            return self.target_cpu
        from mlc.codegen.machines import chosen_target

        # The host is no default where another machine's triple is given.
        cpu = "" if self.target_triple and self.target_cpu == _HOST else self.target_cpu
        return str(chosen_target(self.target_triple, cpu, self.target_features))


def _replacements(texts: tuple[str, ...]) -> dict[str, str]:
    """--replace-pass by name."""
    parted = [text.partition("=") for text in texts]
    for name, equals, _ in parted:
        if not (name and equals):
            raise click.UsageError(f"--replace-pass expects NAME=PIPELINE, not '{name}{equals}'")
    return {name: pipeline for name, _, pipeline in parted}


def _read_schedules(path: str | None) -> str:
    """The text of --schedule-file. Raises OSError, ToolError for an empty file."""
    if path is None:
        return ""
    text = Path(path).read_text(encoding="utf-8")
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
    """Has a crash of C++ blamed on the pass in which it happened."""
    from mlc.pipelines.driver import watch_all
    from mlc.tools import announcer, guard

    if guard.current is not None:
        watch_all(announcer.Announcer(guard.current))


def compile_options(function: Callable[..., R]) -> Callable[..., R]:
    """Adds the options of a compilation; the command gets them as `flags`."""
    return _with_options(function, (*_GRAPH_OPTIONS, *_CODE_OPTIONS))


def graph_options(function: Callable[..., R]) -> Callable[..., R]:
    """Adds those of the graph level alone, for commands that make no code."""
    return _with_options(function, _GRAPH_OPTIONS)


def _with_options(function: Callable[..., R], options: Sequence[Callable[..., Any]]) -> Callable[..., R]:
    @wraps(function)
    def command(**values: Any) -> R:
        flags = CompileFlags(**{name: values.pop(name) for name in _NAMES if name in values})
        return function(flags=flags, **values)

    result: Callable[..., R] = command
    for option in reversed(options):
        result = option(result)
    return result


def _one_name(_ctx: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of an option that takes one each time that it is given."""
    for name in names:
        if "," in name:
            repeated = " ".join(f"{parameter.opts[0]} {each}" for each in name.split(","))
            raise click.BadParameter(f"'{name}': one pass each time: {repeated}")
    return names


_NAMES = [field.name for field in fields(CompileFlags)]
_GRAPH_OPTIONS = (
    click.option(
        "--target",
        "--target-cpu",
        "target_cpu",
        default=_HOST,
        metavar="NAME",
        help="Compile for this processor, GPU, or target of a plugin ('mlc targets' lists them).",
    ),
    click.option(
        "--target-triple",
        default="",
        metavar="TRIPLE",
        help="The processor's triple, for names of LLVM's that are not listed: aarch64-linux-gnu.",
    ),
    click.option(
        "--target-features",
        default="",
        metavar="LIST",
        help="Features to add to the processor's or to take away: +avx512bf16,-sse4a.",
    ),
    click.option(
        "--dim",
        "dims",
        multiple=True,
        metavar="NAME=N",
        help="Fix a dynamic dim of the model by name: batch=1.",
    ),
    click.option(
        "--shape",
        "shapes",
        multiple=True,
        metavar="INPUT:AxBxC",
        help="Give an input's shape: x:1x3x224x224.",
    ),
    click.option(
        "--disable-pass",
        multiple=True,
        callback=_one_name,
        metavar="NAME",
        help="Leave a pass out of the graph-level pipelines (may be repeated).",
    ),
    click.option(
        "--replace-pass",
        multiple=True,
        metavar="NAME=PIPELINE",
        help="Run this instead of a pass: graph-form-kernels='graph-form-kernels{fuse=false}'.",
    ),
    click.option(
        "--exactness",
        type=click.Choice(["exact", "rounding", "approximate"]),
        default="rounding",
        show_default=True,
        help="What graph-level passes may do to numbers.",
    ),
    click.option(
        "--schedule-file",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="MLIR with tloop.schedule ops that replace kernels' default schedules, by name or pattern.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["f32", "tf32", "f16", "bf16"]),
        default="f32",
        show_default=True,
        help="Round the operands of f32 products and convolutions to this type; sums stay f32.",
    ),
    click.option(
        "--load-plugin",
        multiple=True,
        type=click.Path(),
        metavar="PATH",
        help="Load passes, operators and targets from a Python file, or a package's folder, with "
        "register(registry).",
    ),
)
_CODE_OPTIONS = (
    click.option(
        "--jobs",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Worker processes (default: one per core).",
    ),
    click.option(
        "--blocks-on-cpu",
        is_flag=True,
        help="With a GPU as target: run its programs of thread blocks on this machine, to compare numbers.",
    ),
    click.option(
        "--cubin", is_flag=True, help="With a GPU as target: what NVIDIA's assembler makes, instead of PTX."
    ),
    click.option("--cache/--no-cache", default=True, help="Use the compile cache on disk (the default)."),
    click.option(
        "--cache-dir",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="The cache's folder ('mlc cache' shows it).",
    ),
)


def _sizes(dims: tuple[str, ...], shapes: tuple[str, ...]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """--dim and --shape by name; a shape follows ':' or '='."""
    from mlc.tools.command_line import UsageError
    from mlc.tools.translate.import_onnx import parse_dims, parse_shapes

    texts = []
    for text in shapes:
        name, colon, sizes = text.rpartition(":")
        texts.append(f"{name}={sizes}" if colon and "=" not in sizes else text)
    try:
        return parse_dims(list(dims)), parse_shapes(texts)
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def show_log(session: Session) -> None:
    """Warnings of the compiler's parts (the cache, say) go to stderr in our form."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            session.warn(record.getMessage())

    logger = logging.getLogger("mlc")
    logger.handlers = [Handler()]
    logger.propagate = False


def is_compiled(path: str) -> bool:
    """Whether `path` is an executable file rather than a model. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(4) == b"PK\x03\x04"


def check_is_model(path: str) -> None:
    """Raises ToolError for an executable file or an archive, OSError for one that cannot be read."""
    if is_compiled(path):
        if Path(path).suffix == ".npz":
            raise ToolError(f"{path} holds arrays; give a model (.onnx or .mlir)")
        raise ToolError(f"{path} is compiled already; give the model that it came from")


def load_or_compile(path: str, flags: CompileFlags, session: Session, threads: int | None) -> Executable:
    """The executable of a .mlcx file, or of a model."""
    show_log(session)
    if is_compiled(path):
        from mlc.runtime import load

        return load(path, threads=threads)
    with session.progress() as progress:
        options = flags.options(progress)
        from mlc.compiler import compile_program

        return compile_program(path, options).executable(threads)


def onnx_model(path: str, model: str | None) -> Path:
    """The ONNX file to compare with: `model` if given, else `path`. Raises ToolError."""
    chosen = model or path
    if model is None and (is_compiled(path) or Path(path).suffix in (".mlir", ".mlirbc")):
        raise ToolError(f"{path} is no ONNX model to compare with; name the one it came from with --model")
    return Path(chosen)
