"""The registry: pass name -> class, imported on first use. Plugins add to it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from mlc.errors import Error
from mlc.threads import once

if TYPE_CHECKING:
    from mlc.passes.base import Pass

# One line per pass, sorted by name: "<name>": "<module>:<class>".
_TABLE: dict[str, str | type[Pass]] = {
    "accel-distribute": "mlc.passes.accel.distribution.distribute:Distribute",
    "accel-from-attention": "mlc.passes.accel.attention.from_attention:FromAttention",
    "accel-from-scan": "mlc.passes.accel.tiles.from_scan:FromScan",
    "accel-from-tiles": "mlc.passes.accel.tiles.from_tiles:FromTiles",
    "accel-insert-barriers": "mlc.passes.accel.transforms.insert_barriers:InsertBarriers",
    "accel-merge-steps": "mlc.passes.accel.transforms.merge_steps:MergeSteps",
    "accel-multicast-copies": "mlc.passes.accel.transforms.multicast_copies:MulticastCopies",
    "accel-overlap-launches": "mlc.passes.accel.transforms.overlap_launches:OverlapLaunches",
    "accel-overlap-products": "mlc.passes.accel.transforms.overlap_products:OverlapProducts",
    "accel-persist-blocks": "mlc.passes.accel.transforms.persist_blocks:PersistBlocks",
    "accel-pipeline-loops": "mlc.passes.accel.transforms.pipeline_loops:PipelineLoops",
    "accel-specialize-warps": "mlc.passes.accel.transforms.specialize_warps:SpecializeWarps",
    "accel-split-k": "mlc.passes.accel.transforms.split_k:SplitK",
    "accel-stage-stores": "mlc.passes.accel.distribution.stage_stores:StageStores",
    "accel-to-cpu": "mlc.passes.accel.cpu.to_cpu:AccelToCpu",
    "graph-assign-layouts": "mlc.passes.graph.layout.assign_layouts:AssignLayouts",
    "graph-channels-last": "mlc.passes.graph.layout.channels_last:ChannelsLast",
    "graph-check-data": "mlc.passes.graph.shapes.check_data:CheckData",
    "graph-conv-to-matmul": "mlc.passes.graph.windows.conv_to_matmul:ConvToMatmul",
    "graph-decompose": "mlc.passes.graph.simplify.decompose:Decompose",
    "graph-decompose-attention": "mlc.passes.graph.attention.decompose_attention:DecomposeAttention",
    "graph-eliminate-concat-split": "mlc.passes.graph.slicing.eliminate_concat_split:EliminateConcatSplit",
    "graph-eliminate-empty": "mlc.passes.graph.simplify.eliminate_empty:EliminateEmpty",
    "graph-eliminate-noops": "mlc.passes.graph.simplify.eliminate_noops:EliminateNoops",
    "graph-fill-channels": "mlc.passes.graph.layout.fill_channels:FillChannels",
    "graph-fold-padding": "mlc.passes.graph.windows.fold_padding:FoldPadding",
    "graph-fold-scale": "mlc.passes.graph.simplify.fold_scale:FoldScale",
    "graph-form-kernels": "mlc.passes.graph.fusion.form_kernels:FormKernels",
    "graph-hoist-invariants": "mlc.passes.graph.control_flow.hoist_invariants:HoistInvariants",
    "graph-hoist-movement": "mlc.passes.graph.slicing.hoist_movement:HoistMovement",
    "graph-infer-shapes": "mlc.passes.graph.shapes.infer_shapes:InferShapes",
    "graph-lower-objects": "mlc.passes.graph.shapes.lower_objects:LowerObjects",
    "graph-lower-precision": "mlc.passes.graph.precision.lower_precision:LowerPrecision",
    "graph-mark-padding": "mlc.passes.graph.windows.mark_padding:MarkPadding",
    "graph-materialize-padding": "mlc.passes.graph.windows.materialize_padding:MaterializePadding",
    "graph-merge-size-names": "mlc.passes.graph.shapes.merge_size_names:MergeSizeNames",
    "graph-name-dims": "mlc.passes.graph.shapes.name_dims:NameDims",
    "graph-narrow-integer-convolutions": (
        "mlc.passes.graph.precision.narrow_integer_convolutions:NarrowIntegerConvolutions"
    ),
    "graph-narrow-integer-products": (
        "mlc.passes.graph.precision.narrow_integer_products:NarrowIntegerProducts"
    ),
    "graph-narrow-values": "mlc.passes.graph.precision.narrow_values:NarrowValues",
    "graph-outline-constants": "mlc.passes.graph.prepare.outline_constants:OutlineConstants",
    "graph-pack-matmuls": "mlc.passes.graph.layout.pack_matmuls:PackMatmuls",
    "graph-pad-channels": "mlc.passes.graph.layout.pad_channels:PadChannels",
    "graph-pad-windows": "mlc.passes.lowering.pad_windows:PadWindows",
    "graph-place": "mlc.passes.graph.fusion.place:PlaceOps",
    "graph-reassociate-constants": "mlc.passes.graph.simplify.reassociate_constants:ReassociateConstants",
    "graph-recognize-idioms": "mlc.passes.graph.idioms.recognize_idioms:RecognizeIdioms",
    "graph-reduce-strength": "mlc.passes.graph.simplify.reduce_strength:ReduceStrength",
    "graph-simplify": "mlc.passes.graph.simplify.simplify:Simplify",
    "graph-simplify-algebra": "mlc.passes.graph.simplify.simplify_algebra:SimplifyAlgebra",
    "graph-simplify-broadcasts": "mlc.passes.graph.simplify.simplify_broadcasts:SimplifyBroadcasts",
    "graph-simplify-control-flow": "mlc.passes.graph.control_flow.simplify_control_flow:SimplifyControlFlow",
    "graph-sink-reshapes": "mlc.passes.graph.layout.sink_reshapes:SinkReshapes",
    "graph-sink-transposes": "mlc.passes.graph.layout.sink_transposes:SinkTransposes",
    "graph-split-prepare": "mlc.passes.graph.prepare.split_prepare:SplitPrepare",
    "graph-split-products": "mlc.passes.graph.slicing.split_products:SplitProducts",
    "graph-to-linalg": "mlc.passes.lowering.graph_to_linalg:GraphToLinalg",
    "graph-transpose-weights": "mlc.passes.graph.layout.transpose_weights:TransposeWeights",
    "graph-unpad-windows": "mlc.passes.graph.windows.unpad_windows:UnpadWindows",
    "graph-unsqueeze-windows": "mlc.passes.graph.layout.unsqueeze_windows:UnsqueezeWindows",
    "graph-verify": "mlc.passes.graph.verify.verify:Verify",
    "graph-verify-blocks": "mlc.passes.graph.verify.verify_blocks:VerifyBlocks",
    "graph-verify-fixed-sizes": "mlc.passes.graph.verify.verify_fixed_sizes:VerifyFixedSizes",
    "graph-verify-lowered": "mlc.passes.graph.verify.verify_lowered:VerifyLowered",
    "graph-verify-no-control-flow": "mlc.passes.graph.verify.verify_no_control_flow:VerifyNoControlFlow",
    "graph-winograd": "mlc.passes.graph.winograd.winograd:Winograd",
    "host-entry": "mlc.passes.host.entry:HostEntry",
    "host-insert-transfers": "mlc.passes.host.insert_transfers:InsertTransfers",
    "host-order-launches": "mlc.passes.host.order_launches:OrderLaunches",
    "host-overlap-transfers": "mlc.passes.host.overlap_transfers:OverlapTransfers",
    "host-plan-memory": "mlc.passes.host.plan_memory:HostPlanMemory",
    "host-verify": "mlc.passes.host.verify:HostVerify",
    "kernel-entry": "mlc.passes.loops.kernel_entry:KernelEntry",
    "llvm-alias-scopes": "mlc.passes.loops.alias_scopes:AliasScopes",
    "llvm-nonnegative-offsets": "mlc.passes.loops.nonnegative_offsets:NonnegativeOffsets",
    "llvm-parallel-accesses": "mlc.passes.loops.parallel_accesses:ParallelAccesses",
    "llvm-verify-translatable": "mlc.passes.loops.verify_translatable:VerifyTranslatable",
    "tloop-apply-schedules": "mlc.passes.schedule.api.apply_schedules:ApplySchedules",
    "tloop-balance-threads": "mlc.passes.loops.balance_threads:BalanceThreads",
    "tloop-collapse-dims": "mlc.passes.schedule.structured.collapse_dims:CollapseDims",
    "tloop-default-schedules": "mlc.passes.schedule.cpu.default_schedules:DefaultSchedules",
    "tloop-expand-bf16": "mlc.passes.math.expand_bf16:ExpandBf16",
    "tloop-expand-f8": "mlc.passes.math.expand_f8:ExpandF8",
    "tloop-expand-math": "mlc.passes.math.expand_math:ExpandMath",
    "tloop-fuse-elementwise": "mlc.passes.schedule.structured.fuse_elementwise:FuseElementwise",
    "tloop-hoist-loads": "mlc.passes.vector.hoist_loads:HoistLoads",
    "tloop-jam-while-loops": "mlc.passes.vector.jam_while_loops:JamWhileLoops",
    "tloop-lower-affine-loops": "mlc.passes.loops.lower_affine_loops:LowerAffineLoops",
    "tloop-lower-copies": "mlc.passes.loops.lower_copies:LowerCopies",
    "tloop-lower-windows": "mlc.passes.loops.lower_windows:LowerWindows",
    "tloop-map-parallel-loops": "mlc.passes.loops.map_parallel_loops:MapParallelLoops",
    "tloop-prefetch": "mlc.passes.vector.prefetch:Prefetch",
    "tloop-sample-schedules": "mlc.passes.schedule.api.sample_schedules:SampleSchedules",
    "tloop-schedule-blocks": "mlc.passes.schedule.gpu.schedule_blocks:ScheduleBlocks",
    "tloop-separate-results": "mlc.passes.loops.separate_results:SeparateResults",
    "tloop-set-target": "mlc.passes.schedule.api.set_target:SetTarget",
    "tloop-share-addresses": "mlc.passes.vector.share_addresses:ShareAddresses",
    "tloop-sink-loads": "mlc.passes.vector.sink_loads:SinkLoads",
    "tloop-split-accumulators": "mlc.passes.vector.split_accumulators:SplitAccumulators",
    "tloop-stack-buffers": "mlc.passes.loops.stack_buffers:StackBuffers",
    "tloop-unroll-strided-reads": "mlc.passes.vector.unroll_strided_reads:UnrollStridedReads",
    "tloop-unswitch-loops": "mlc.passes.loops.unswitch_loops:UnswitchLoops",
    "tloop-verify-in-place": "mlc.passes.loops.verify_in_place:VerifyInPlace",
    "tloop-verify-loops": "mlc.passes.loops.verify_loops:VerifyLoops",
}

# Former names of passes: an error that names the present one.
RENAMED = {
    "graph-number-objects": "graph-lower-objects",
    "tloop-prefetch-panels": "tloop-prefetch",
    "tloop-prefetch-tiles": "tloop-prefetch",
}

PLUGIN_GROUP = "mlc.plugins"
# The environment's plugins: paths, separated as in PATH.
PLUGIN_VARIABLE = "MLC_PLUGINS"


class PluginError(Error):
    """A plugin cannot be loaded; names its path or package, and the cause."""


def register(name: str, target: str | type[Pass]) -> None:
    """Adds a pass under `name`. `target` is the class, or "module:Class", imported on first use.

    Raises `ValueError` if the name already stands for another pass.
    """
    if _TABLE.setdefault(name, target) != target:
        raise ValueError(f"pass '{name}' is already registered as {_TABLE[name]}")


def is_registered(name: str) -> bool:
    """Whether `name` is in the table now, without looking for installed plugins."""
    return name in _TABLE


def target(name: str) -> str | type[Pass] | None:
    """Returns the pass registered under `name`: a class, or "module:Class" if it was not imported yet."""
    return _TABLE.get(name)


def lookup(name: str) -> type[Pass] | None:
    """Returns the class of the pass called `name`, installed plugins included, or None."""
    if name not in _TABLE:
        load_installed_plugins()
    target = _TABLE.get(name)
    if isinstance(target, str):
        module, _, attribute = target.partition(":")
        target = _TABLE[name] = getattr(importlib.import_module(module), attribute)
    return target


def names() -> list[str]:
    """Returns the names of all passes, sorted; installed plugins included."""
    load_installed_plugins()
    return sorted(_TABLE)


def load_plugin(path: str | Path) -> None:
    """Runs `register(registry)` of the Python file, or of the package's folder, at `path`; `registry` is this
    module. Loads each only once.

    Raises `PluginError`.
    """
    _load_path(Path(path).resolve())


@cache
def _load_path(path: Path) -> None:
    try:
        module = _import_package(path) if (path / "__init__.py").is_file() else _import_file(path)
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(f"cannot load plugin '{path}': {type(error).__name__}: {error}") from error
    _run_register(module, str(path))


def _import_package(folder: Path) -> ModuleType:
    """Imports a package under the name that it would have if it were installed."""
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    return importlib.import_module(folder.name)


def _import_file(path: Path) -> ModuleType:
    if not path.exists():
        raise PluginError(f"cannot load plugin '{path}': No such file or directory")
    module_name = f"mlc_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise PluginError(f"cannot load plugin '{path}': neither a Python file nor a package's folder")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


@once
def load_installed_plugins() -> None:
    """Loads every plugin that installed packages name in the entry-point group `mlc.plugins`, and those at
    the paths in the environment variable MLC_PLUGINS. Raises `PluginError`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=PLUGIN_GROUP):
        try:
            module = entry.load()
        except Exception as error:
            raise PluginError(f"cannot load plugin '{entry.name}' ({entry.value}): {error}") from error
        _run_register(module, f"{entry.name} ({entry.value})")
    for path in filter(None, os.environ.get(PLUGIN_VARIABLE, "").split(os.pathsep)):
        load_plugin(path)


def _run_register(module: ModuleType, origin: str) -> None:
    if not hasattr(module, "register"):
        raise PluginError(f"plugin '{origin}' has no function register(registry)")
    try:
        module.register(sys.modules[__name__])
    except Exception as error:
        raise PluginError(f"plugin '{origin}' failed to register: {type(error).__name__}: {error}") from error
