"""Jobs that the pool's tests run in workers."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from typing import Any

from mlc.codegen.emit import emit
from mlc.targets import parse_target

Payload = dict[str, Any]


class StructuredError(Exception):
    """An error with fields, as the passes' are."""

    def __init__(self) -> None:
        super().__init__("no such tile")
        self.message = "no such tile"
        self.notes = ("try 16",)
        self.tile = 12
        self.where = {"sizes": [1, 2]}
        self.location = object


def echo(payload: Payload) -> Payload:
    return {**payload, "pid": os.getpid()}


def parse(payload: Payload) -> Payload:
    # Here, as loading MLIR takes longer than most jobs.
    from mlc.bindings import ir
    from mlc.dialects import create_context

    return {"text": str(ir.Module.parse("func.func @f() { scf.nothing }", create_context()))}


def chatty(payload: Payload) -> Payload:
    print("on stdout", flush=True)
    os.write(1, b"on descriptor 1\n")
    return {"stdin": sys.stdin.read()}


def fail(payload: Payload) -> Payload:
    error = StructuredError()
    error.add_note("in kernel k3")
    raise error


def leave(payload: Payload) -> Payload:
    sys.exit("enough")


def unsendable(payload: Payload) -> Payload:
    return {"value": object()}


def segfault(payload: Payload) -> Payload:
    os.write(2, b"about to\n")
    return {"value": ctypes.string_at(0)}


def kill_self(payload: Payload) -> Payload:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def exit_now(payload: Payload) -> Payload:
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


def spin(payload: Payload) -> Payload:
    if "child" in payload:
        child = subprocess.Popen(["sleep", "600"])
        with open(payload["child"], "w") as file:
            file.write(str(child.pid))
    if "started" in payload:
        with open(payload["started"], "w") as file:
            file.write(str(os.getpid()))
    while True:
        time.sleep(0.01)


def nap(payload: Payload) -> Payload:
    time.sleep(payload["seconds"])
    return {}


def compile_text(payload: Payload) -> Payload:
    return {"object": emit(payload["text"], parse_target(payload["target"]))}


def check_preload(payload: Payload) -> Payload:
    return {"loaded": "wave" in sys.modules}
