// A function of CUDA's library of one number: the number is a tile of one element.
// RUN: heddle run %s --device=sim --grid=1 --scalars=a=2.5 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=a=2.5 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: !tt.ptr<i32>, %a: f32) {
    %l = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %l : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
    %g = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (f32) -> f32
    %i = tt.load %n : !tt.ptr<i32>
    %c = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i32
    %f = arith.sitofp %c : i32 to f32
    %s = arith.addf %g, %f : f32
    %t = tt.splat %s : f32 -> tensor<64xf32>
    %r = arith.mulf %v, %t : tensor<64xf32>
    tt.store %yp, %r : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
