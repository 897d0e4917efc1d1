"""Parts of Hopper kernels: mbarriers, tensor copies, products of warpgroups, stores of fragments."""

from __future__ import annotations

from collections.abc import Sequence

from gpu_kernels.builder import Int32, Operand, at, choose, i32, pointer, raw
from mlc.bindings import arith, ir, llvm, nvvm, scf

SWIZZLE_128 = 1
ROW_BYTES = 128
ATOM_BYTES = 8 * ROW_BYTES
WARPGROUP = 128


def attribute(text: str) -> ir.Attribute:
    """An attribute of nvvm from its text."""
    return ir.Attribute.parse(f"#nvvm.{text}")


def wait_mbarrier(barrier: ir.Value, parity: Operand) -> None:
    """Spin until the phase of `parity` is complete."""
    wait = scf.WhileOp([], [])
    before, after = (region.blocks.append() for region in wait.regions)
    with ir.InsertionPoint(before):
        done = nvvm.mbarrier_try_wait(barrier, raw(parity))
        bit = ir.IntegerType.get_signless(1)
        true = arith.ConstantOp(bit, ir.IntegerAttr.get(bit, 1)).result
        scf.ConditionOp(arith.XOrIOp(done, true).result, [])
    with ir.InsertionPoint(after):
        scf.YieldOp([])


def init_mbarrier(barrier: ir.Value, arrivals: int) -> None:
    """A barrier whose phases wait for `arrivals`."""
    nvvm.mbarrier_init(barrier, i32(arrivals))


def arrive(barrier: ir.Value) -> None:
    """One arrival per thread."""
    nvvm.mbarrier_arrive(barrier, results=[])


def arrive_expecting(barrier: ir.Value, size: int) -> None:
    """One arrival, and `size` more bytes to wait for."""
    nvvm.mbarrier_arrive_expect_tx(barrier, i32(size), results=[])


def arrive_at_block(barrier: ir.Value, rank: Int32) -> None:
    """An arrival at the same barrier of another block of the cluster."""
    remote = nvvm.mapa(pointer(7), barrier, rank.value)
    nvvm.mbarrier_arrive(remote, scope=attribute("mem_scope<cluster>"), results=[])


def barrier(index: Operand | None = None, threads: int | None = None) -> None:
    """A barrier of the thread block, or of `threads` threads at barrier `index`."""
    count = None if threads is None else i32(threads)
    nvvm.barrier(barrier_id=None if index is None else raw(index), number_of_threads=count)


def cluster_barrier() -> None:
    """A barrier of the cluster."""
    nvvm.cluster_arrive(aligned=True)
    nvvm.cluster_wait(aligned=True)


def fence_async_proxy() -> None:
    """Makes stores to shared memory visible to asynchronous copies and products."""
    nvvm.fence_proxy(attribute("proxy_kind<async.shared>"), space=attribute("shared_space<cta>"))


def load_tensor(
    target: ir.Value, tensor_map: ir.Value, corner: Sequence[Operand], signal: ir.Value, blocks: int = 0
) -> None:
    """Copy the box at `corner` to shared memory, of all blocks in the mask `blocks` where it is given."""
    half = ir.IntegerType.get_signless(16)
    mask = arith.ConstantOp(half, ir.IntegerAttr.get(half, blocks)).result if blocks else None
    cluster = llvm.addrspacecast(pointer(7), target)
    nvvm.cp_async_bulk_tensor_shared_cluster_global(
        cluster, tensor_map, list(map(raw, corner)), signal, [], multicast_mask=mask
    )


def store_tensor(tensor_map: ir.Value, source: ir.Value, corner: Sequence[Operand]) -> None:
    """Copy shared memory to the box at `corner`."""
    nvvm.cp_async_bulk_tensor_global_shared_cta(tensor_map, source, list(map(raw, corner)))


def descriptor(start: ir.Value, leading: int, stride: int) -> ir.Value:
    """The i64 that describes a swizzled operand of wgmma at `start`; strides in bytes."""
    wide = ir.IntegerType.get_signless(64)
    address = Int32(llvm.ptrtoint(ir.IntegerType.get_signless(32), start))
    low = arith.ExtUIOp(wide, ((address >> 4) & 0x3FFF).value).result
    fixed = SWIZZLE_128 << 62 | (stride >> 4) << 32 | (leading >> 4) << 16
    return arith.OrIOp(low, arith.ConstantOp(wide, ir.IntegerAttr.get(wide, fixed)).result).result


def advance(described: ir.Value, offset: int) -> ir.Value:
    """A descriptor `offset` bytes further on."""
    wide = ir.IntegerType.get_signless(64)
    if not offset:
        return described
    return arith.AddIOp(
        described, arith.ConstantOp(wide, ir.IntegerAttr.get(wide, offset >> 4)).result
    ).result


