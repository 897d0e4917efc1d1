"""The machine's parameters, as in simulator.h."""

# Rows, columns and reduction steps of one instruction of the matrix unit.
TILE = 16
SCRATCHPAD_BYTES = 64 * 1024
# The alignment of operands in the scratchpad, in bytes.
ALIGNMENT = 64
