"""The machine in numbers; simulator.h has the same ones."""

# Rows, columns and steps of one product of the matrix unit.
TILE = 16
SCRATCHPAD_BYTES = 64 * 1024
# What addresses of operands in the scratchpad must be multiples of.
ALIGNMENT = 64
