"""Products as programs of thread blocks: a tile of the result per block, operands through shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from accel_programs import SHARED, alloc, copy, index, kernel, wait


@dataclass(frozen=True)
class Product:
    """`[batch,] M x K` by `K x N`; in tiles of `tile`, and steps of `step` elements, in rings of `stages`."""

    m: int
    n: int
    k: int
    element: str
    sums: str = "f32"
    batch: int = 0
    transpose_a: bool = False
    transpose_b: bool = False
    # Of numbers of i8.
    unsigned_a: bool = False
    unsigned_b: bool = False
    precision: str = "exact"
    # Adds a vector of N elements, and drops negative sums.
    bias: bool = False
    # The result's element type, where it is not that of the sums.
    result: str = ""
    tile: tuple[int, int] = (32, 64)
    step: int = 32
    stages: int = 2
    warps: int = 4
    # Blocks of a cluster along rows and columns.
    cluster: tuple[int, ...] = ()

    @property
    def unsigned(self) -> tuple[bool, bool]:
        return self.unsigned_a, self.unsigned_b

    def shape_a(self) -> list[int]:
        return self._shape([self.m, self.k], self.transpose_a)

    def shape_b(self) -> list[int]:
        return self._shape([self.k, self.n], self.transpose_b)

    def shape_c(self) -> list[int]:
        return self._shape([self.m, self.n], False)

    def _shape(self, matrix: list[int], transposed: bool) -> list[int]:
        return [self.batch] * bool(self.batch) + (matrix[::-1] if transposed else matrix)


def memref(shape: list[int], element: str) -> str:
    return f"memref<{'x'.join(map(str, shape))}x{element}>"


def text(product: Product) -> str:
    """The kernel `@k(a, b, [bias,] c)`."""
    p = product
    types = {"a": memref(p.shape_a(), p.element), "b": memref(p.shape_b(), p.element)}
    if p.bias:
        types["bias"] = memref([p.n], p.sums)
    types["c"] = memref(p.shape_c(), p.result or p.sums)
    grid = [-(-p.m // p.tile[0]), -(-p.n // p.tile[1]), *([p.batch] if p.batch else [])]
    body = "\n".join([_setup(p), _loop(p, types), _epilogue(p, types)])
    cluster = [*p.cluster, 1][: len(grid)] if p.cluster else []
    return kernel(types, grid, body, p.warps, cluster)


def _tiles(p: Product) -> tuple[str, str]:
    """The operands' tiles in shared memory."""
    a = f"{p.step}x{p.tile[0]}" if p.transpose_a else f"{p.tile[0]}x{p.step}"
    b = f"{p.tile[1]}x{p.step}" if p.transpose_b else f"{p.step}x{p.tile[1]}"
    return f"{a}x{p.element}", f"{b}x{p.element}"


def _setup(p: Product) -> str:
    zero = "0" if p.sums.startswith("i") else "0.0"
    tile_a, tile_b = _tiles(p)
    return f"""{alloc("as", tile_a)}
      {alloc("bs", tile_b)}
      {index("zero", 0)}
      {index("depth", p.k)}
      {index("step", p.step)}
      {index("rows", p.tile[0])}
      {index("columns", p.tile[1])}
      %row = arith.muli %block0, %rows : index
      %column = arith.muli %block1, %columns : index
      %start = arith.constant dense<{zero}> : {_sum_type(p)}"""


def _sum_type(p: Product) -> str:
    return f"vector<{p.tile[0]}x{p.tile[1]}x{p.sums}>"


def _loop(p: Product, types: dict[str, str]) -> str:
    first = ["block2"] if p.batch else []
    coordinates_a = ["at", "row"] if p.transpose_a else ["row", "at"]
    coordinates_b = ["column", "at"] if p.transpose_b else ["at", "column"]
    shared_a, shared_b = (f"memref<{tile}, {SHARED}>" for tile in _tiles(p))
    names = ("transpose_a", "transpose_b", "unsigned_a", "unsigned_b")
    flags = "".join(f", {name}" for name in names if getattr(p, name))
    return f"""%sum = scf.for %at = %zero to %depth step %step iter_args(%old = %start) -> {_sum_type(p)} {{
        {copy("a", "as", [*first, *coordinates_a], [types["a"], shared_a], "ta")}
        {copy("b", "bs", [*first, *coordinates_b], [types["b"], shared_b], "tb")}
        {wait("ta", "tb")}
        %new = "accel.mma"(%as, %bs, %old) {{precision = "{p.precision}"{flags}}} : ({shared_a}, {shared_b},
          {_sum_type(p)}) -> {_sum_type(p)}
        scf.yield %new : {_sum_type(p)}
      }} {{accel.stages = {p.stages} : i64}}"""


def _epilogue(p: Product, types: dict[str, str]) -> str:
    lines, value, value_type = [], "sum", _sum_type(p)
    if p.bias:
        row = f"vector<{p.tile[1]}x{p.sums}>"
        lines += [
            f"%none = arith.constant 0.0 : {p.sums}",
            f"%offsets = vector.transfer_read %bias[%column], %none : {types['bias']}, {row}",
            f"%every = vector.broadcast %offsets : {row} to {value_type}",
            f"%added = arith.addf %sum, %every : {value_type}",
            f"%relu = arith.maximumf %added, %start : {value_type}",
        ]
        value = "relu"
    if p.result:
        narrow = value_type.replace(p.sums, p.result)
        lines.append(f"%narrow = arith.truncf %{value} : {value_type} to {narrow}")
        value, value_type = "narrow", narrow
    coordinates = "%block2, %row, %column" if p.batch else "%row, %column"
    lines.append(f"vector.transfer_write %{value}, %c[{coordinates}] : {value_type}, {types['c']}")
    return "\n".join(lines)
