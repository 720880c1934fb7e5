// Truth values are folded.
// RUN: heddle run %s --device=sim --grid=1 --scalars=C=50 --input "x=normal(-1,1)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=C=50 --input "x=normal(-1,1)" | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @any_of(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<i1> {tt.divisibility = 16 :
      i32}, %C: i32) {
    %cst = arith.constant dense<1.000000e+00> : tensor<4x64xf32>
    %v = arith.constant dense<0.000000e+00> : tensor<4x64xf32>
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %v_0 = tt.splat %C : i32 -> tensor<64xi32>
    %v_1 = arith.cmpi slt, %c, %v_0 : tensor<64xi32>
    %v_2 = tt.expand_dims %v_1 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
    %v_3 = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
    %v_4 = tt.splat %C : i32 -> tensor<4x1xi32>
    %v_5 = arith.muli %v_3, %v_4 : tensor<4x1xi32>
    %v_6 = tt.splat %x : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>>
    %v_7 = tt.addptr %v_6, %v_5 : tensor<4x1x!tt.ptr<f32>>, tensor<4x1xi32>
    %v_8 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %v_9 = tt.broadcast %v_7 : tensor<4x1x!tt.ptr<f32>> -> tensor<4x64x!tt.ptr<f32>>
    %v_10 = tt.broadcast %v_8 : tensor<1x64xi32> -> tensor<4x64xi32>
    %v_11 = tt.addptr %v_9, %v_10 : tensor<4x64x!tt.ptr<f32>>, tensor<4x64xi32>
    %v_12 = tt.broadcast %v_2 : tensor<1x64xi1> -> tensor<4x64xi1>
    %v_13 = tt.load %v_11, %v_12, %v : tensor<4x64x!tt.ptr<f32>>
    %0 = tt.splat %o : !tt.ptr<i1> -> tensor<4x!tt.ptr<i1>>
    %1 = tt.addptr %0, %r : tensor<4x!tt.ptr<i1>>, tensor<4xi32>
    %2 = arith.cmpf ogt, %v_13, %cst : tensor<4x64xf32>
    %3 = "tt.reduce"(%2) <{axis = 1 : i32}> ({
    ^bb0(%arg3: i1, %arg4: i1):
      %6 = arith.ori %arg3, %arg4 : i1
      tt.reduce.return %6 : i1
    }) : (tensor<4x64xi1>) -> tensor<4xi1>
    %4 = tt.bitcast %1 : tensor<4x!tt.ptr<i1>> -> tensor<4x!tt.ptr<i8>>
    %5 = arith.extui %3 : tensor<4xi1> to tensor<4xi8>
    tt.store %4, %5 : tensor<4x!tt.ptr<i8>>
    tt.return
  }
}
