// Markers of a character or two: the search for near misses leaves none of them to look for.
// RUN: printf 'module @a {}~module @b {}' | mlc-opt --split-input-file=~ | filecheck %s
// RUN: printf 'module @a {}~!module @b {}' | mlc-opt --split-input-file=~! | filecheck %s

// CHECK: module @a
// CHECK: module @b
