// RUN: mlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --tloop-apply-schedules | filecheck %s

// The pattern's ops may stand in another order, and it may use fewer fastmath flags than the kernel permits.
// CHECK-LABEL: func.func private @scaled
// CHECK-NEXT: %[[SCALED:.*]] = "my.scale"(%arg0, %arg1)
// CHECK-NEXT: return %[[SCALED]]
func.func private @scaled(%a: tensor<4xf16>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf16>) outs(%b : tensor<4xf32>) attrs = {tloop.block = "b"} {
  ^bb0(%x: f16, %y: f32):
    %0 = arith.negf %y : f32
    %1 = arith.extf %x : f16 to f32
    %2 = arith.mulf %1, %0 fastmath<reassoc,contract> : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "b"} : () -> !tloop.block
  "tloop.tensorize"(%b) {intrinsic = @pattern} : (!tloop.block) -> ()
}) {kernel = @scaled} : () -> ()
func.func private @pattern(%a: tensor<4xf16>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.implementation = @implementation} {
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf16>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f16, %y: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.negf %y : f32
    %2 = arith.mulf %0, %1 fastmath<contract> : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}
func.func private @implementation(%a: tensor<4xf16>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "my.scale"(%a, %b) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Which argument is which matters: the difference is the other way round.
func.func private @difference(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) attrs = {tloop.block = "b"} {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "b"} : () -> !tloop.block
  // expected-error @below {{the block computes something else than the pattern}}
  "tloop.tensorize"(%b) {intrinsic = @pattern} : (!tloop.block) -> ()
}) {kernel = @difference} : () -> ()
func.func private @pattern(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.implementation = @pattern} {
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.subf %y, %x : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}

// -----

func.func private @strict(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) attrs = {tloop.block = "b"} {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y fastmath<contract> : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "b"} : () -> !tloop.block
  // expected-error @below {{the pattern uses fastmath<contract,reassoc>, which the block does not permit}}
  "tloop.tensorize"(%b) {intrinsic = @pattern} : (!tloop.block) -> ()
}) {kernel = @strict} : () -> ()
func.func private @pattern(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {tloop.implementation = @pattern} {
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y fastmath<reassoc,contract> : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %p : tensor<4xf32>
}
