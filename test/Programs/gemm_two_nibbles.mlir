// A product with weights of 4 bits: the low halves of bytes are the first columns, the high halves the others.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @gemm_two_nibbles(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K2"]},
    %B: !tile.view<?x?xi8> {tile.name = "B", tile.dims = ["N", "K"]},
    %s: !tile.view<?xf16> {tile.name = "s", tile.dims = ["N"]},
    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 100, N = 136, K = 128, K2 = 256}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = arith.constant dense<15> : tensor<64x64xi8>
  %k2 = arith.constant dense<8> : tensor<64x64xi8>
  %k3 = arith.constant dense<4> : tensor<64x64xi8>
  %A_0 = tile.dim %A, 0 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %A_0, %c64 : index
  %B_0 = tile.dim %B, 0 : !tile.view<?x?xi8>
  %programs2 = arith.ceildivui %B_0, %c64 : index
  tile.grid %programs, %programs2
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %muli = arith.muli %p0, %c64 : index
  %muli2 = arith.muli %p1, %c64 : index
  %B_1 = tile.dim %B, 1 : !tile.view<?x?xi8>
  %result = scf.for %i = %c0 to %B_1 step %c64 iter_args(%carried = %zero) -> (tensor<64x64xf32>) {
    %b = tile.load %B[%muli2, %i] : !tile.view<?x?xi8> -> tensor<64x64xi8>
    %andi = arith.andi %b, %k : tensor<64x64xi8>
    %subi = arith.subi %andi, %k2 : tensor<64x64xi8>
    %shrsi = arith.shrsi %b, %k3 : tensor<64x64xi8>
    %a = tile.load %A[%muli, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %sitofp = arith.sitofp %subi : tensor<64x64xi8> to tensor<64x64xf16>
    %sitofpt = tile.transpose %sitofp : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %sitofpt, %carried : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %addi = arith.addi %i, %B_1 : index
    %a2 = tile.load %A[%muli, %addi] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %sitofp2 = arith.sitofp %shrsi : tensor<64x64xi8> to tensor<64x64xf16>
    %sitofp2t = tile.transpose %sitofp2 : tensor<64x64xf16> -> tensor<64x64xf16>
    %d2 = tile.dot %a2, %sitofp2t, %d : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d2 : tensor<64x64xf32>
  }
  %s2 = tile.load %s[%muli2] : !tile.view<?xf16> -> tensor<64xf16>
  %s2_f = arith.extf %s2 : tensor<64xf16> to tensor<64xf32>
  %s2_wide = tile.broadcast %s2_f axis 0 : tensor<64xf32> -> tensor<64x64xf32>
  %mulf = arith.mulf %result, %s2_wide : tensor<64x64xf32>
  %mulf_h = arith.truncf %mulf : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %mulf_h, %C[%muli, %muli2] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
