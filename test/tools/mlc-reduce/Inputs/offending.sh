#!/bin/sh
# Interesting: the module divides.
exec grep -q "arith.divsi" "$1"
