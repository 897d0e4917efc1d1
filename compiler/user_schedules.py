"""Attaches users' schedules to kernels of a model."""

from __future__ import annotations

from fnmatch import fnmatchcase

from mlc.bindings import ParseError, func, ir, parse_module
from mlc.compiler.errors import CompileError
from mlc.dialects import tloop
from mlc.passes.common.kernel_functions import is_kernel, schedules


def attach_schedules(module: ir.Operation, text: str) -> None:
    """Puts copies of the `tloop.schedule` ops in `text` after the kernels that they name.

    A schedule's kernel is a name, or a pattern of names as the shell's. Raises CompileError for text that is
    no IR of schedules, a schedule that matches no kernel, and a kernel with two schedules.
    """
    if not text:
        return
    kernels = {
        func.Func(op).sym_name: op.operation for op in module.regions[0].blocks[0] if is_kernel(op.operation)
    }
    own = schedules(module)
    given: set[str] = set()
    # The module owns the schedules, which do not outlive it.
    parsed = _parse(text, module.context)
    for schedule in [op.operation for op in parsed.body.operations]:
        pattern = tloop.Schedule(schedule).kernel
        names = [name for name in kernels if fnmatchcase(name, pattern)]
        if not names:
            known = f"there are: {', '.join(kernels) or 'none'}"
            raise CompileError(f"the schedule of '{pattern}' matches no kernel", [known])
        for name in names:
            if name in given:
                raise CompileError(f"kernel @{name} has two schedules; the second one is that of '{pattern}'")
            given.add(name)
            if name in own:
                own[name].erase()
            copy = schedule.clone(ip=ir.InsertionPoint.after(kernels[name])).operation
            tloop.Schedule(copy).kernel = name


def _parse(text: str, context: ir.Context) -> ir.Module:
    """Parses a module of schedules only. Raises CompileError."""
    try:
        module = parse_module(text, context, "schedules")
    except ParseError as error:
        raise CompileError(f"the schedules cannot be read: {error}") from error
    names = [op.operation.name for op in module.body.operations]
    others = [name for name in names if name != tloop.Schedule.NAME]
    if others or not names:
        found = f"a '{others[0]}'" if others else "nothing"
        raise CompileError(f"expected tloop.schedule ops, but the schedules hold {found}")
    return module
