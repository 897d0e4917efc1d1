#!/bin/sh
# Interesting: the file after the first argument holds that argument.
exec grep -q "$1" "$2"
