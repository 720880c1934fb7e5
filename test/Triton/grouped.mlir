// Products of groups whose matrices lie anywhere: tables say where, how large and how far apart the rows are. Programs
// walk over the groups and take tiles in turn.
// RUN: heddle run %s --device=sim --grid=3 --scalars=groups=2 --input 'a_at=arange(0, 32768)' \
// RUN:   --input 'b_at=arange(64, 32768)' --input 'c_at=arange(0, 65536)' --input 'sizes=const(70)' \
// RUN:   --input 'pitches=const(80)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=groups=2 --input 'a_at=arange(0, 32768)' \
// RUN:   --input 'b_at=arange(64, 32768)' --input 'c_at=arange(0, 65536)' --input 'sizes=const(70)' \
// RUN:   --input 'pitches=const(80)' | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
// RUN: heddle explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: load of i64: scalar of view 'a_at'
// EXPLAIN: load of tensor<64x32xf16>: box without the copy engine of a window of 'a_at_memory'
// EXPLAIN: the copy engine needs the hint tl.multiple_of(pointers, [16, 16])
// EXPLAIN: store of tensor<64x64xf32>: box without the copy engine of a window of 'c_at_memory'
//
// With tl.multiple_of in the loop the copy engine loads, by maps that each block makes; loops that store to different
// tiles of different tensors are independent.
// RUN: sed -e 's/^        }$/        } {tt.divisibility_arg1 = HINT, tt.divisibility_arg2 = HINT}/' \
// RUN:   -e '/^  /s/HINT/dense<16> : tensor<2xi32>/g' %s > %t.mlir
// RUN: heddle run %t.mlir --device=sim --grid=3 --scalars=groups=2 --input 'a_at=arange(0, 32768)' \
// RUN:   --input 'b_at=arange(64, 32768)' --input 'c_at=arange(0, 65536)' --input 'sizes=const(70)' \
// RUN:   --input 'pitches=const(80)' | FileCheck %s
// RUN: heddle run %t.mlir --device=emulate --interleavings=1 --grid=3 --scalars=groups=2 \
// RUN:   --input 'a_at=arange(0, 32768)' --input 'b_at=arange(64, 32768)' --input 'c_at=arange(0, 65536)' \
// RUN:   --input 'sizes=const(70)' --input 'pitches=const(80)' | FileCheck %s
// RUN: heddle compile %t.mlir --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: scf.while
// TILE: tile.window {{.*}} {tile.aligned}
// TILE: tile.window {{.*}} {tile.aligned}
// TILE: } attributes {{{.*}}tile.independent}
// TILE: } {{{.*}}tile.independent}
// RUN: heddle compile %t.mlir --emit=cuda | FileCheck %s --check-prefix=MAPS
// MAPS: __device__ hd::MapPool<2> mapPool;
// MAPS: hd::BorrowedMaps<2> maps(mapPool);
// MAPS-NEXT: maps.begin<2, 128>(0, {{.*}}, {64, 64});
// MAPS: maps.prepare(0, {{.*}}, hd::MapShape<2>{{[{][{].*}}
// MAPS: hd::tmaLoad({{.*}}, maps[0], {{.*}}
//
// An address that breaks the promise is an error.
// RUN: not heddle run %t.mlir --device=sim --grid=3 --scalars=groups=2 --input 'a_at=arange(0, 32776)' \
// RUN:   --input 'b_at=arange(64, 32768)' --input 'c_at=arange(0, 65536)' --input 'sizes=const(70)' \
// RUN:   --input 'pitches=const(80)' 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: error: 'tile.window' op expected an address and strides that are multiples of 16 bytes, got {{[0-9]+}}
module {
  tt.func public @products_of_groups(%a_at: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %b_at: !tt.ptr<i64>
        {tt.divisibility = 16 : i32}, %c_at: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %sizes: !tt.ptr<i32>
        {tt.divisibility = 16 : i32}, %pitches: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %groups: i32) attributes
        {noinline = false} {
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %c63_i32 = arith.constant 63 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
    %cst_2 = arith.constant dense<32> : tensor<64x32xi32>
    %c32_i32 = arith.constant 32 : i32
    %c64_i32 = arith.constant 64 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %own = tt.get_program_id x : i32
    %step = tt.get_num_programs x : i32
    %before:2 = scf.for %g = %c0_i32 to %groups step %c1_i32 iter_args(%own_3 = %own, %before_4 = %c0_i32) -> (i32,
          i32)  : i32 {
      %m = arith.muli %g, %c3_i32 : i32
      %m_5 = tt.addptr %sizes, %m : !tt.ptr<i32>, i32
      %m_6 = tt.load %m_5 : !tt.ptr<i32>
      %n = tt.addptr %m_5, %c1_i32 : !tt.ptr<i32>, i32
      %n_7 = tt.load %n : !tt.ptr<i32>
      %k = tt.addptr %m_5, %c2_i32 : !tt.ptr<i32>, i32
      %k_8 = tt.load %k : !tt.ptr<i32>
      %across = arith.addi %n_7, %c63_i32 : i32
      %across_9 = arith.divsi %across, %c64_i32 : i32
      %tiles = arith.addi %m_6, %c63_i32 : i32
      %tiles_10 = arith.divsi %tiles, %c64_i32 : i32
      %tiles_11 = arith.muli %tiles_10, %across_9 : i32
      %own_12 = scf.while (%own_14 = %own_3) : (i32) -> i32 {
        %0 = arith.addi %before_4, %tiles_11 : i32
        %1 = arith.cmpi slt, %own_14, %0 : i32
        scf.condition(%1) %own_14 : i32
      } do {
      ^bb0(%own_14: i32):
        %a = tt.addptr %a_at, %g : !tt.ptr<i64>, i32
        %a_15 = tt.load %a : !tt.ptr<i64>
        %a_16 = tt.int_to_ptr %a_15 : i64 -> !tt.ptr<f16>
        %b = tt.addptr %b_at, %g : !tt.ptr<i64>, i32
        %b_17 = tt.load %b : !tt.ptr<i64>
        %b_18 = tt.int_to_ptr %b_17 : i64 -> !tt.ptr<f16>
        %c = tt.addptr %c_at, %g : !tt.ptr<i64>, i32
        %c_19 = tt.load %c : !tt.ptr<i64>
        %c_20 = tt.int_to_ptr %c_19 : i64 -> !tt.ptr<f32>
        %row = arith.subi %own_14, %before_4 : i32
        %row_21 = arith.divsi %row, %across_9 : i32
        %row_22 = arith.muli %row_21, %c64_i32 : i32
        %row_23 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
        %row_24 = tt.splat %row_22 : i32 -> tensor<64xi32>
        %row_25 = arith.addi %row_24, %row_23 : tensor<64xi32>
        %column = arith.remsi %row, %across_9 : i32
        %column_26 = arith.muli %column, %c64_i32 : i32
        %column_27 = tt.splat %column_26 : i32 -> tensor<64xi32>
        %column_28 = arith.addi %column_27, %row_23 : tensor<64xi32>
        %depth = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
        %sa = tt.addptr %pitches, %m : !tt.ptr<i32>, i32
        %sa_29 = tt.load %sa : !tt.ptr<i32>
        %sb = tt.addptr %sa, %c1_i32 : !tt.ptr<i32>, i32
        %sb_30 = tt.load %sb : !tt.ptr<i32>
        %sc = tt.addptr %sa, %c2_i32 : !tt.ptr<i32>, i32
        %sc_31 = tt.load %sc : !tt.ptr<i32>
        %ap = tt.expand_dims %row_25 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
        %ap_32 = tt.splat %sa_29 : i32 -> tensor<64x1xi32>
        %ap_33 = arith.muli %ap, %ap_32 : tensor<64x1xi32>
        %ap_34 = tt.splat %a_16 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
        %ap_35 = tt.addptr %ap_34, %ap_33 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
        %ap_36 = tt.expand_dims %depth {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
        %ap_37 = tt.broadcast %ap_35 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x32x!tt.ptr<f16>>
        %ap_38 = tt.broadcast %ap_36 : tensor<1x32xi32> -> tensor<64x32xi32>
        %ap_39 = tt.addptr %ap_37, %ap_38 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
        %bp = tt.expand_dims %depth {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
        %bp_40 = tt.splat %sb_30 : i32 -> tensor<32x1xi32>
        %bp_41 = arith.muli %bp, %bp_40 : tensor<32x1xi32>
        %bp_42 = tt.splat %b_18 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
        %bp_43 = tt.addptr %bp_42, %bp_41 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
        %bp_44 = tt.expand_dims %column_28 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
        %bp_45 = tt.broadcast %bp_43 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
        %bp_46 = tt.broadcast %bp_44 : tensor<1x64xi32> -> tensor<32x64xi32>
        %bp_47 = tt.addptr %bp_45, %bp_46 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
        %0 = arith.addi %k_8, %c31_i32 : i32
        %1 = arith.divsi %0, %c32_i32 : i32
        %acc:3 = scf.for %i = %c0_i32 to %1 step %c1_i32 iter_args(%ap_49 = %ap_39, %bp_50 = %bp_47, %acc_51 = %cst)
              -> (tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>, tensor<64x64xf32>)  : i32 {
          %x = tt.splat %m_6 : i32 -> tensor<64xi32>
          %x_52 = arith.cmpi slt, %row_25, %x : tensor<64xi32>
          %x_53 = tt.expand_dims %x_52 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
          %x_54 = arith.muli %i, %c32_i32 : i32
          %x_55 = arith.subi %k_8, %x_54 : i32
          %x_56 = tt.splat %x_55 : i32 -> tensor<32xi32>
          %x_57 = arith.cmpi slt, %depth, %x_56 : tensor<32xi32>
          %x_58 = tt.expand_dims %x_57 {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
          %x_59 = tt.broadcast %x_53 : tensor<64x1xi1> -> tensor<64x32xi1>
          %x_60 = tt.broadcast %x_58 : tensor<1x32xi1> -> tensor<64x32xi1>
          %x_61 = arith.andi %x_59, %x_60 : tensor<64x32xi1>
          %x_62 = tt.load %ap_49, %x_61, %cst_1 : tensor<64x32x!tt.ptr<f16>>
          %y = tt.expand_dims %x_57 {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
          %y_63 = tt.splat %n_7 : i32 -> tensor<64xi32>
          %y_64 = arith.cmpi slt, %column_28, %y_63 : tensor<64xi32>
          %y_65 = tt.expand_dims %y_64 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
          %y_66 = tt.broadcast %y : tensor<32x1xi1> -> tensor<32x64xi1>
          %y_67 = tt.broadcast %y_65 : tensor<1x64xi1> -> tensor<32x64xi1>
          %y_68 = arith.andi %y_66, %y_67 : tensor<32x64xi1>
          %y_69 = tt.load %bp_50, %y_68, %cst_0 : tensor<32x64x!tt.ptr<f16>>
          %acc_70 = tt.dot %x_62, %y_69, %acc_51, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16> ->
                tensor<64x64xf32>
          %ap_71 = tt.addptr %ap_49, %cst_2 : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
          %bp_72 = arith.muli %sb_30, %c32_i32 : i32
          %bp_73 = tt.splat %bp_72 : i32 -> tensor<32x64xi32>
          %bp_74 = tt.addptr %bp_50, %bp_73 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
          scf.yield %ap_71, %bp_74, %acc_70 : tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>,
                tensor<64x64xf32>
        }
        %2 = tt.splat %m_6 : i32 -> tensor<64xi32>
        %3 = arith.cmpi slt, %row_25, %2 : tensor<64xi32>
        %4 = tt.expand_dims %3 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
        %5 = tt.splat %n_7 : i32 -> tensor<64xi32>
        %6 = arith.cmpi slt, %column_28, %5 : tensor<64xi32>
        %7 = tt.expand_dims %6 {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
        %8 = tt.broadcast %4 : tensor<64x1xi1> -> tensor<64x64xi1>
        %9 = tt.broadcast %7 : tensor<1x64xi1> -> tensor<64x64xi1>
        %10 = arith.andi %8, %9 : tensor<64x64xi1>
        %11 = tt.splat %sc_31 : i32 -> tensor<64x1xi32>
        %12 = arith.muli %ap, %11 : tensor<64x1xi32>
        %13 = tt.splat %c_20 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
        %14 = tt.addptr %13, %12 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
        %15 = tt.broadcast %14 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
        %16 = tt.broadcast %bp_44 : tensor<1x64xi32> -> tensor<64x64xi32>
        %17 = tt.addptr %15, %16 : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
        tt.store %17, %acc#2, %10 : tensor<64x64x!tt.ptr<f32>>
        %own_48 = arith.addi %own_14, %step : i32
        scf.yield %own_48 : i32
      }
      %before_13 = arith.addi %before_4, %tiles_11 : i32
      scf.yield %own_12, %before_13 : i32, i32
    }
    tt.return
  }
}
