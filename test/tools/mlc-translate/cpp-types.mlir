// RUN: mlc-translate --mlir-to-cpp %s | filecheck %s

// CHECK: void integers(bool v1, int8_t v2, uint16_t v3, int32_t v4, uint64_t v5, size_t v6) {
func.func @integers(%a: i1, %b: si8, %c: ui16, %d: i32, %e: ui64, %f: index) {
  return
}
// CHECK: void floats(_Float16 v1, __bf16 v2, float v3, double v4) {
func.func @floats(%a: f16, %b: bf16, %c: f32, %d: f64) {
  return
}
// CHECK: void sizes(size_t v1, ssize_t v2, ptrdiff_t v3) {
func.func @sizes(%a: !emitc.size_t, %b: !emitc.ssize_t, %c: !emitc.ptrdiff_t) {
  return
}
// CHECK: void compound(float v1[2][3], int8_t* v2[4], Map<char, "x">** v3, Tensor<float, 2, 3> v4, Tensor<bool> v5, std::tuple<int32_t, std::tuple<float>> v6) {
func.func @compound(%a: !emitc.array<2x3xf32>, %b: !emitc.array<4x!emitc.ptr<i8>>,
                    %c: !emitc.ptr<!emitc.ptr<!emitc.opaque<"Map<char, \22x\22>">>>,
                    %d: tensor<2x3xf32>, %e: tensor<i1>, %f: tuple<i32, tuple<f32>>) {
  return
}
