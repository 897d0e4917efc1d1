// RUN: mlc-opt %s --no-implicit-module --split-input-file --verify-diagnostics

func.func private @one()

// -----

// The error is that of the chunk as a whole: it is on the line of the marker.
// expected-error@-3 {{source must contain a single top-level operation, found: 2}}
func.func private @one()
func.func private @two()
