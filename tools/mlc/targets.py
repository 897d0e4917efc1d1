"""`mlc targets`."""

from __future__ import annotations

from typing import Any

import click
from mlc.tools.mlc.session import Session, output_options
from mlc.tools.mlc.tables import byte_size, table


@click.command("targets", short_help="List the processors to compile for.")
@output_options
def targets_command(session: Session) -> None:
    """List the processors that --target-cpu takes; any x86-64 name of LLVM's is taken too, and with
    --target-triple those of other machines."""
    from dataclasses import asdict

    from mlc.codegen.host import host_target
    from mlc.compiler.plugins import load_plugins
    from mlc.targets import NAMED, parse_target, registered_targets

    load_plugins()
    plugins = map(parse_target, registered_targets())
    found = [asdict(target) for target in (host_target(), *NAMED.values(), *plugins)]

    def row(each: dict[str, Any]) -> list[str]:
        sizes = [byte_size(each[key]) for key in ("l1d", "l2", "l3")]
        machine, _, _ = each["triple"].partition("-")
        vectors = [str(each["vector_bits"]), str(each["vector_registers"])]
        return [each["name"], machine, each["cpu"], *vectors, *sizes]

    columns = ("name", "machine", "LLVM's cpu", ">vector bits", ">vectors", ">L1 data", ">L2", ">L3")
    session.show({"targets": found}, lambda console: console.print(table(columns, map(row, found))))
