// The second half of decoding: parts of results with weights (base 2 logarithms) become one result.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: for D in parts=1 parts=7; do heddle run %s --device=emulate --interleavings=1 --dims $D || exit 1; done | FileCheck %s --check-prefix=ALL
// ALL-COUNT-2: {{^}}verified
tile.kernel @attention_combine_parts(%P: !tile.view<?x?x?x8x128xf32> {tile.name = "P",
                                       tile.dims = ["B", "HK", "parts", "G", "D"]},
                                     %L: !tile.view<?x?x?x8xf32> {tile.name = "L",
                                       tile.dims = ["B", "HK", "parts", "G"]},
                                     %O: !tile.view<?x?x8x128xf16> {tile.name = "O",
                                       tile.dims = ["B", "HK", "G", "D"]})
    attributes {tile.default_dims = {B = 2, HK = 2, parts = 5}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tile.dim %P, 0 : !tile.view<?x?x?x8x128xf32>
  %heads = tile.dim %P, 1 : !tile.view<?x?x?x8x128xf32>
  %parts = tile.dim %P, 2 : !tile.view<?x?x?x8x128xf32>
  tile.grid %heads, %batch
  %h = tile.program_id 0
  %b = tile.program_id 1
  %neginf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero1 = arith.constant dense<0.0> : tensor<8xf32>
  %zero2 = arith.constant dense<0.0> : tensor<8x128xf32>
  // the largest weight first, so that no power of two overflows
  %most = scf.for %i = %c0 to %parts step %c1 iter_args(%mi = %neginf) -> (tensor<8xf32>) {
    %w = tile.load %L[%b, %h, %i, %c0] : !tile.view<?x?x?x8xf32> -> tensor<8xf32>
    %mn = arith.maximumf %mi, %w : tensor<8xf32>
    scf.yield %mn : tensor<8xf32>
  }
  %l, %acc = scf.for %i = %c0 to %parts step %c1
      iter_args(%li = %zero1, %oi = %zero2) -> (tensor<8xf32>, tensor<8x128xf32>) {
    %w = tile.load %L[%b, %h, %i, %c0] : !tile.view<?x?x?x8xf32> -> tensor<8xf32>
    %o = tile.load %P[%b, %h, %i, %c0, %c0] : !tile.view<?x?x?x8x128xf32> -> tensor<8x128xf32>
    %d = arith.subf %w, %most : tensor<8xf32>
    %e = math.exp2 %d : tensor<8xf32>
    %ln = arith.addf %li, %e : tensor<8xf32>
    %e2 = tile.broadcast %e axis 1 : tensor<8xf32> -> tensor<8x128xf32>
    %eo = arith.mulf %e2, %o : tensor<8x128xf32>
    %on = arith.addf %oi, %eo : tensor<8x128xf32>
    scf.yield %ln, %on : tensor<8xf32>, tensor<8x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<8xf32> -> tensor<8x128xf32>
  %o = arith.divf %acc, %l2 : tensor<8x128xf32>
  %oh = arith.truncf %o : tensor<8x128xf32> to tensor<8x128xf16>
  tile.store %oh, %O[%b, %h, %c0, %c0] : tensor<8x128xf16>, !tile.view<?x?x8x128xf16>
  tile.return
}
