"""The command `mlc targets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.text_tables import byte_size, table

if TYPE_CHECKING:
    from rich.console import Console

_PROCESSORS = ("name", "machine", "LLVM's cpu", ">vector bits", ">vectors", ">L1 data", ">L2", ">L3")
_GPUS = ("GPU", "LLVM's cpu", ">threads", ">registers", ">shared memory", ">L2", ">multiprocessors")


@click.command("targets", short_help="List the processors and GPUs to compile for.")
@output_options
def targets_command(session: CommandSession) -> None:
    """List what --target takes; any x86-64 name of LLVM's is taken too, and with --target-triple those of
    other machines. Of a GPU: the threads of a block, and what a block may use."""
    from dataclasses import asdict

    from mlc.codegen.host_target import host_target
    from mlc.compiler.plugins import load_plugins
    from mlc.targets import NAMED, parse_target, registered_targets

    load_plugins()
    plugins = map(parse_target, registered_targets())
    found = [asdict(target) for target in (host_target(), *NAMED.values(), *plugins)]

    def render(console: Console) -> None:
        """Prints the tables."""
        console.print(table(_PROCESSORS, [_processor(target) for target in found if not _is_gpu(target)]))
        console.print()
        console.print(table(_GPUS, [_gpu(target) for target in found if _is_gpu(target)]))

    session.show({"targets": found}, render)


def _is_gpu(target: dict[str, Any]) -> bool:
    return "warp_threads" in target


def _processor(target: dict[str, Any]) -> list[str]:
    sizes = [byte_size(target[key]) for key in ("l1d", "l2", "l3")]
    machine, _, _ = target["triple"].partition("-")
    vectors = [str(target["vector_bits"]), str(target["vector_registers"])]
    return [target["name"], machine, target["cpu"], *vectors, *sizes]


def _gpu(target: dict[str, Any]) -> list[str]:
    counts = [str(target[key]) for key in ("block_threads", "registers")]
    sizes = [byte_size(target[key]) for key in ("shared_bytes", "l2")]
    return [target["name"], target["cpu"], *counts, *sizes, str(target["cores"])]
