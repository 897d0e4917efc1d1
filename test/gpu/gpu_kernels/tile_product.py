"""A product of matrices as a program of thread blocks, whose copies run ahead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TileProduct:
    """`size` x `size` matrices of `element`; each block computes `rows` x `columns` in steps of `depth`, in
    clusters of `cluster`. Rows of the operands' tiles must be 128 bytes long, or a multiple. The sums become
    `result`, if that is given."""

    rows: int = 128
    columns: int = 128
    depth: int = 64
    stages: int = 3
    warps: int = 8
    size: int = 1024
    element: str = "bf16"
    precision: str = "exact"
    sums: str = "f32"
    transpose_b: bool = False
    result: str = ""
    cluster: tuple[int, int] = (1, 1)

    def text(self) -> str:
        """The module with the kernel `@product(a, b, c)`."""
        element_types = (self.element, self.result or self.sums)
        operand, result = (
            f"memref<{self.size}x{self.size}x{element_type}>" for element_type in element_types
        )
        sums = f"vector<{self.rows}x{self.columns}x{self.sums}>"
        left, right = self._tile(self.rows, self.depth), self._tile(self.depth, self.columns)
        offset, flag = "%k, %column", ""
        if self.transpose_b:
            right, offset, flag = self._tile(self.columns, self.depth), "%column, %k", ", transpose_b"
        return f"""
          func.func private @product(%a: {operand}, %b: {operand}, %c: {result})
            attributes {{tloop.kernel}} {{
            %zero = arith.constant 0 : index
            %height = arith.constant {self.rows} : index
            %width = arith.constant {self.columns} : index
            %step = arith.constant {self.depth} : index
            %size = arith.constant {self.size} : index
            %down = arith.constant {self.size // self.rows} : index
            %across = arith.constant {self.size // self.columns} : index
            %start = arith.constant dense<{"0.0" if self.sums == "f32" else "0"}> : {sums}
            "accel.launch"(%down, %across) ({{
            ^bb0(%i: index, %j: index):
              %as = "accel.alloc"() {{stages = 1 : i64, swizzle = 128 : i64}} : () -> {left}
              %bs = "accel.alloc"() {{stages = 1 : i64, swizzle = 128 : i64}} : () -> {right}
              %row = arith.muli %i, %height : index
              %column = arith.muli %j, %width : index
              %sum = scf.for %k = %zero to %size step %step iter_args(%old = %start) -> {sums} {{
                %ta = "accel.copy"(%a, %as, %row, %k) : ({operand}, {left}, index, index) -> !accel.token
                %tb = "accel.copy"(%b, %bs, {offset}) : ({operand}, {right}, index, index) -> !accel.token
                "accel.wait"(%ta, %tb) : (!accel.token, !accel.token) -> ()
                %new = "accel.mma"(%as, %bs, %old) {{precision = "{self.precision}"{flag}}} :
                  ({left}, {right}, {sums}) -> {sums}
                scf.yield %new : {sums}
              }} {{accel.stages = {self.stages} : i64}}
              {self._write(result)}
            }}) {{cluster = array<i64: {self.cluster[0]}, {self.cluster[1]}>, warps = {self.warps} : i64}} :
              (index, index) -> ()
            return
          }}"""

    def _write(self, memory: str) -> str:
        element_types = [
            f"vector<{self.rows}x{self.columns}x{element_type}>" for element_type in (self.sums, self.result)
        ]
        if not self.result:
            return f"vector.transfer_write %sum, %c[%row, %column] : {element_types[0]}, {memory}"
        return f"""%narrow = arith.truncf %sum : {element_types[0]} to {element_types[1]}
              vector.transfer_write %narrow, %c[%row, %column] : {element_types[1]}, {memory}"""

    def _tile(self, rows: int, columns: int) -> str:
        return f"memref<{rows}x{columns}x{self.element}, #gpu.address_space<workgroup>>"
