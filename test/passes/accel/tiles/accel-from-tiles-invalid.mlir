// RUN: mlc-opt %s --accel-from-tiles --split-input-file --verify-diagnostics

func.func private @constants(%x: tensor<2xf32>) -> tensor<2xf32> attributes {tloop.kernel} {
  // expected-error @below {{'arith.constant' op has no form on tiles}}
  %r = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

#all = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

func.func private @joined_twice(%x: tensor<8xf32>) -> tensor<f32> attributes {tloop.kernel} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%empty : tensor<f32>) {
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  } -> tensor<f32>
  // expected-error @below {{a reduction by more than one op has no form on tiles}}
  %r = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%start : tensor<f32>) {
  ^bb0(%new: f32, %old: f32):
    %half = arith.mulf %old, %new : f32
    %both = arith.addf %half, %new : f32
    linalg.yield %both : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

#same = affine_map<(d0) -> (d0)>

func.func private @nested(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (2) shared_outs(%out = %empty) -> (tensor<8xf32>) {
    %into = tensor.extract_slice %out[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    // expected-error @below {{parallel loops within blocks have no form on tiles}}
    %s = scf.forall (%j) in (2) shared_outs(%inner = %into) -> (tensor<4xf32>) {
      %part = tensor.extract_slice %x[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %part into %inner[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %out[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

#same = affine_map<(d0) -> (d0)>

func.func private @between(%x: tensor<2000xf32>) -> tensor<2000xf32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<2000xf32>
  // expected-error @below {{a parallel loop computes a tensor that is no result of the kernel}}
  %a = scf.forall (%i) in (2) shared_outs(%out = %empty) -> (tensor<2000xf32>) {
    %part = tensor.extract_slice %x[0] [1000] [1] : tensor<2000xf32> to tensor<1000xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %out[0] [1000] [1] : tensor<1000xf32> into tensor<2000xf32>
    }
  }
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%a : tensor<2000xf32>) outs(%empty : tensor<2000xf32>) {
  ^bb0(%new: f32, %old: f32):
    %minus = arith.negf %new : f32
    linalg.yield %minus : f32
  } -> tensor<2000xf32>
  return %r : tensor<2000xf32>
}

// -----

// expected-error @below {{a result of the kernel must be copied, and is too large for one block}}
func.func private @large_copy(%x: tensor<20000xf32>) -> tensor<20000xf32> attributes {tloop.kernel} {
  return %x : tensor<20000xf32>
}

// -----

func.func private @part_of_a_tile(%x: tensor<8xf32>) -> tensor<4xf32> attributes {tloop.kernel} {
  %empty = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%new: f32, %old: f32):
    %minus = arith.negf %new : f32
    linalg.yield %minus : f32
  } -> tensor<8xf32>
  // expected-error @below {{a part of a tile in registers cannot be taken}}
  %r = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}
