// Attention over sequences of lengths from memory, packed one after the other (offsets from a prefix sum).
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @varlen(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["T", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["T", "D"]},
                  %start: !tile.view<?xi32> {tile.name = "start", tile.dims = ["B"]},
                  %len: !tile.view<?xi32> {tile.name = "len", tile.dims = ["B"]},
                  %O: !tile.view<?x?x64xf16> {tile.name = "O", tile.dims = ["B", "S", "D"]})
    attributes {tile.default_dims = {T = 300, B = 3, S = 128}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %B = tile.dim %len, 0 : !tile.view<?xi32>
  %S = tile.dim %O, 1 : !tile.view<?x?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g, %B
  %p = tile.program_id 0
  %b = tile.program_id 1
  %lt = tile.load %len[%b] : !tile.view<?xi32> -> tensor<1xi32>
  %l32 = tensor.extract %lt[%c0] : tensor<1xi32>
  %c31 = arith.constant 31 : i32
  %l1 = arith.muli %l32, %c31 : i32
  %length = arith.index_cast %l1 : i32 to index
  %s32 = tile.element %start[%b] : !tile.view<?xi32> -> i32
  %from = arith.index_cast %s32 : i32 to index
  %m = arith.muli %p, %bm : index
  %row = arith.addi %from, %m : index
  %q = tile.load %Q[%row, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %n = %c0 to %length step %bn iter_args(%o = %zero) -> (tensor<128x64xf32>) {
    %at = arith.addi %from, %n : index
    %k = tile.load %K[%at, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %cols = tile.iota : tensor<64xi32>
    %n32 = arith.index_cast %n : index to i32
    %ns = tensor.splat %n32 : tensor<64xi32>
    %ci = arith.addi %cols, %ns : tensor<64xi32>
    %cb = tile.broadcast %ci axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %ls = tensor.splat %l1 : tensor<128x64xi32>
    %keep = arith.cmpi slt, %cb, %ls : tensor<128x64xi32>
    %x = arith.select %keep, %s, %zero : tensor<128x64xi1>, tensor<128x64xf32>
    %ph = arith.truncf %x : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%at, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %o2 = tile.dot %ph, %v, %o : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %o2 : tensor<128x64xf32>
  }
  %oh = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %oh, %O[%b, %m, %c0] : tensor<128x64xf16>, !tile.view<?x?x64xf16>
  tile.return
}
