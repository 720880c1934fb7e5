// Pointers that branches and choices give: of one argument they are a chosen number (%Last), of two arguments each
// access is one of either, under the condition.
// RUN: heddle run %s --device=sim --grid=4 --scalars=n=2,T=50 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE --implicit-check-not=scf.if
// TILE: tile.kernel
module {
  tt.func public @chosen(%A: !tt.ptr<f32>, %B: !tt.ptr<f32>, %Out: !tt.ptr<f32>, %Last: !tt.ptr<f32>, %n: i32,
                         %T: i32) attributes {noinline = false} {
    %v = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c64_i32 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %0 = arith.cmpi slt, %pid, %n : i32
    %1 = scf.if %0 -> (!tt.ptr<f32>) {
      %p = arith.muli %pid, %c64_i32 : i32
      %p_9 = tt.addptr %A, %p : !tt.ptr<f32>, i32
      scf.yield %p_9 : !tt.ptr<f32>
    } else {
      %p = arith.subi %pid, %n : i32
      %p_9 = arith.muli %p, %c64_i32 : i32
      %p_10 = tt.addptr %B, %p_9 : !tt.ptr<f32>, i32
      scf.yield %p_10 : !tt.ptr<f32>
    }
    %last = arith.cmpi eq, %pid, %c1_i32 : i32
    %last_0 = scf.if %last -> (!tt.ptr<f32>) {
      %last_9 = arith.subi %T, %c1_i32 : i32
      %last_10 = tt.addptr %Last, %last_9 : !tt.ptr<f32>, i32
      scf.yield %last_10 : !tt.ptr<f32>
    } else {
      %last_9 = arith.muli %pid, %c16_i32 : i32
      %last_10 = tt.addptr %Last, %last_9 : !tt.ptr<f32>, i32
      scf.yield %last_10 : !tt.ptr<f32>
    }
    %q = arith.select %0, %Out, %B : !tt.ptr<f32>
    %v_1 = tt.splat %T : i32 -> tensor<64xi32>
    %v_2 = arith.cmpi slt, %i, %v_1 : tensor<64xi32>
    %v_3 = tt.splat %1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %v_4 = tt.addptr %v_3, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v_5 = tt.load %v_4, %v_2, %v : tensor<64x!tt.ptr<f32>>
    %v_6 = tt.load %last_0 : !tt.ptr<f32>
    %v_7 = tt.splat %v_6 : f32 -> tensor<64xf32>
    %v_8 = arith.mulf %v_5, %v_7 : tensor<64xf32>
    %2 = arith.muli %pid, %c64_i32 : i32
    %3 = tt.addptr %q, %2 : !tt.ptr<f32>, i32
    %4 = tt.splat %3 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %5 = tt.addptr %4, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %5, %v_8, %v_2 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
