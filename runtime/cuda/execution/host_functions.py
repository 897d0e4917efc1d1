"""Functions of the host's processor, which steps of a plan call."""

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
    """The linked functions of a plan's processor. Calls use so many `threads`."""

    def __init__(self, processor: Processor, code: Mapping[str, bytes]) -> None:
        """Raises ExecutableError for code that is missing, that this machine cannot run, or that lacks one of
        the functions."""
        self.threads = 1
        self._names = processor.functions
        self._image = _linked(processor, code) if processor.objects else None
        for name in self._names:
            self._check(name)

    def call(self, step: CallStep, addresses: Sequence[int]) -> HostCall:
        """The call of a step; `addresses` are those of the buffers, of which those on the host stay."""
        places = [addresses[argument.buffer] + argument.offset for argument in step.arguments]
        return HostCall(self, self._names[step.function], places)

    def run(self, name: str, places: Sequence[int]) -> None:
        """Calls a function on addresses of the host."""
        from mlc.runtime._native import call_entry

        assert self._image is not None, "there are no functions without objects"
        call_entry(self._image, name, places, [], self.threads)

    def _check(self, name: str) -> None:
        try:
            if self._image is None:
                raise KeyError("there are no objects")
            self._image.symbol(name)
        except KeyError as error:
            raise ExecutableError(f"the processor's function {name}: {error.args[0]}") from error


class HostCall:
    """A function on its buffers."""

    def __init__(self, functions: HostFunctions, name: str, places: Sequence[int]) -> None:
        self._functions, self._name, self._places = functions, name, places

    def run(self, main: Stream, _streams: Sequence[Stream]) -> None:
        """Waits for what was enqueued, and calls."""
        main.synchronize()
        self._functions.run(self._name, self._places)

    def close(self) -> None:
        """Nothing is the driver's."""


def _linked(processor: Processor, code: Mapping[str, bytes]) -> Image:
    missing = [name for name in processor.objects if name not in code]
    if missing:
        raise ExecutableError(f"the objects {missing} are missing")
    check_host(asdict(processor), "the processor's part of the program")
    try:
        # Programs that run on the device whole do without the C extension.
        from mlc.runtime._native import Image

        return Image([code[name] for name in processor.objects])
    except (ValueError, ImportError) as error:
        raise ExecutableError(f"the processor's part of the program: {error}") from error
