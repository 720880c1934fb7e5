// Single elements behind what the mask of tiles bounds: they are none of the tiles' view.
// RUN: heddle run %s --device=sim --grid=2 --scalars=N=100 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --scalars=N=100 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @sections(%x: !tt.ptr<f64> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f64> {tt.divisibility = 16 :
      i32}, %N: i32) {
    %v = arith.constant dense<0.000000e+00> : tensor<64xf64>
    %c64_i32 = arith.constant 64 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c64_i32 : i32
    %i_1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<64xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<64xi32>
    %m = tt.splat %N : i32 -> tensor<64xi32>
    %m_4 = arith.cmpi slt, %i_3, %m : tensor<64xi32>
    %v_5 = tt.splat %x : !tt.ptr<f64> -> tensor<64x!tt.ptr<f64>>
    %v_6 = tt.addptr %v_5, %i_3 : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    %v_7 = tt.load %v_6, %m_4, %v : tensor<64x!tt.ptr<f64>>
    %0 = tt.splat %o : !tt.ptr<f64> -> tensor<64x!tt.ptr<f64>>
    %1 = tt.addptr %0, %i_3 : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
    %2 = math.exp %v_7 : tensor<64xf64>
    %3 = math.absf %v_7 : tensor<64xf64>
    %4 = math.sqrt %3 : tensor<64xf64>
    %5 = arith.mulf %2, %4 : tensor<64xf64>
    %6 = math.sin %v_7 : tensor<64xf64>
    %7 = arith.addf %5, %6 : tensor<64xf64>
    tt.store %1, %7, %m_4 : tensor<64x!tt.ptr<f64>>
    %8 = tt.addptr %o, %N : !tt.ptr<f64>, i32
    %9 = tt.addptr %8, %i : !tt.ptr<f64>, i32
    %10 = tt.reshape %v_7 allow_reorder : tensor<64xf64> -> tensor<64xf64>
    %11 = "tt.reduce"(%10) <{axis = 0 : i32}> ({
    ^bb0(%arg3: f64, %arg4: f64):
      %12 = arith.addf %arg3, %arg4 : f64
      tt.reduce.return %12 : f64
    }) : (tensor<64xf64>) -> f64
    tt.store %9, %11 : !tt.ptr<f64>
    tt.return
  }
}
