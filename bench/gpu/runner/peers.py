"""Calls of the peers: torch's kernels, its attention, torch.compile, and kernels in Triton."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from bench.gpu.runner.definition import Definition
from bench.gpu.runner.loading import Loaded
from mlc.runtime.cuda import Stream

Call = Callable[[], Any]
Makers = dict[str, Callable[[], Call]]
TORCH, COMPILED, TRITON, COPY, SDPA = "torch", "torch.compile", "triton", "copy", "sdpa-"
BACKENDS = {
    "flash": SDPBackend.FLASH_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}
HALVES = {"f16": torch.float16, "bf16": torch.bfloat16}
# The operands of products that are multiplied.
FACTORS = {"MatMul": (0, 1), "Gemm": (0, 1), "Conv": (1,)}
# An upper bound of clock rates, to convert milliseconds to cycles.
CYCLES_PER_MS = 2_000_000


class Peers:
    """Makes the calls of peers, all on one stream."""

    def versions(self) -> dict[str, str]:
        """Returns the versions of the libraries."""
        found = {"torch": torch.__version__, "cudnn": str(torch.backends.cudnn.version())}
        try:
            import triton
        except ImportError:
            return found
        return {**found, "triton": triton.__version__}

    def hold(self, milliseconds: float) -> None:
        """Keeps the current stream busy."""
        torch.cuda._sleep(int(milliseconds * CYCLES_PER_MS))

    def of(self, loaded: Loaded, stream: Stream) -> tuple[Makers, Makers]:
        """Returns the makers of the peers' calls by name: those that are fast, and those that compile.

        Sets torch's current stream to `stream`, and torch's precision to the case's.
        """
        torch.cuda.set_stream(torch.cuda.ExternalStream(stream.handle))
        _set_precision(loaded.case.precision)
        makers = {name: self._maker(name, loaded) for name in loaded.case.peers}
        slow = {name: make for name, make in makers.items() if name in (COMPILED, TRITON)}
        return {name: make for name, make in makers.items() if name not in slow}, slow

    def _maker(self, name: str, loaded: Loaded) -> Callable[[], Call]:
        if name.startswith(SDPA):
            backend, _, causal = name.removeprefix(SDPA).partition("-")
            return partial(_sdpa, loaded, BACKENDS[backend], bool(causal))
        return partial({TORCH: _eager, COMPILED: _compile, TRITON: _triton, COPY: _copy}[name], loaded)


def definition(loaded: Loaded) -> Definition:
    """Returns the case as a torch module."""
    return Definition(loaded.graph, list(loaded.inputs), _weights(loaded), loaded.static_lists())


def _weights(loaded: Loaded) -> dict[str, torch.Tensor]:
    """Returns the weights, those read by products only in the products' type: autocast would round them in
    each call, and our programs do it once."""
    half = HALVES.get(loaded.case.precision)
    others = {
        name
        for node in loaded.graph.nodes
        for index, name in enumerate(node.operands)
        if index not in FACTORS.get(node.operator, ())
    }
    return {
        name: tensor.to(half) if half and name not in others and tensor.is_floating_point() else tensor
        for name, tensor in loaded.weights.items()
    }


def _set_precision(precision: str) -> None:
    tf32 = precision != "f32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True


@contextmanager
def _context(loaded: Loaded) -> Iterator[None]:
    """Disables gradients; models in f32 whose products are to be of 16 bits run under autocast."""
    dtypes = {str(source.dtype) for source in (*loaded.case.inputs, *loaded.case.weights)}
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        if loaded.case.precision in HALVES and "float32" in dtypes:
            stack.enter_context(torch.autocast("cuda", HALVES[loaded.case.precision]))
        yield


def _within(loaded: Loaded, function: Callable[..., Any]) -> Call:
    inputs = list(loaded.inputs.values())

    def call() -> Any:
        """Calls the function with the case's inputs."""
        with _context(loaded):
            return function(*inputs)

    return call


def _eager(loaded: Loaded) -> Call:
    return _within(loaded, definition(loaded))


def _compile(loaded: Loaded) -> Call:
    # Graphs cost time if there is only one launch, as with our programs.
    mode = "max-autotune-no-cudagraphs" if loaded.case.one_launch else "max-autotune"
    torch.compiler.reset()
    return _within(loaded, torch.compile(definition(loaded), mode=mode, fullgraph=True, dynamic=False))


def _sdpa(loaded: Loaded, backend: SDPBackend, causal: bool) -> Call:
    def attend(*inputs: torch.Tensor) -> torch.Tensor:
        """Computes attention by the backend."""
        with sdpa_kernel(backend):
            return functional.scaled_dot_product_attention(*inputs, is_causal=causal)

    return _within(loaded, attend)


def _copy(loaded: Loaded) -> Call:
    """Returns a copy that reads half of the case's bytes and writes the other half: a bound of the
    bandwidth."""
    source = torch.randint(0, 255, (loaded.case.work.nbytes // 2,), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def _triton(loaded: Loaded) -> Call:
    from bench.gpu.runner.triton_kernels import KERNELS

    call = _within(loaded, partial(KERNELS[loaded.case.triton], weights=list(loaded.weights.values())))
    found, wanted = call().double(), _eager(loaded)()[0].double()
    error = float((found - wanted).abs().max() / wanted.abs().max())
    # Both are rounded, and products of f32 may be of tf32.
    if not error <= 4 * max(loaded.case.tolerance, 1e-3):
        raise ValueError(f"its results are wrong by {error:.2g}")
    return call
