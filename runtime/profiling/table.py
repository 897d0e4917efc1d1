"""Profiles as text."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.runtime.profiling.profile import KernelProfile, Profile

# Title, and whether the column is aligned to the right. The first one has the unit of time.
_COLUMNS = (
    ("", True),
    ("share", True),
    ("launches", True),
    ("GFLOP/s", True),
    ("of peak", True),
    ("GB/s", True),
    ("of peak", True),
    ("schedule", False),
    ("kernel", False),
    ("ONNX nodes", False),
)


def format_profile(profile: Profile, top: int | None = None, *, all_nodes: bool = False) -> str:
    """Returns the profile as a table with a row for each kernel and one for the host, the longest first; all
    but the first `top` kernels share a row. `all_nodes`: all ONNX nodes of a kernel, not only the first."""
    shown = profile.kernels[:top]
    rows = [(kernel.seconds, _kernel_cells(profile, kernel, all_nodes)) for kernel in shown]
    rows.append((profile.host_seconds, _cells(profile, profile.host_seconds, kernel="(host)")))
    rows.sort(key=lambda row: -row[0])
    if others := profile.kernels[len(shown) :]:
        seconds = sum(kernel.seconds for kernel in others)
        launches = _count(sum(kernel.launches for kernel in others), profile)
        cells = _cells(profile, seconds, launches=launches, kernel=f"({len(others)} other kernels)")
        rows.append((seconds, cells))
    rows.append((profile.seconds, _cells(profile, profile.seconds, kernel="(call)")))
    columns = [index for index, _ in enumerate(_COLUMNS) if any(row[index] for _, row in rows)]
    head = [_COLUMNS[index][0] for index in columns]
    head[0] = _unit(profile)
    lines = [head, *([row[index] for index in columns] for _, row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    right = [_COLUMNS[index][1] for index in columns]
    table = [_align(line, widths, right) for line in lines]
    return "\n".join([*_heading(profile), "", *table])


def _heading(profile: Profile) -> list[str]:
    calls = f"the faster {profile.calls} of {profile.of_calls} calls" if profile.of_calls > 1 else "1 call"
    threads = f"{profile.threads} {'thread' if profile.threads == 1 else 'threads'}"
    time = f"{_time(profile, profile.seconds)} {_unit(profile)}"
    host = f"{profile.share(profile.host_seconds):.1%}"
    lines = [f"{calls} on {threads}: {time} per call, {host} of it on the host"]
    if profile.sizes is not None:
        sizes = ", ".join(f"{name}={size}" for name, size in profile.sizes.items())
        lines.append(f"the program specialised for {sizes}")
    if profile.peaks is not None:
        gflops, bandwidth = profile.peaks.gflops, profile.peaks.gb_per_second
        lines.append(
            f"peaks: {gflops:.0f} GFLOP/s of f32 multiply-adds, {bandwidth:.1f} GB/s read from memory"
        )
    return lines


def _kernel_cells(profile: Profile, kernel: KernelProfile, all_nodes: bool) -> Sequence[str]:
    gflops = kernel.gflops if kernel.flops else None
    return _cells(
        profile,
        kernel.seconds,
        launches=_count(kernel.launches, profile),
        gflops=_rate(gflops),
        gflops_of_peak=_share(profile.gflops_of_peak(kernel) if kernel.flops else None),
        bandwidth=_rate(kernel.gb_per_second),
        bandwidth_of_peak=_memory_share(profile.gb_of_peak(kernel)),
        schedule=kernel.schedule,
        kernel=kernel.kernel,
        nodes=_nodes(kernel.nodes, all_nodes),
    )


def _cells(
    profile: Profile,
    seconds: float,
    *,
    launches: str = "",
    gflops: str = "",
    gflops_of_peak: str = "",
    bandwidth: str = "",
    bandwidth_of_peak: str = "",
    schedule: str = "",
    kernel: str = "",
    nodes: str = "",
) -> Sequence[str]:
    time, share = _time(profile, seconds), f"{profile.share(seconds):.1%}"
    rates = (gflops, gflops_of_peak, bandwidth, bandwidth_of_peak)
    return (time, share, launches, *rates, schedule, kernel, nodes)


def _unit(profile: Profile) -> str:
    return "ms" if profile.ms(profile.seconds) >= 1 else "us"


def _time(profile: Profile, seconds: float) -> str:
    """Returns the time per call in the table's unit."""
    scale = 1.0 if _unit(profile) == "ms" else 1e3
    return f"{profile.ms(seconds) * scale:.3f}"


def _count(launches: int, profile: Profile) -> str:
    """Returns launches per call; where their count depends on data, the average."""
    whole, rest = divmod(launches, profile.calls)
    return f"{launches / profile.calls:.1f}" if rest else str(whole)


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _memory_share(value: float | None) -> str:
    """Returns the share of the memory's bandwidth, which is no limit for data in a cache."""
    return "cache" if value is not None and value > 1 else _share(value)


def _nodes(names: Sequence[str], all_nodes: bool) -> str:
    if all_nodes or len(names) < 2:
        return ", ".join(names)
    return f"{names[0]} (+{len(names) - 1})"


def _align(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    aligned = [
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(aligned).rstrip()
