"""The functions of the host's processor that steps of a plan call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from mlc.runtime.cuda.driver.streams import Stream
from mlc.runtime.cuda.plan.parts import CallStep, Processor
from mlc.runtime.errors import ExecutableError
from mlc.runtime.host_features import check_host

if TYPE_CHECKING:
    from mlc.runtime._native import Image


class HostFunctions:
    """The linked functions of a plan's processor, which use `threads` threads."""

    def __init__(self, processor: Processor, code: Mapping[str, bytes]) -> None:
        """Raises ExecutableError for code that is missing, that this machine cannot run, or that lacks one of
        the functions."""
        self.threads = 1
        self._names = processor.functions
        self._image = _link(processor, code) if processor.objects else None
        for name in self._names:
            self._check(name)

    def call(self, step: CallStep, addresses: Sequence[int]) -> HostCall:
        """Returns the call of a step; `addresses` are those of the buffers, fixed for those on the host."""
        arguments = [addresses[argument.buffer] + argument.offset for argument in step.arguments]
        return HostCall(self, self._names[step.function], arguments)

    def run(self, name: str, addresses: Sequence[int]) -> None:
        """Calls a function on addresses of the host."""
        from mlc.runtime._native import call_entry

        assert self._image is not None, "there are no functions without objects"
        call_entry(self._image, name, addresses, [], self.threads)

    def _check(self, name: str) -> None:
        try:
            if self._image is None:
                raise KeyError("there are no objects")
            self._image.symbol(name)
        except KeyError as error:
            raise ExecutableError(f"the processor's function {name}: {error.args[0]}") from error


class HostCall:
    """A call of a function on addresses of buffers."""

    def __init__(self, functions: HostFunctions, name: str, addresses: Sequence[int]) -> None:
        self._functions, self._name, self._addresses = functions, name, addresses

    def run(self, main: Stream, _streams: Sequence[Stream]) -> None:
        """Waits for the enqueued work and calls the function."""
        main.synchronize()
        self._functions.run(self._name, self._addresses)

    def close(self) -> None:
        """Does nothing: the call holds no resource of the driver."""


def _link(processor: Processor, code: Mapping[str, bytes]) -> Image:
    missing = [name for name in processor.objects if name not in code]
    if missing:
        raise ExecutableError(f"the objects {missing} are missing")
    check_host(asdict(processor), "the processor's part of the program")
    try:
        # Programs that run on the device only do not need the C extension.
        from mlc.runtime._native import Image

        return Image([code[name] for name in processor.objects])
    except (ValueError, ImportError) as error:
        raise ExecutableError(f"the processor's part of the program: {error}") from error
