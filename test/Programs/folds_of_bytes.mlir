// Folds of narrow integers: threads compute in 32 bits.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// CHECK: verified
// RUN: %if nvcc %{ heddle compile %s -o %t && sh %heddle_src/utils/ptxas_check.sh %t/kernel.cu %}
tile.kernel @folds(%X: !tile.view<8x64xi8> {tile.name = "X"}, %S: !tile.view<8x64xi16> {tile.name = "S"},
                   %Y: !tile.view<8xi8> {tile.name = "Y"}, %A: !tile.view<8xi8> {tile.name = "A"},
                   %Z: !tile.view<64xi16> {tile.name = "Z"}) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  tile.grid %c1
  %x = tile.load %X[%c0, %c0] : !tile.view<8x64xi8> -> tensor<8x64xi8>
  %y = tile.reduce "xor" %x axis 1 : tensor<8x64xi8> -> tensor<8xi8>
  tile.store %y, %Y[%c0] : tensor<8xi8>, !tile.view<8xi8>
  %a = tile.reduce "add" %x axis 1 : tensor<8x64xi8> -> tensor<8xi8>
  tile.store %a, %A[%c0] : tensor<8xi8>, !tile.view<8xi8>
  %s = tile.load %S[%c0, %c0] : !tile.view<8x64xi16> -> tensor<8x64xi16>
  %z = tile.reduce "or" %s axis 0 : tensor<8x64xi16> -> tensor<64xi16>
  tile.store %z, %Z[%c0] : tensor<64xi16>, !tile.view<64xi16>
  tile.return
}
