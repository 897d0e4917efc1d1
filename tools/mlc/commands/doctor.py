"""`mlc doctor`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from mlc.tools.mlc.error_messages import FAILURE, describe
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.text_tables import table

if TYPE_CHECKING:
    from mlc.tools.mlc.commands.doctor_checks import CheckResult


@click.command("doctor", short_help="Check what mlc needs.")
@output_options
def doctor_command(session: CommandSession) -> int:
    """Check what mlc needs: packages, processor, cache, C compiler, GPUs; compile and run a small model."""
    from mlc.tools.mlc.commands.doctor_checks import CHECKS

    findings = [finding for name, check in CHECKS.items() for finding in _safely(name, check)]
    healthy = all(finding.state != "broken" for finding in findings)
    data = {
        "healthy": healthy,
        "checks": [
            {"name": finding.name, "state": finding.state, "detail": finding.detail} for finding in findings
        ],
    }
    rows = [[finding.state, finding.name, finding.detail] for finding in findings]
    session.show(data, lambda console: console.print(table(("", "", ""), rows)))
    return 0 if healthy else FAILURE


def _safely(name: str, check: Callable[[], Sequence[CheckResult]]) -> Sequence[CheckResult]:
    """The findings of a check; that it raises is one too."""
    from mlc.tools.mlc.commands.doctor_checks import CheckResult

    try:
        return check()
    except Exception as error:
        message, notes = describe(error)
        return [CheckResult(name, "broken", "; ".join([message, *notes]))]
