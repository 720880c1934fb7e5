// A column that goes on by as much as the row goes back (`x + row * 64 + column - 512`, columns from 512 on): rows do
// not
// begin in front of the tensor, so that it is read element by element.
// RUN: heddle run %s --device=sim --grid=3,5 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: may be negative, which no mask excludes
module {
  tt.func public @behind(%rope: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {noinline = false} {
    %cst = arith.constant dense<-512> : tensor<128xi32>
    %c64_i32 = arith.constant 64 : i32
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<128xf32>
    %c512_i32 = arith.constant 512 : i32
    %mask = arith.constant dense<576> : tensor<128xi32>
    %c576_i32 = arith.constant 576 : i32
    %c128_i32 = arith.constant 128 : i32
    %pid = tt.get_program_id x : i32
    %base = tt.get_program_id y : i32
    %base_1 = arith.muli %base, %c128_i32 : i32
    %offs = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %offs_2 = tt.splat %base_1 : i32 -> tensor<128xi32>
    %offs_3 = arith.addi %offs_2, %offs : tensor<128xi32>
    %mask_4 = arith.cmpi slt, %offs_3, %mask : tensor<128xi32>
    %0 = arith.addi %base_1, %c128_i32 : i32
    %1 = arith.cmpi sle, %0, %c512_i32 : i32
    %2 = scf.if %1 -> (tensor<128xf32>) {
      scf.yield %cst_0 : tensor<128xf32>
    } else {
      %x = arith.muli %pid, %c64_i32 : i32
      %x_5 = tt.addptr %rope, %x : !tt.ptr<f32>, i32
      %x_6 = tt.splat %x_5 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %x_7 = tt.addptr %x_6, %offs_3 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %x_8 = tt.addptr %x_7, %cst : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %x_9 = tt.load %x_8, %mask_4 : tensor<128x!tt.ptr<f32>>
      scf.yield %x_9 : tensor<128xf32>
    }
    %3 = arith.muli %pid, %c576_i32 : i32
    %4 = tt.addptr %out, %3 : !tt.ptr<f32>, i32
    %5 = tt.splat %4 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %6 = tt.addptr %5, %offs_3 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %6, %2, %mask_4 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
