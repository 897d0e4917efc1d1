// RUN: not mlc-opt %s --accel-to-threads-sm90a 2>&1 | filecheck %s
// RUN: not mlc-opt %s --pass-pipeline="builtin.module(cse, gfx942-kernel)" 2>&1 | filecheck %s --check-prefix=AMD

// CHECK: error: there is no pipeline 'accel-to-threads-sm90a' any more; it is 'accel-to-threads', on a module whose target is cuda:sm_90a (tloop-set-target{target=cuda:sm_90a})
// AMD: there is no pipeline 'gfx942-kernel' any more; it is 'amdgpu-kernel', on a module whose target is hip:gfx942 (tloop-set-target{target=hip:gfx942})
