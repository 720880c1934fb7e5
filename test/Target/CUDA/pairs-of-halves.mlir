// Sums, differences and products of f16 take both halves of a register at once, where no register is taken apart.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// A vector along columns is held as the tile is; one along rows is the same for both halves.
// CHECK: = hd::mul2(
// CHECK: = hd::add2({{.*}}hd::permuteBytes(
// CHECK: = hd::sub2(hd::pack<hd::f16>({{.*}}0.5f
// f32 rounds a fused product once, f16 its sum: one by one.
// CHECK: hd::pack<hd::f16>(hd::fma(
tile.kernel @halves(%A: !tile.view<?x?xf16> {tile.dims = ["M", "N"]}, %C: !tile.view<?xf16> {tile.dims = ["N"]},
                    %R: !tile.view<?xf16> {tile.dims = ["M"]}, %O: !tile.view<?x?xf16> {tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64, N = 60}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %c = tile.load %C[%c0] : !tile.view<?xf16> -> tensor<64xf16>
  %r = tile.load %R[%c0] : !tile.view<?xf16> -> tensor<64xf16>
  %cs = tile.broadcast %c axis 0 : tensor<64xf16> -> tensor<64x64xf16>
  %rs = tile.broadcast %r axis 1 : tensor<64xf16> -> tensor<64x64xf16>
  %half = arith.constant dense<0.5> : tensor<64x64xf16>
  %m = arith.mulf %a, %cs : tensor<64x64xf16>
  %s = arith.addf %m, %rs : tensor<64x64xf16>
  %d = arith.subf %half, %s : tensor<64x64xf16>
  %f = math.fma %d, %a, %cs : tensor<64x64xf16>
  tile.store %f, %O[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
