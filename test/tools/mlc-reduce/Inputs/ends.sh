#!/bin/sh
# If the file multiplies, ends as the first argument says.
grep -q "= arith.muli" "$2" || exit 0
case $1 in
  crash) kill -SEGV $$ ;;
  hang) sleep 100 ;;
  fail) exit 3 ;;
esac
