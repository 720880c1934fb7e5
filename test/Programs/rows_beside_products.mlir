// Rows that a loop with products loads (a bias for each column, and a weight for each row of the other operand) come
// through rings; where their pitch is no multiple of 16 bytes, element by element.
// RUN: heddle compile %s --emit=warp | FileCheck %s --check-prefix=WARP
// WARP-DAG: warp.aref {{.*}}tensor<64xf32>
// WARP-DAG: warp.copy {{.*}}Bias
// RUN: heddle compile %s --emit=hw | FileCheck %s --check-prefix=HW
// HW: hw.row_load
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::rowLoad<64>(
// RUN: heddle verify %s | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=sim --dims N=133,H=3 | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=emulate | FileCheck %s --check-prefix=OK
// RUN: heddle run %s --device=emulate --dims N=133,H=3 | FileCheck %s --check-prefix=OK
// Slots that are filled both ways in turn: several programs of a block, each with an end of its rows.
// RUN: heddle run %s --persistent=on --device=emulate --dims M=2000,N=136,H=2 | FileCheck %s --check-prefix=OK
// OK: verified
tile.kernel @weighted(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                      %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "D"]},
                      %Bias: !tile.view<?x?xf32> {tile.name = "Bias", tile.dims = ["H", "N"]},
                      %Scale: !tile.view<?x?xf16> {tile.name = "Scale", tile.dims = ["H", "N"]},
                      %C: !tile.view<?x?x64xf32> {tile.name = "C", tile.dims = ["H", "M", "D"]})
    attributes {tile.default_dims = {M = 128, N = 200, H = 2}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %N = tile.dim %B, 0 : !tile.view<?x64xf16>
  %H = tile.dim %Bias, 0 : !tile.view<?x?xf32>
  %gm = arith.ceildivui %M, %c128 : index
  tile.grid %gm, %H
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %n = %c0 to %N step %c64 iter_args(%last = %zero) -> (tensor<128x64xf32>) {
    %b = tile.load %B[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %bt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %bias = tile.load %Bias[%h, %n] : !tile.view<?x?xf32> -> tensor<64xf32>
    %biases = tile.broadcast %bias axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %scale = tile.load %Scale[%h, %n] : !tile.view<?x?xf16> -> tensor<64xf16>
    %scale32 = arith.extf %scale : tensor<64xf16> to tensor<64xf32>
    %scales = tile.broadcast %scale32 axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %sb = arith.addf %s, %biases : tensor<128x64xf32>
    %ss = arith.mulf %sb, %scales : tensor<128x64xf32>
    %p = arith.truncf %ss : tensor<128x64xf32> to tensor<128x64xf16>
    %next = tile.dot %p, %b, %last : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum, %C[%h, %m, %c0] : tensor<128x64xf32>, !tile.view<?x?x64xf32>
  tile.return
}
