"""The command `mlc fuzz`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlc.tools.mlc.error_messages import FAILURE, ToolError
from mlc.tools.mlc.option_types import FilePath, FiniteRange
from mlc.tools.mlc.session import CommandSession, output_options

if TYPE_CHECKING:
    from mlc.tools.fuzz.driver import CaseResult, Fuzzer
    from mlc.tools.fuzz.worker_side import WorkerSettings

_VARIANTS = ("static", "const", "dynamic")
_FAMILIES = ("nodes", "attention", "products", "convolutions", "shapes", "recurrent", "quantised")
_PROGRESS = 100  # cases between two lines of progress


def _names_of(what: str, known: Sequence[str]) -> Callable[..., tuple[str, ...]]:
    """Returns the callback of an option that takes some of the known names."""

    def parse(_ctx: click.Context, _parameter: click.Parameter, text: str) -> tuple[str, ...]:
        names = tuple(text.split(",")) if text else ()
        unknown = [name for name in names if name not in known]
        if unknown:
            raise click.BadParameter(f"'{unknown[0]}' is no {what}; there are {', '.join(known)}")
        return names

    return parse


def _pattern(_ctx: click.Context, _parameter: click.Parameter, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"'{text}' is no regular expression: {error}") from error


@click.command("fuzz", short_help="Compare mlc with other engines on random models.")
@click.option("--cases", type=click.IntRange(1), default=200, metavar="N", help="How many cases (200).")
@click.option("--first", type=click.IntRange(0), default=0, metavar="N", help="Index of the first case (0).")
@click.option("--seed", type=click.IntRange(0), default=0, metavar="N", help="Draws other cases (0).")
@click.option("--jobs", type=click.IntRange(1), default=1, metavar="N", help="Worker processes (1).")
@click.option(
    "--variant",
    "variants",
    callback=_names_of("variant", _VARIANTS),
    default="static,const",
    metavar="NAME,...",
    help="static: inputs of known sizes; const: all inputs constants; dynamic: inputs of dynamic sizes"
    " (static,const).",
)
@click.option(
    "--family",
    "families",
    callback=_names_of("family", _FAMILIES),
    default="",
    metavar="NAME,...",
    help="nodes: mutated node cases of ONNX's suite; models as exporters write them: attention, products,"
    " convolutions, shapes, recurrent, quantised (all; with --ops nodes).",
)
@click.option(
    "--ops",
    "operators",
    callback=_pattern,
    default="",
    metavar="REGEX",
    help="Only such operators, of the family nodes.",
)
@click.option(
    "--output",
    type=FilePath(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Save findings (build/fuzz).",
)
@click.option(
    "--time-limit", type=FiniteRange(min=0.1), default=60.0, metavar="SECONDS", help="For a case (60)."
)
@click.option("--trials", type=click.IntRange(0), default=120, metavar="N", help="To shrink a finding (120).")
@click.option(
    "--replay",
    type=FilePath(exists=True, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Run a saved case instead: its folder, or a file in it. May be given several times.",
)
@click.option("--log", type=FilePath(path_type=Path), metavar="FILE", help="Append what engines print.")
@output_options
def fuzz_command(
    session: CommandSession,
    *,
    cases: int,
    first: int,
    seed: int,
    jobs: int,
    variants: tuple[str, ...],
    families: tuple[str, ...],
    operators: re.Pattern[str],
    output: Path | None,
    time_limit: float,
    trials: int,
    replay: tuple[Path, ...],
    log: Path | None,
) -> int:
    """Compile and run random models, and compare with what several oracles compute: ONNX Runtime, ONNX's
    reference implementation, and the function bodies of ONNX's operators. The models are mutated node cases
    of ONNX's backend suite, chains of them, and layers with open dims as exporters write them, each called
    with several sizes. Each case runs in a worker process; one of each group of findings is shrunk and saved.
    Exit status: 1 if something was found.
    """
    from mlc.tools.fuzz.driver import Fuzzer
    from mlc.tools.fuzz.oracles import lacking

    if lacking():
        raise ToolError(lacking())
    _check_cases(replay)
    if log is not None:
        # The workers open it, and have no way to report that they cannot.
        log.open("ab").close()
    families = families or (_FAMILIES if not operators.pattern else ("nodes",))
    settings = _settings(operators, seed, variants, families, drawn=not replay)
    fuzzer = Fuzzer(settings, jobs, time_limit, log)
    results = list(fuzzer.run_saved(replay) if replay else _with_progress(fuzzer, session, first, cases))
    _show(session, results, bool(replay))
    if not replay:
        _save(session, fuzzer, results, output or Path("build/fuzz"), trials)
    return FAILURE if any(result.verdict.is_finding for result in results) else 0


def _check_cases(paths: Sequence[Path]) -> None:
    """Raises ToolError for the first path that is no saved case."""
    from google.protobuf.message import DecodeError

    from mlc.tools.fuzz.case import load

    for path in paths:
        try:
            load(path)
        except (OSError, ValueError, LookupError, TypeError, DecodeError) as error:
            raise ToolError(f"{path} is no saved case: {type(error).__name__}: {error}") from error


def _settings(
    operators: re.Pattern[str],
    seed: int,
    variants: tuple[str, ...],
    families: tuple[str, ...],
    *,
    drawn: bool,
) -> WorkerSettings:
    from mlc.tools.fuzz.seeds import Seeds, load_seeds
    from mlc.tools.fuzz.worker_side import WorkerSettings

    needed = drawn and "nodes" in families
    seeds = load_seeds(operators) if needed else Seeds((), {})
    if needed and not seeds.cases:
        raise ToolError(f"no operator of ONNX's node cases fits '{operators.pattern}'")
    return WorkerSettings(seeds, seed, variants, families=families)


def _with_progress(fuzzer: Fuzzer, session: CommandSession, first: int, cases: int) -> Iterator[CaseResult]:
    """Yields the results, with lines on stderr for findings and for progress."""
    for count, result in enumerate(fuzzer.run_drawn(range(first, first + cases)), 1):
        if result.verdict.is_finding:
            _say(session, f"{result.name} {' '.join(result.operators)}: {result.verdict.line}")
        if count % _PROGRESS == 0:
            _say(session, f"{count} of {cases} cases")
        yield result


def _say(session: CommandSession, line: str) -> None:
    if not session.quiet:
        print(line, file=sys.stderr, flush=True)


def _show(session: CommandSession, results: list[CaseResult], replayed: bool) -> None:
    from mlc.tools.fuzz.summary import as_data, as_text

    lines = list(as_text(results))
    if replayed:
        lines = [f"{result.name}: {result.verdict.line}" for result in results]
        lines += [
            f"  {name}: {answer}" for result in results for name, answer in result.verdict.votes.items()
        ]
    session.show(as_data(results), lambda console: console.print("\n".join(lines), soft_wrap=True))


def _save(
    session: CommandSession, fuzzer: Fuzzer, results: list[CaseResult], output: Path, trials: int
) -> None:
    from mlc.tools.fuzz.findings import save_findings

    for folder in save_findings(fuzzer, results, output, trials):
        _say(session, f"saved {folder}")
