"""softmax(scale Q K^T) V for Hopper: 128 queries of a head per block, keys from the last to the first.

Q and O are [heads, queries, width], K and V [heads / group, keys, width]. A warp loads K and V in tiles of
128 keys into a ring; two warpgroups compute 64 queries each. The scores of the next tile are in flight
while this tile's weights, which stay in registers, are multiplied with V.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu_kernels import hopper
from gpu_kernels.builder import (
    TENSOR_MAP,
    Int32,
    at,
    either,
    f32,
    kernel,
    loop,
    shared_base,
    special,
    uniform,
    when,
)
from gpu_kernels.softmax import Softmax, combine_quad, row_factors
from mlc.bindings import arith, ir, llvm, nvvm

ROWS, CHUNK, STAGES = 128, 64, 2
CHUNK_BYTES = ROWS * hopper.ROW_BYTES
_BARRIERS = {"keys full": 0, "keys empty": 32, "values full": 64, "values empty": 96, "queries": 128}
_MARKS = 256


@dataclass(frozen=True)
class Attention:
    """The kernel's configuration: `width` of a head (64 or 128), whether later keys are hidden."""

    width: int = 128
    causal: bool = False
    element_type: str = "bf16"
    overlap: bool = True

    @property
    def tile_bytes(self) -> int:
        """Bytes of 128 queries, keys or values."""
        return ROWS * self.width * 2

    @property
    def barriers(self) -> int:
        """Offset of the mbarriers in shared memory."""
        return self.tile_bytes * (1 + 2 * STAGES)

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory."""
        return self.barriers + _MARKS + 4 * 3 * hopper.WARPGROUP


def build_attention(config: Attention) -> ir.Module:
    """A module with the kernel: tensor maps of Q, K, V (boxes (64, 128, 1)) and O (64, 64, 1), the number of
    keys, heads per head of K, and the scale times log2(e). The grid is (tiles of queries, heads)."""
    parameters = [TENSOR_MAP] * 4 + ["i32", "i32", "f32"]
    with kernel("attention", parameters, 3 * hopper.WARPGROUP) as (module, arguments):
        _Builder(config, arguments[:4], *arguments[4:]).build()
    return module


class _Builder:
    """The parts of the kernel, and the values they share."""

    def __init__(
        self, config: Attention, maps: list[ir.Value], keys: Int32, group: Int32, scale: ir.Value
    ) -> None:
        self.config, self.maps, self.keys, self.scale = config, maps, keys, scale
        self.shared = shared_base()
        self.barriers = at(self.shared, config.barriers)
        self.thread = special(nvvm.ThreadIdXOp)
        self.warp = uniform(self.thread >> 5)
        tile, self.head = special(nvvm.BlockIdXOp), special(nvvm.BlockIdYOp)
        self.key_head = self.head // group
        self.first_query = tile << 7
        self.tiles = tile + 1 if config.causal else keys.round_up(ROWS)

    def barrier(self, name: str, stage: Int32 | int = 0) -> ir.Value:
        offset = stage << 3
        return at(at(self.barriers, _BARRIERS[name]), offset)

    def keys_at(self, stage: Int32) -> ir.Value:
        return at(at(self.shared, self.config.tile_bytes), stage * self.config.tile_bytes)

    def values_at(self, stage: Int32) -> ir.Value:
        return at(at(self.shared, self.config.tile_bytes * (1 + STAGES)), stage * self.config.tile_bytes)

    def build(self) -> None:
        with when(self.thread.equals(0)):
            self.init_barriers()
        hopper.barrier()
        either((self.warp >> 2).equals(0), self.producer, self.consumer)

    def init_barriers(self) -> None:
        for tensor_map in self.maps:
            nvvm.prefetch(tensor_map, tensormap=True)
        for stage in range(STAGES):
            for name in ("keys full", "values full"):
                hopper.init_mbarrier(self.barrier(name, stage), 1)
            for name in ("keys empty", "values empty"):
                hopper.init_mbarrier(self.barrier(name, stage), 8)
        hopper.init_mbarrier(self.barrier("queries"), 1)
        nvvm.fence_mbarrier_init()

    def producer(self) -> None:
        nvvm.setmaxregister(24, nvvm.SetMaxRegisterAction.decrease)
        with when(self.warp.equals(0)), when(nvvm.elect_sync()):
            zero = Int32.of(0)
            self.load(self.shared, self.maps[0], [self.first_query, self.head], self.barrier("queries"))
            self.load_tile("keys", zero, zero, zero)
            key_stage, key_parity = hopper.next_stage(zero, zero, STAGES)

            def step(i: Int32, ks: Int32, kp: Int32, vs: Int32, vp: Int32) -> list[Int32]:
                self.load_tile("keys", i, ks, kp)
                self.load_tile("values", i - 1, vs, vp)
                return [*hopper.next_stage(ks, kp, STAGES), *hopper.next_stage(vs, vp, STAGES)]

            *_, stage, parity = loop(1, self.tiles, 1, [key_stage, key_parity, 0, 0], step)
            self.load_tile("values", self.tiles - 1, stage, parity)

    def load_tile(self, name: str, i: Int32, stage: Int32, parity: Int32) -> None:
        """Load the i-th tile of keys or values when its buffer is empty; tiles are counted from the last."""
        hopper.wait_mbarrier(self.barrier(f"{name} empty", stage), parity ^ 1)
        target = self.keys_at(stage) if name == "keys" else self.values_at(stage)
        corner = [(self.tiles - 1 - i) << 7, self.key_head]
        self.load(target, self.maps[1 if name == "keys" else 2], corner, self.barrier(f"{name} full", stage))

    def load(self, target: ir.Value, tensor_map: ir.Value, corner: list[Int32], signal: ir.Value) -> None:
        hopper.arrive_expecting(signal, self.config.tile_bytes)
        for chunk in range(self.config.width // CHUNK):
            start = at(target, chunk * CHUNK_BYTES)
            hopper.load_tensor(start, tensor_map, [CHUNK * chunk, *corner], signal)

    def consumer(self) -> None:
        nvvm.setmaxregister(240, nvvm.SetMaxRegisterAction.increase)
        self.group = (self.warp >> 2) - 1
        self.lane, self.leads = self.thread & 31, (self.thread & 127).equals(0)
        self.queries = at(self.shared, self.group << 13)
        in_group = ((self.warp & 3) << 4) + (self.lane >> 2)
        row = self.first_query + (self.group << 6) + in_group
        limit = (lambda half: row + 8 * half) if self.config.causal else (lambda half: self.keys)
        predicate = "sle" if self.config.causal else "slt"
        self.softmax = Softmax(self.scale, self.lane, predicate, limit, self.config.element_type)
        self.store(self.attend())

    def attend(self) -> list[ir.Value]:
        """The registers of this warpgroup's 64 rows of O."""
        zero, count = Int32.of(0), self.config.width // 2
        hopper.wait_mbarrier(self.barrier("queries"), 0)
        hopper.wait_mbarrier(self.barrier("keys full", zero), zero)
        scores = hopper.wait_products(0, self.scores(zero))
        self.release("keys", zero)
        state = self.softmax.begin(scores, (self.tiles - 1) << 7)
        key_stage, key_parity = hopper.next_stage(zero, zero, STAGES)
        initial = [f32(0.0)] * count + state + [key_stage, key_parity, zero, zero]
        *carried, _, _, stage, parity = loop(1, self.tiles, 1, initial, self.step)
        output, (weights, _, sums) = carried[:count], self.softmax.parts(carried[count:])
        hopper.wait_mbarrier(self.barrier("values full", stage), parity)
        output = hopper.wait_products(0, self.weigh(output, weights, stage))
        sums = [combine_quad(value, arith.AddFOp) for value in sums]
        return row_factors(output, [nvvm.rcp_approx_ftz_f(value) for value in sums])

    def step(self, i: Int32, *carried: ir.Value | Int32) -> list:
        """Scores of tile i, and the product of tile i - 1's weights with its values."""
        count = self.config.width // 2
        *state, ks, kp, vs, vp = carried
        output, (weights, highest, sums) = list(state[:count]), self.softmax.parts(state[count:])
        hopper.wait_mbarrier(self.barrier("keys full", ks), kp)
        if self.config.overlap:
            scores = self.scores(ks)
            hopper.wait_mbarrier(self.barrier("values full", vs), vp)
            output = self.weigh(output, weights, vs)
            scores = hopper.wait_products(1, scores)
        else:
            scores = hopper.wait_products(0, self.scores(ks))
        self.release("keys", ks)
        following, factors = self.softmax.go_on(scores, highest, sums)
        if self.config.overlap:
            self.mark(following[-2:])
        else:
            hopper.wait_mbarrier(self.barrier("values full", vs), vp)
            output = self.weigh(output, weights, vs)
        output = hopper.wait_products(0, output)
        self.release("values", vs)
        stages = [*hopper.next_stage(ks, kp, STAGES), *hopper.next_stage(vs, vp, STAGES)]
        return [*row_factors(output, factors), *following, *stages]

    def mark(self, sums: list[ir.Value]) -> None:
        """A store that keeps the softmax before the wait that follows: it overlaps with the products."""
        start = at(at(self.barriers, _MARKS), self.thread << 2)
        both = arith.AddFOp(*sums).result
        text, constraints = "st.volatile.shared.f32 [$0], $1;", "r,f,~{memory}"
        llvm.inline_asm(None, [start, both], text, constraints, has_side_effects=True)

    def scores(self, stage: Int32) -> list[ir.Value]:
        """Start Q K^T: registers of 64 x 128 scores."""
        left = hopper.descriptor(self.queries, 16, hopper.ATOM_BYTES)
        right = hopper.descriptor(self.keys_at(stage), 16, hopper.ATOM_BYTES)
        result = llvm.UndefOp(hopper.accumulators(ROWS // 2)).result
        nvvm.wgmma_fence_aligned()
        for part in range(self.config.width // 16):
            offset = part // 4 * CHUNK_BYTES + part % 4 * 32
            operands = hopper.advance(left, offset), hopper.advance(right, offset)
            result = hopper.multiply(
                result, *operands, ROWS, self.config.element_type, right_rows=False, zero=part == 0
            )
        nvvm.wgmma_commit_group_sync_aligned()
        return hopper.unpack(result, ROWS // 2)

    def weigh(self, output: list[ir.Value], weights: list[ir.Value], stage: Int32) -> list[ir.Value]:
        """Start O + P V, with P in registers."""
        values = hopper.descriptor(self.values_at(stage), CHUNK_BYTES, hopper.ATOM_BYTES)
        nvvm.wgmma_fence_aligned()
        for part in range(ROWS // 16):
            right = hopper.advance(values, 2 * hopper.ATOM_BYTES * part)
            left = weights[4 * part : 4 * part + 4]
            output = hopper.multiply_registers(
                output, left, right, self.config.width, self.config.element_type
            )
        nvvm.wgmma_commit_group_sync_aligned()
        return output

    def release(self, name: str, stage: Int32) -> None:
        """The warp does not need a buffer any more."""
        with when(self.lane.equals(0)):
            hopper.arrive(self.barrier(f"{name} empty", stage))

    def store(self, output: list[ir.Value]) -> None:
        """O goes through this warpgroup's part of Q's buffer."""
        offsets, chunks = hopper.fragment_offsets(self.lane, self.warp & 3), range(self.config.width // CHUNK)
        hopper.barrier(self.group + 1, hopper.WARPGROUP)
        for chunk in chunks:
            held = output[32 * chunk : 32 * chunk + 32]
            hopper.store_fragments(
                at(self.queries, chunk * CHUNK_BYTES), offsets, held, self.config.element_type
            )
        hopper.fence_async_proxy()
        hopper.barrier(self.group + 1, hopper.WARPGROUP)
        with when(self.leads):
            for chunk in chunks:
                corner = [CHUNK * chunk, self.first_query + (self.group << 6), self.head]
                hopper.store_tensor(self.maps[3], at(self.queries, chunk * CHUNK_BYTES), corner)
            nvvm.cp_async_bulk_commit_group()
            nvvm.cp_async_bulk_wait_group(0)
