"""Programs whose copies run ahead in rings of buffers, as pipelining makes them, and ones that move tiles."""

from __future__ import annotations

from accel_programs import SHARED, alloc, copy, index, kernel, wait


def ring(m: int, n: int, k: int) -> str:
    """`@k(a, b, c)`: a product of f16, in tiles of 16x16 and steps of 8. Rings of 3 buffers, two copies
    ahead, in groups."""
    sums, whole = "vector<16x16xf32>", f"memref<3x16x8xf16, {SHARED}>"
    slot = f"memref<16x8xf16, strided<[8, 1], offset: ?>, {SHARED}>"
    a, b = f"memref<{m}x{k}xf16>", f"memref<{n}x{k}xf16>"

    def start(step: str) -> str:
        """The copies of a step, as a group; those after the end are empty."""
        at = f"""%at_{step} = arith.muli %{step}, %depth : index
          %slot_{step} = arith.remui %{step}, %three : index"""
        parts = [at]
        for name, value_type, row in (("a", a, "row"), ("b", b, "column")):
            parts += [
                f"%{name}_{step} = memref.subview %{name}s[%slot_{step}, 0, 0] [1, 16, 8] [1, 1, 1] : "
                f"{whole} to {slot}",
                copy(name, f"{name}_{step}", [row, f"at_{step}"], [value_type, slot], f"t{name}_{step}"),
            ]
        parts.append(f'"accel.commit"(%ta_{step}, %tb_{step}) : (!accel.token, !accel.token) -> ()')
        return "\n".join(parts)

    return kernel(
        {"a": a, "b": b, "c": f"memref<{m}x{n}xf32>"},
        [-(-m // 16), -(-n // 16)],
        f"""{alloc("as", "3x16x8xf16", 3)}
        {alloc("bs", "3x16x8xf16", 3)}
        {index("zero", 0)}
        {index("one", 1)}
        {index("two", 2)}
        {index("three", 3)}
        {index("depth", 8)}
        {index("tile", 16)}
        {index("steps", -(-k // 8))}
        %row = arith.muli %block0, %tile : index
        %column = arith.muli %block1, %tile : index
        %start = arith.constant dense<0.0> : {sums}
        {start("zero")}
        {start("one")}
        %sum = scf.for %i = %zero to %steps step %one iter_args(%old = %start) -> {sums} {{
          "accel.wait_groups"() {{pending = 1 : i64}} : () -> ()
          %slot = arith.remui %i, %three : index
          %a_now = memref.subview %as[%slot, 0, 0] [1, 16, 8] [1, 1, 1] : {whole} to {slot}
          %b_now = memref.subview %bs[%slot, 0, 0] [1, 16, 8] [1, 1, 1] : {whole} to {slot}
          %new = "accel.mma"(%a_now, %b_now, %old) {{precision = "exact", transpose_b}} :
            ({slot}, {slot}, {sums}) -> {sums}
          %ahead = arith.addi %i, %two : index
          {start("ahead")}
          scf.yield %new : {sums}
        }}
        vector.transfer_write %sum, %c[%row, %column] : {sums}, memref<{m}x{n}xf32>""",
    )


def windows(size: int, taps: int) -> str:
    """`@k(x, w, y)`: sums of `taps` by `taps` products of 16 channels, x [size, 16], w [taps, 16, 8], y
    [size, 8], y[i] = sum over t, u of (x[i + t - u - 1]) w[t]: two loops around a product, and copies that
    begin before the memory."""
    x, w = f"memref<{size}x16xf32>", f"memref<{taps}x16x8xf32>"
    sums = "vector<32x8xf32>"
    shared_x, shared_w = f"memref<32x16xf32, {SHARED}>", f"memref<16x8xf32, {SHARED}>"
    return kernel(
        {"x": x, "w": w, "y": f"memref<{size}x8xf32>"},
        [-(-size // 32)],
        f"""{alloc("xs", "32x16xf32")}
        {alloc("ws", "16x8xf32")}
        {index("zero", 0)}
        {index("one", 1)}
        {index("taps", taps)}
        {index("tile", 32)}
        %first = arith.muli %block0, %tile : index
        %none = arith.constant dense<0.0> : {sums}
        %sum = scf.for %t = %zero to %taps step %one iter_args(%outer = %none) -> {sums} {{
          %part = scf.for %u = %zero to %taps step %one iter_args(%old = %outer) -> {sums} {{
            %after = arith.addi %first, %t : index
            %back = arith.addi %u, %one : index
            %at = arith.subi %after, %back : index
            {copy("x", "xs", ["at", "zero"], [x, shared_x], "tx")}
            {copy("w", "ws", ["t", "zero", "zero"], [w, shared_w], "tw")}
            {wait("tx", "tw")}
            %new = "accel.mma"(%xs, %ws, %old) {{precision = "exact"}} :
              ({shared_x}, {shared_w}, {sums}) -> {sums}
            scf.yield %new : {sums}
          }}
          scf.yield %part : {sums}
        }}
        vector.transfer_write %sum, %y[%first, %zero] : {sums}, memref<{size}x8xf32>""",
    )


def moves(rows: int, columns: int) -> str:
    """`@k(x, y)`: x^T / (the sum of the 16x32 tile of x), or x^T where this sum is negative; through shared
    memory both ways."""
    x, y = f"memref<{rows}x{columns}xf32>", f"memref<{columns}x{rows}xf32>"
    tile, turned = "vector<16x32xf32>", "vector<32x16xf32>"
    shared, out = f"memref<16x32xf32, {SHARED}>", f"memref<32x16xf32, {SHARED}>"
    return kernel(
        {"x": x, "y": y},
        [-(-rows // 16), -(-columns // 32)],
        f"""{alloc("xs", "16x32xf32")}
        {alloc("ys", "32x16xf32")}
        {index("zero", 0)}
        {index("height", 16)}
        {index("width", 32)}
        %none = arith.constant 0.0 : f32
        %row = arith.muli %block0, %height : index
        %column = arith.muli %block1, %width : index
        {copy("x", "xs", ["row", "column"], [x, shared], "tx")}
        {wait("tx")}
        %flat = vector.transfer_read %xs[%zero, %zero], %none {{in_bounds = [true, true]}} : {shared}, {tile}
        %sum = vector.multi_reduction <add>, %flat, %none [0, 1] : {tile} to f32
        %down = vector.transfer_read %xs[%zero, %zero], %none
          {{permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : {shared}, {turned}
        %is_positive = arith.cmpf ogt, %sum, %none : f32
        %result = scf.if %is_positive -> {turned} {{
          %every = vector.broadcast %sum : f32 to {turned}
          %quotient = arith.divf %down, %every : {turned}
          scf.yield %quotient : {turned}
        }} else {{
          scf.yield %down : {turned}
        }}
        vector.transfer_write %result, %ys[%zero, %zero] : {turned}, {out}
        {copy("ys", "y", ["column", "row"], [out, y], "ty")}
        {wait("ty")}""",
    )
