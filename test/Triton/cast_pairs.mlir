// Pairs of f16 read as i32: all accesses of the argument have 32 bits, and so has its view.
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: tile.kernel @k_ptrcast(%{{[^:]*}}: !tile.view<?xi32> {{[{].*}}"X"
// RUN: heddle run %s --device=sim --grid=2 --scalars=n=200 '--input=X=integers(805306368,1006648320)' | FileCheck %s
// CHECK: all results in float64 are equal
// CHECK: {{^}}verified
module {
  tt.func public @k_ptrcast(%X: !tt.ptr<f16> {tt.divisibility = 16 : i32},
        %Y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %hi = arith.constant dense<16> : tensor<64xi32>
    %lo = arith.constant dense<65535> : tensor<64xi32>
    %v = arith.constant dense<0> : tensor<64xi32>
    %c2_i32 = arith.constant 2 : i32
    %c64_i32 = arith.constant 64 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c64_i32 : i32
    %i_1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<64xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<64xi32>
    %p = tt.bitcast %X : !tt.ptr<f16> -> !tt.ptr<i32>
    %v_4 = arith.divsi %n, %c2_i32 : i32
    %v_5 = tt.splat %v_4 : i32 -> tensor<64xi32>
    %v_6 = arith.cmpi slt, %i_3, %v_5 : tensor<64xi32>
    %v_7 = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %v_8 = tt.addptr %v_7, %i_3 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v_9 = tt.load %v_8, %v_6, %v : tensor<64x!tt.ptr<i32>>
    %lo_10 = arith.andi %v_9, %lo : tensor<64xi32>
    %lo_11 = arith.trunci %lo_10 : tensor<64xi32> to tensor<64xi16>
    %lo_12 = tt.bitcast %lo_11 : tensor<64xi16> -> tensor<64xf16>
    %hi_13 = arith.shrui %v_9, %hi : tensor<64xi32>
    %hi_14 = arith.trunci %hi_13 : tensor<64xi32> to tensor<64xi16>
    %hi_15 = tt.bitcast %hi_14 : tensor<64xi16> -> tensor<64xf16>
    %0 = tt.splat %Y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %2 = arith.extf %lo_12 : tensor<64xf16> to tensor<64xf32>
    %3 = arith.extf %hi_15 : tensor<64xf16> to tensor<64xf32>
    %4 = arith.addf %2, %3 : tensor<64xf32>
    tt.store %1, %4, %v_6 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
