// Pixels around each pixel of an image, as in a convolution: rows of channels that a tile names, by a quotient and a
// remainder. The mask says that neither the line nor the column in it is in front of the image; so no row is.
// RUN: heddle explain %s | FileCheck %s
// CHECK: load of tensor<64x32xf16>: rows named by a tile of view 'x'
// CHECK-NEXT: dimension 0: size unbounded, stride 8, at div(-sh + sh * div(lane0, W) - sw + sw * rem(lane0, W), 8), along dimension 0 of the tile
// CHECK-NEXT: dimension 1: size unbounded, stride 1, at 0, along dimension 1 of the tile
// RUN: heddle run %s --device=sim --grid=1 --scalars=H=6,W=10,sh=320,sw=32 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=H=6,W=10,sh=320,sw=32 \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @pixels(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %H: i32, %W: i32, %sh: i32 {tt.divisibility = 16 : i32}, %sw: i32 {tt.divisibility = 16 : i32})
      attributes {noinline = false} {
    %one = arith.constant dense<1> : tensor<64xi32>
    %none = arith.constant dense<0> : tensor<64xi32>
    %zero = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %c32 = arith.constant dense<32> : tensor<64x1xi32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %Ws = tt.splat %W : i32 -> tensor<64xi32>
    %Hs = tt.splat %H : i32 -> tensor<64xi32>
    %shs = tt.splat %sh : i32 -> tensor<64xi32>
    %sws = tt.splat %sw : i32 -> tensor<64xi32>
    %line = arith.divsi %m, %Ws : tensor<64xi32>
    %column = arith.remsi %m, %Ws : tensor<64xi32>
    %h = arith.subi %line, %one : tensor<64xi32>
    %w = arith.subi %column, %one : tensor<64xi32>
    %a = arith.cmpi sge, %h, %none : tensor<64xi32>
    %b = arith.cmpi sge, %w, %none : tensor<64xi32>
    %d = arith.cmpi slt, %h, %Hs : tensor<64xi32>
    %ab = arith.andi %a, %b : tensor<64xi1>
    %abd = arith.andi %ab, %d : tensor<64xi1>
    %hs = arith.muli %h, %shs : tensor<64xi32>
    %ws = arith.muli %w, %sws : tensor<64xi32>
    %at = arith.addi %hs, %ws : tensor<64xi32>
    %rows = tt.expand_dims %at {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %mask = tt.expand_dims %abd {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
    %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %r2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x32xi32>
    %c2 = tt.broadcast %columns : tensor<1x32xi32> -> tensor<64x32xi32>
    %m2 = tt.broadcast %mask : tensor<64x1xi1> -> tensor<64x32xi1>
    %place = arith.addi %r2, %c2 : tensor<64x32xi32>
    %px = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %ptrs = tt.addptr %px, %place : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %v = tt.load %ptrs, %m2, %zero : tensor<64x32x!tt.ptr<f16>>
    %mm = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %out = arith.muli %mm, %c32 : tensor<64x1xi32>
    %o2 = tt.broadcast %out : tensor<64x1xi32> -> tensor<64x32xi32>
    %oo = arith.addi %o2, %c2 : tensor<64x32xi32>
    %py = tt.splat %y : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %optrs = tt.addptr %py, %oo : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    tt.store %optrs, %v : tensor<64x32x!tt.ptr<f16>>
    tt.return
  }
}
