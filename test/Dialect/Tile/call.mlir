// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// A function from outside: its body is kept as a list of operations.
tile.kernel @k(%v: !tile.view<64xf16>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf16> -> tensor<64xf16>
  // CHECK: tile.call "::a::f" from "b/f.cuh" cost {alu = 2 : i64, sfu = 1 : i64}(%{{.*}}, %{{.*}}) : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf32> means {{\[}}[f16, f16], ["arith.extf", array<i64: 1>, {}, f32], ["arith.constant", array<i64>, {value = 5.000000e-01 : f32}, f32], ["arith.mulf", array<i64: 2, 3>, {fastmath = #arith.fastmath<none>}, f32]]
  %y = tile.call "::a::f" from "b/f.cuh" cost {alu = 2, sfu = 1} (%x, %x)
      : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf32> {
  ^bb0(%a: f16, %b: f16):
    %wide = arith.extf %b : f16 to f32
    %half = arith.constant 0.5 : f32
    %r = arith.mulf %wide, %half : f32
    tile.yield %r : f32
  }
  // CHECK: means {{\[}}[f16], ["tile.yield", array<i64: 0>, {}, f16]]
  %z = tile.call "same" from "same.cuh" cost {alu = 1} (%x) : (tensor<64xf16>) -> tensor<64xf16> {
  ^bb0(%a: f16):
    tile.yield %a : f16
  }
  tile.return
}
