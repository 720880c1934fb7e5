// Every second element from the second one on, as far as memory says: named rows of a tile of rank 1, in a kernel whose
// tiles are rows.
// RUN: heddle run %s --device=sim --grid=2 --input 'cu=arange(0,70)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=2 --input 'cu=arange(0,70)' | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @strided_ragged(%s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility =
      16 : i32}, %cu: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %x = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %x_0 = arith.constant dense<1> : tensor<128xi32>
    %x_1 = arith.constant dense<2> : tensor<128xi32>
    %c1_i32 = arith.constant 1 : i32
    %n = tt.get_program_id x : i32
    %bos = tt.addptr %cu, %n : !tt.ptr<i32>, i32
    %bos_2 = tt.load %bos : !tt.ptr<i32>
    %T = tt.addptr %bos, %c1_i32 : !tt.ptr<i32>, i32
    %T_3 = tt.load %T : !tt.ptr<i32>
    %T_4 = arith.subi %T_3, %bos_2 : i32
    %t = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %m = tt.splat %T_4 : i32 -> tensor<128xi32>
    %m_5 = arith.cmpi slt, %t, %m : tensor<128xi32>
    %x_6 = tt.splat %bos_2 : i32 -> tensor<128xi32>
    %x_7 = arith.addi %x_6, %t : tensor<128xi32>
    %x_8 = arith.muli %x_7, %x_1 : tensor<128xi32>
    %x_9 = tt.splat %s : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %x_10 = tt.addptr %x_9, %x_8 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x_11 = tt.addptr %x_10, %x_0 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x_12 = tt.load %x_11, %m_5, %x : tensor<128x!tt.ptr<f32>>
    %0 = tt.addptr %o, %n : !tt.ptr<f32>, i32
    %1 = "tt.reduce"(%x_12) <{axis = 0 : i32}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %2 = arith.addf %arg3, %arg4 : f32
      tt.reduce.return %2 : f32
    }) : (tensor<128xf32>) -> f32
    tt.store %0, %1 : !tt.ptr<f32>
    tt.return
  }
}
