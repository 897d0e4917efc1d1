"""Plans: what a compiled program does on the device, as data that is checked."""
