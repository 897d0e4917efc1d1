// RUN: mlc-opt %s --tloop-apply-schedules=print-steps 2>&1 | filecheck %s

// The kernel after each step.
// CHECK: // After step 1 of the schedule of @copy: {{.*}}"tloop.get_block"
// CHECK: affine.for %{{.*}} = 0 to 8 {
// CHECK: // After step 2 of the schedule of @copy: {{.*}}"tloop.get_loops"
// CHECK: // After step 3 of the schedule of @copy: {{.*}}"tloop.split"
// CHECK: affine.for %{{.*}} = 0 to 8 step 4 {
// CHECK: // After step 4 of the schedule of @copy: "tloop.parallel"
// CHECK: affine.parallel (%{{.*}}) = (0) to (8) step (4) {
func.func private @copy(%a: memref<8xf32>, %b: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %a[%i] : memref<8xf32>
    affine.store %0, %b[%i] {tloop.block = "c"} : memref<8xf32>
  }
  return
}
"tloop.schedule"() ({
  %c = "tloop.get_block"() {block_name = "c"} : () -> !tloop.block
  %i = "tloop.get_loops"(%c) : (!tloop.block) -> (!tloop.loop)
  %o, %n = "tloop.split"(%i) {factors = array<i64: -1, 4>, tail = "guard"} : (!tloop.loop) -> (!tloop.loop, !tloop.loop)
  "tloop.parallel"(%o) : (!tloop.loop) -> ()
}) {kernel = @copy} : () -> ()
