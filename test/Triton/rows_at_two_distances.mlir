// Rows at two distances: pages, and positions in them. By tt.divisibility they begin at multiples of 16 bytes, by which
// they are named. Without it they are named by elements, and a test at run time decides how they are copied.
// RUN: heddle explain %s | FileCheck %s
// CHECK: load of tensor<64x128xf16>: rows named by a tile of view 'kc'
// CHECK-NEXT: dimension 0: size unbounded, stride 8, at div({{.*}}s0{{.*}} + {{.*}}s1{{.*}}rem({{.*}}, 16), 8), along dimension 0 of the tile
// CHECK-NEXT: dimension 1: size unbounded, stride 1, at 0, along dimension 1 of the tile
// RUN: sed '/tt.func/,/attributes/s/\(s[01]: i32\) {tt.divisibility = 16 : i32}/\1/' %s > %t.mlir
// RUN: heddle explain %t.mlir | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: dimension 0: size unbounded, stride 1, at {{.*}}s0{{.*}} + {{.*}}s1{{.*}}rem({{.*}}, 16){{.*}}, along dimension 0 of the tile
// RUN: heddle compile %t.mlir --emit=cuda | FileCheck %s --check-prefix=CUDA
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=KNOWN --implicit-check-not=isAligned
// KNOWN: hd::copyAsync
// CUDA: kc_stride0 % 8 == 0 || (hd::max(0, {{.*}}) * kc_stride0 % 8 == 0)
// CUDA: hd::copyAsync
// RUN: heddle run %s --device=sim --grid=1 --scalars=L=90,s0=4096,s1=256 --input 'bt=arange(0,1)' \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %t.mlir --device=emulate --interleavings=1 --grid=1 --scalars=L=90,s0=2193,s1=131 --input 'bt=arange(0,1)' \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @two_strides(%kc: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %bt: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32},
      %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %L: i32, %s0: i32 {tt.divisibility = 16 : i32},
      %s1: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %acc = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf16>
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %cst_1 = arith.constant dense<0> : tensor<64xi32>
    %cst_2 = arith.constant dense<16> : tensor<64xi32>
    %cst_3 = arith.constant dense<128> : tensor<64x1xi32>
    %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %d = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %x = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %x_4 = arith.muli %x, %cst_3 : tensor<64x1xi32>
    %x_5 = tt.splat %q : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %x_6 = tt.addptr %x_5, %x_4 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %x_7 = tt.expand_dims %d {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %x_8 = tt.broadcast %x_6 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
    %x_9 = tt.broadcast %x_7 : tensor<1x128xi32> -> tensor<64x128xi32>
    %x_10 = tt.addptr %x_8, %x_9 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %x_11 = tt.load %x_10 : tensor<64x128x!tt.ptr<f16>>
    %acc_12 = scf.for %st = %c0_i32 to %L step %c64_i32 iter_args(%acc_13 = %acc) -> (tensor<64x128xf32>)  : i32 {
      %n = tt.splat %st : i32 -> tensor<64xi32>
      %n_14 = arith.addi %n, %m : tensor<64xi32>
      %p = tt.splat %L : i32 -> tensor<64xi32>
      %p_15 = arith.cmpi slt, %n_14, %p : tensor<64xi32>
      %p_16 = arith.divsi %n_14, %cst_2 : tensor<64xi32>
      %p_17 = tt.splat %bt : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
      %p_18 = tt.addptr %p_17, %p_16 : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      %p_19 = tt.load %p_18, %p_15, %cst_1 : tensor<64x!tt.ptr<i32>>
      %k = tt.expand_dims %n_14 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %k_20 = tt.splat %L : i32 -> tensor<64x1xi32>
      %k_21 = arith.cmpi slt, %k, %k_20 : tensor<64x1xi32>
      %k_22 = tt.expand_dims %p_19 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %k_23 = tt.splat %s0 : i32 -> tensor<64x1xi32>
      %k_24 = arith.muli %k_22, %k_23 : tensor<64x1xi32>
      %k_25 = tt.splat %kc : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
      %k_26 = tt.addptr %k_25, %k_24 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %k_27 = arith.remsi %n_14, %cst_2 : tensor<64xi32>
      %k_28 = tt.expand_dims %k_27 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %k_29 = tt.splat %s1 : i32 -> tensor<64x1xi32>
      %k_30 = arith.muli %k_28, %k_29 : tensor<64x1xi32>
      %k_31 = tt.addptr %k_26, %k_30 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
      %k_32 = tt.broadcast %k_31 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x128x!tt.ptr<f16>>
      %k_33 = tt.addptr %k_32, %x_9 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
      %k_34 = tt.broadcast %k_21 : tensor<64x1xi1> -> tensor<64x128xi1>
      %k_35 = tt.load %k_33, %k_34, %cst : tensor<64x128x!tt.ptr<f16>>
      %s = tt.trans %k_35 {order = array<i32: 1, 0>} : tensor<64x128xf16> -> tensor<128x64xf16>
      %s_36 = tt.dot %x_11, %s, %cst_0,
          inputPrecision = tf32 : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
      %acc_37 = arith.truncf %s_36 : tensor<64x64xf32> to tensor<64x64xf16>
      %acc_38 = tt.dot %acc_37, %k_35, %acc_13,
          inputPrecision = tf32 : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
      scf.yield %acc_38 : tensor<64x128xf32>
    }
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
    %1 = tt.addptr %0, %x_4 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %2 = tt.broadcast %1 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x128x!tt.ptr<f32>>
    %3 = tt.addptr %2, %x_9 : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
    tt.store %3, %acc_12 : tensor<64x128x!tt.ptr<f32>>
    tt.return
  }
}
