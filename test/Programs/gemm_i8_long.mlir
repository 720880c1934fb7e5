// Sums beyond 2^24, of one dot that contracts 2048, are exact. 24 columns, which are no width of an instruction for
// integers, grow to 32. A right operand across the contraction is turned; where the left one lies across it, both
// become f16, where 64 products of a dot are exact, too.
// RUN: heddle run %s --device=sim --input=A='integers(90,128)' --input=B='integers(90,128)' | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: hd::wgmmaSS<32, hd::s8, hd::s8
// CUDA: hd::wgmmaSS<64, hd::s8, hd::s8
// CUDA: hd::wgmma{{..}}<64, hd::f16
tile.kernel @long_sums(%A: !tile.view<?x?xi8> {tile.name = "A", tile.dims = ["M", "K"]},
                       %B: !tile.view<?x?xi8> {tile.name = "B", tile.dims = ["N", "K"]},
                       %D: !tile.view<?x?xi8> {tile.name = "D", tile.dims = ["K", "L"]},
                       %C: !tile.view<?x?xi32> {tile.name = "C", tile.dims = ["M", "N"]},
                       %E: !tile.view<?x?xi32> {tile.name = "E", tile.dims = ["M", "L"]})
    attributes {tile.default_dims = {M = 70 : i64, N = 24 : i64, K = 2048 : i64, L = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xi32>
  %gm = arith.ceildivui %M, %bm : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m = arith.muli %pm, %bm : index
  %zero = arith.constant dense<0> : tensor<64x24xi32>
  %zeros = arith.constant dense<0> : tensor<64x64xi32>
  %a = tile.load %A[%m, %c0] : !tile.view<?x?xi8> -> tensor<64x2048xi8>
  %b = tile.load %B[%c0, %c0] : !tile.view<?x?xi8> -> tensor<24x2048xi8>
  %bt = tile.transpose %b : tensor<24x2048xi8> -> tensor<2048x24xi8>
  %c = tile.dot %a, %bt, %zero : tensor<64x2048xi8>, tensor<2048x24xi8>, tensor<64x24xi32>
  tile.store %c, %C[%m, %c0] : tensor<64x24xi32>, !tile.view<?x?xi32>
  %f = tile.load %A[%m, %c0] : !tile.view<?x?xi8> -> tensor<64x64xi8>
  %d = tile.load %D[%c0, %c0] : !tile.view<?x?xi8> -> tensor<64x64xi8>
  %e = tile.dot %f, %d, %zeros : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  %dt = tile.transpose %d : tensor<64x64xi8> -> tensor<64x64xi8>
  %g = tile.dot %dt, %d, %e : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  tile.store %g, %E[%m, %c0] : tensor<64x64xi32>, !tile.view<?x?xi32>
  tile.return
}
