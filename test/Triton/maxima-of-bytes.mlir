// Unsigned bytes are compared across lanes.
// RUN: heddle run %s --device=sim --grid=1 --input "x=integers(0,127)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --input "x=integers(0,127)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @maxima_of_bytes(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i8> {tt.divisibility =
      16 : i32}) {
    %v = arith.constant dense<64> : tensor<8x1xi32>
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %v_0 = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %v_1 = arith.muli %v_0, %v : tensor<8x1xi32>
    %v_2 = tt.splat %x : !tt.ptr<i8> -> tensor<8x1x!tt.ptr<i8>>
    %v_3 = tt.addptr %v_2, %v_1 : tensor<8x1x!tt.ptr<i8>>, tensor<8x1xi32>
    %v_4 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v_5 = tt.broadcast %v_3 : tensor<8x1x!tt.ptr<i8>> -> tensor<8x64x!tt.ptr<i8>>
    %v_6 = tt.broadcast %v_4 : tensor<1x64xi32> -> tensor<8x64xi32>
    %v_7 = tt.addptr %v_5, %v_6 : tensor<8x64x!tt.ptr<i8>>, tensor<8x64xi32>
    %v_8 = tt.load %v_7 : tensor<8x64x!tt.ptr<i8>>
    %0 = tt.splat %o : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
    %1 = tt.addptr %0, %r : tensor<8x!tt.ptr<i8>>, tensor<8xi32>
    %2 = "tt.reduce"(%v_8) <{axis = 1 : i32}> ({
    ^bb0(%arg2: i8, %arg3: i8):
      %3 = arith.maxui %arg2, %arg3 : i8
      tt.reduce.return %3 : i8
    }) : (tensor<8x64xi8>) -> tensor<8xi8>
    tt.store %1, %2 : tensor<8x!tt.ptr<i8>>
    tt.return
  }
}