def accumulators(count: int) -> ir.Type:
    """The type of `count` registers of a product's result."""
    return ir.Type.parse(f"!llvm.struct<({', '.join(['f32'] * count)})>")


def multiply(
    before: ir.Value,
    left: ir.Value,
    right: ir.Value,
    columns: int,
    element_type: str,
    *,
    right_rows: bool,
    zero: bool,
) -> ir.Value:
    """Starts a product of 64 rows; `before` is not added if `zero`. `right_rows`: B's rows are contiguous."""
    one = attribute("wgmma_scale_in<one>")
    return nvvm.wgmma_mma_async(
        before.type, before, left, right, attribute(f"shape<m = 64, n = {columns}, k = 16>"),
        attribute(f"wgmma_type<{element_type}>"), attribute(f"wgmma_type<{element_type}>"),
        attribute("wgmma_type<f32>"),
        attribute(f"wgmma_scale_out<{'zero' if zero else 'one'}>"), one, one,
        attribute("mma_layout<row>"), attribute(f"mma_layout<{'row' if right_rows else 'col'}>"),
    )  # fmt: skip


def multiply_registers(
    before: list[ir.Value], left: list[ir.Value], right: ir.Value, columns: int, element_type: str
) -> list[ir.Value]:
    """Start a product of 64 rows with A in registers and the rows of B contiguous, which is added to
    `before`."""
    count = len(before)
    sums = ",".join(f"${i}" for i in range(count))
    factors = ",".join(f"${2 * count + i}" for i in range(4))
    text = (
        f"{{ .reg .pred p; setp.ne.b32 p, ${2 * count + 5}, 0;"
        f" wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{element_type}.{element_type}"
        f" {{{sums}}}, {{{factors}}}, ${2 * count + 4}, p, 1, 1, 1; }}"
    )
    tied = [str(i) for i in range(count)]
    constraints = ",".join(["=f"] * count + tied + ["r"] * 4 + ["l", "n"])
    operands = [*before, *left, right, i32(1)]
    done = llvm.inline_asm(accumulators(count), operands, text, constraints, has_side_effects=True)
    return unpack(done, count)


def wait_products(pending: int, registers: list[ir.Value]) -> list[ir.Value]:
    """Waits until at most `pending` groups of products are in flight. The registers go through the
    instruction, so that LLVM cannot move their uses before it."""
    count = len(registers)
    constraints = ",".join(["=f"] * count + [str(i) for i in range(count)])
    text = f"wgmma.wait_group.sync.aligned {pending};"
    done = llvm.inline_asm(accumulators(count), registers, text, constraints, has_side_effects=True)
    return unpack(done, count)


def unpack(structure: ir.Value, count: int) -> list[ir.Value]:
    """The f32 parts of a struct."""
    return [llvm.extractvalue(ir.F32Type.get(), structure, [i]) for i in range(count)]


def pack_pair(low: ir.Value, high: ir.Value, element_type: str) -> ir.Value:
    """An i32 with two f32 rounded to 16 bits."""
    pair = llvm.UndefOp(ir.VectorType.get([2], ir.F32Type.get())).result
    for position, value in enumerate((low, high)):
        pair = llvm.InsertElementOp(pair, value, i32(position)).result
    rounded = arith.TruncFOp(ir.VectorType.get([2], ir.Type.parse(element_type)), pair).result
    return llvm.bitcast(ir.IntegerType.get_signless(32), rounded)


def fragment_offsets(lane: Int32, warp: Int32) -> list[Int32]:
    """Offsets at which lane `lane` of warp `warp` stores by stmatrix, in a swizzled chunk of 64 rows
    and 64 columns of 16 bits: for each 16 columns."""
    row = (warp << 4) + (lane & 7) + (((lane >> 3) & 1) << 3)
    return [(row << 7) + ((((lane >> 4) + 2 * part) ^ (row & 7)) << 4) for part in range(4)]


def store_fragments(
    chunk: ir.Value, offsets: list[Int32], registers: list[ir.Value], element_type: str
) -> None:
    """Store 64 columns of a product's result, 32 `registers`, rounded to 16 bits."""
    packed = [
        pack_pair(low, high, element_type) for low, high in zip(registers[::2], registers[1::2], strict=True)
    ]
    for part, offset in enumerate(offsets):
        nvvm.stmatrix(
            at(chunk, offset), packed[4 * part : 4 * part + 4], attribute("mma_layout<row>"),
            attribute("ld_st_matrix_shape<m = 8, n = 8>"), attribute("ld_st_matrix_elt_type<b16>"),
        )  # fmt: skip


def next_stage(stage: Int32, parity: Int32, stages: int) -> tuple[Int32, Int32]:
    """The ring's next buffer, and the parity of its phase."""
    following = stage + 1
    wraps = following.equals(stages)
    return choose(wraps, 0, following), choose(wraps, parity ^ 1, parity)
