"""Programs of thread blocks other than products, as text."""

from __future__ import annotations

from accel_programs import SHARED, alloc, copy, index, kernel, wait


def softmax(rows: int, columns: int) -> str:
    """`@k(x, y)`: softmax along rows of at most 128 elements, 16 rows per block."""
    value_type = f"memref<{rows}x{columns}xf32>"
    return kernel(
        {"x": value_type, "y": value_type},
        [-(-rows // 16)],
        f"""{index("tile", 16)}
        {index("zero", 0)}
        %row = arith.muli %block0, %tile : index
        %lowest = arith.constant 0xFF800000 : f32
        %start = arith.constant dense<0xFF800000> : vector<16xf32>
        %none = arith.constant dense<0.0> : vector<16xf32>
        %t = vector.transfer_read %x[%row, %zero], %lowest : {value_type}, vector<16x128xf32>
        %most = vector.multi_reduction <maximumf>, %t, %start [1] : vector<16x128xf32> to vector<16xf32>
        %column = vector.shape_cast %most : vector<16xf32> to vector<16x1xf32>
        %every = vector.broadcast %column : vector<16x1xf32> to vector<16x128xf32>
        %low = arith.subf %t, %every : vector<16x128xf32>
        %e = math.exp %low : vector<16x128xf32>
        %sum = vector.multi_reduction <add>, %e, %none [1] : vector<16x128xf32> to vector<16xf32>
        %across = vector.broadcast %sum : vector<16xf32> to vector<128x16xf32>
        %down = vector.transpose %across, [1, 0] : vector<128x16xf32> to vector<16x128xf32>
        %r = arith.divf %e, %down : vector<16x128xf32>
        vector.transfer_write %r, %y[%row, %zero] : vector<16x128xf32>, {value_type}""",
    )


def masked_kernel(size: int) -> str:
    """`@k(x, y)`: `y = x > 0 ? sqrt(x) : -x` where the index is below `size`; else y stays. Both have 1024
    elements, a block takes 256."""
    return kernel(
        {"x": "memref<1024xf16>", "y": "memref<1024xf32>"},
        [4],
        f"""{index("tile", 256)}
        %at = arith.muli %block0, %tile : index
        %steps = vector.step : vector<256xindex>
        %starts = vector.broadcast %at : index to vector<256xindex>
        %indices = arith.addi %steps, %starts : vector<256xindex>
        %end = arith.constant dense<{size}> : vector<256xindex>
        %mask = arith.cmpi ult, %indices, %end : vector<256xindex>
        %none = arith.constant 0.0 : f16
        %narrow = vector.transfer_read %x[%at], %none, %mask : memref<1024xf16>, vector<256xf16>
        %v = arith.extf %narrow : vector<256xf16> to vector<256xf32>
        %zero = arith.constant dense<0.0> : vector<256xf32>
        %positive = arith.cmpf ogt, %v, %zero : vector<256xf32>
        %root = math.sqrt %v : vector<256xf32>
        %negated = arith.negf %v : vector<256xf32>
        %r = arith.select %positive, %root, %negated : vector<256xi1>, vector<256xf32>
        vector.transfer_write %r, %y[%at], %mask : vector<256xf32>, memref<1024xf32>""",
    )


def attention(queries: int, keys: int, depth: int, height: int = 32, stages: int = 1) -> str:
    """`@k(q, k_, v, o)` on matrices of bf16, the result of f32: softmax(q k^T / sqrt(depth)) v, `height`
    queries per block, 16 keys per step, in rings of `stages`, without ever holding a row of scores."""
    rows, many = f"memref<{queries}x{depth}xbf16>", f"memref<{keys}x{depth}xbf16>"
    tile = f"16x{depth}xbf16"
    sums, scores, row = f"vector<{height}x{depth}xf32>", f"vector<{height}x16xf32>", f"vector<{height}xf32>"
    return kernel(
        {"q": rows, "k_": many, "v": many, "o": f"memref<{queries}x{depth}xf32>"},
        [-(-queries // height)],
        f"""{alloc("ks", tile)}
        {alloc("vs", tile)}
        {index("tile", height)}
        {index("zero", 0)}
        {index("step", 16)}
        {index("keys", keys)}
        %first = arith.muli %block0, %tile : index
        %none = arith.constant 0.0 : bf16
        %qs = vector.transfer_read %q[%first, %zero], %none : {rows}, vector<{height}x{depth}xbf16>
        %no_max = arith.constant dense<0xFF800000> : {row}
        %no_sum = arith.constant dense<0.0> : {row}
        %no_result = arith.constant dense<0.0> : {sums}
        %no_scores = arith.constant dense<0.0> : {scores}
        %lowest = arith.constant dense<0xFF800000> : {scores}
        %scale = arith.constant dense<{depth**-0.5!r}> : {scores}
        %end = arith.constant dense<{keys}> : vector<16xindex>
        %m:3 = scf.for %at = %zero to %keys step %step
            iter_args(%max = %no_max, %sum = %no_sum, %acc = %no_result) -> ({row}, {row}, {sums}) {{
          {copy("k_", "ks", ["at", "zero"], [many, f"memref<{tile}, {SHARED}>"], "tk")}
          {copy("v", "vs", ["at", "zero"], [many, f"memref<{tile}, {SHARED}>"], "tv")}
          {wait("tk", "tv")}
          %raw = "accel.mma"(%qs, %ks, %no_scores) {{precision = "exact", transpose_b}} :
            (vector<{height}x{depth}xbf16>, memref<{tile}, {SHARED}>, {scores}) -> {scores}
          %scaled = arith.mulf %raw, %scale : {scores}
          %steps = vector.step : vector<16xindex>
          %begin = vector.broadcast %at : index to vector<16xindex>
          %indices = arith.addi %steps, %begin : vector<16xindex>
          %is_key = arith.cmpi ult, %indices, %end : vector<16xindex>
          %are_keys = vector.broadcast %is_key : vector<16xi1> to vector<{height}x16xi1>
          %s = arith.select %are_keys, %scaled, %lowest : vector<{height}x16xi1>, {scores}
          %new_max = vector.multi_reduction <maximumf>, %s, %max [1] : {scores} to {row}
          %less = arith.subf %max, %new_max : {row}
          %correction = math.exp %less : {row}
          %max_across = vector.broadcast %new_max : {row} to vector<16x{height}xf32>
          %max_down = vector.transpose %max_across, [1, 0] : vector<16x{height}xf32> to {scores}
          %low = arith.subf %s, %max_down : {scores}
          %p = math.exp %low : {scores}
          %old_sum = arith.mulf %correction, %sum : {row}
          %new_sum = vector.multi_reduction <add>, %p, %old_sum [1] : {scores} to {row}
          %factor_across = vector.broadcast %correction : {row} to vector<{depth}x{height}xf32>
          %factor = vector.transpose %factor_across, [1, 0] : vector<{depth}x{height}xf32> to {sums}
          %old = arith.mulf %acc, %factor : {sums}
          %narrow = arith.truncf %p : {scores} to vector<{height}x16xbf16>
          %new = "accel.mma"(%narrow, %vs, %old) {{precision = "exact"}} :
            (vector<{height}x16xbf16>, memref<{tile}, {SHARED}>, {sums}) -> {sums}
          scf.yield %new_max, %new_sum, %new : {row}, {row}, {sums}
        }} {{accel.stages = {stages} : i64}}
        %sum_across = vector.broadcast %m#1 : {row} to vector<{depth}x{height}xf32>
        %sum_down = vector.transpose %sum_across, [1, 0] : vector<{depth}x{height}xf32> to {sums}
        %r = arith.divf %m#2, %sum_down : {sums}
        vector.transfer_write %r, %o[%first, %zero] : {sums}, memref<{queries}x{depth}xf32>""",
    )


def carried_values() -> str:
    """`@k(x, y, r)`, 8 elements each, r [3, 8]: a loop carries two values that are swapped, one that is
    replaced by another's last value in another shape, and a sum."""
    one, two = "vector<8xf32>", "vector<2x4xf32>"
    return kernel(
        {"x": "memref<8xf32>", "y": "memref<8xf32>", "r": "memref<3x8xf32>"},
        [1],
        f"""{index("zero", 0)}
        {index("one", 1)}
        {index("two", 2)}
        {index("end", 5)}
        %none = arith.constant 0.0 : f32
        %a = vector.transfer_read %x[%zero], %none : memref<8xf32>, {one}
        %b = vector.transfer_read %y[%zero], %none : memref<8xf32>, {one}
        %c = vector.shape_cast %a : {one} to {two}
        %l:4 = scf.for %i = %zero to %end step %one
            iter_args(%p = %a, %q = %b, %s = %c, %t = %a) -> ({one}, {one}, {two}, {one}) {{
          %added = arith.addf %p, %t : {one}
          %shaped = vector.shape_cast %p : {one} to {two}
          %flat = vector.shape_cast %s : {two} to {one}
          %next = arith.addf %flat, %added : {one}
          scf.yield %q, %p, %shaped, %next : {one}, {one}, {two}, {one}
        }}
        %last = vector.shape_cast %l#2 : {two} to {one}
        %mixed = arith.subf %l#0, %last : {one}
        vector.transfer_write %mixed, %r[%zero, %zero] : {one}, memref<3x8xf32>
        vector.transfer_write %l#1, %r[%one, %zero] : {one}, memref<3x8xf32>
        vector.transfer_write %l#3, %r[%two, %zero] : {one}, memref<3x8xf32>""",
    )


def conversion_kernel(size: int, source: str, result: str) -> str:
    """`@k(x, y)`: the elements of x as floats of another type, 256 per block."""
    one, other = f"memref<{size}x{source}>", f"memref<{size}x{result}>"
    wider = "ext" if source.startswith("f8") else "trunc"
    return kernel(
        {"x": one, "y": other},
        [-(-size // 256)],
        f"""{index("tile", 256)}
        %at = arith.muli %block0, %tile : index
        %none = arith.constant 0.0 : {source}
        %v = vector.transfer_read %x[%at], %none : {one}, vector<256x{source}>
        %r = arith.{wider}f %v : vector<256x{source}> to vector<256x{result}>
        vector.transfer_write %r, %y[%at] : vector<256x{result}>, {other}""",
    )
