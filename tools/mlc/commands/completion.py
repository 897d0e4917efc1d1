"""`mlc completion`."""

from __future__ import annotations

import click


@click.command("completion", short_help="Print the script for shell completion.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes mlc's commands: eval "$(mlc completion bash)"."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(ctx.find_root().command, {}, "mlc", "_MLC_COMPLETE").source())
