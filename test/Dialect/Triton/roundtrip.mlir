// Both forms of the text, as Triton 3.6 to 3.9 print them, are one program.
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: tt.func public @printed(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}
// CHECK-SAME: attributes {noinline = false}
tt.func public @printed(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %d: !tt.tensordesc<tensor<16x64xf16>>,
                        %e: !tt.tensordesc<16x64xf16>, %n: i32, %s: i64) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  // CHECK: tt.get_program_id x : i32
  // CHECK: tt.get_num_programs z : i32
  %0 = tt.get_program_id x : i32
  %1 = tt.get_num_programs z : i32
  // CHECK: tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %2 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // CHECK: tt.splat %arg0 : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %3 = tt.splat %p : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %4 = tt.addptr %3, %2 : tensor<16x!tt.ptr<f16>>, tensor<16xi32>
  %5 = arith.constant dense<true> : tensor<16xi1>
  %6 = arith.constant dense<0.0> : tensor<16xf16>
  // CHECK: tt.load %{{.*}} : tensor<16x!tt.ptr<f16>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_last
  %7 = tt.load %4 : tensor<16x!tt.ptr<f16>>
  %8 = tt.load %4, %5, %6 evictionPolicy = evict_last cacheModifier = cg : tensor<16x!tt.ptr<f16>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f16>>
  tt.store %4, %8, %5 : tensor<16x!tt.ptr<f16>>
  // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xf16> -> tensor<16x1xf16>
  // CHECK: tt.broadcast %{{.*}} : tensor<16x1xf16> -> tensor<16x64xf16>
  %9 = tt.expand_dims %7 {axis = 1 : i32} : tensor<16xf16> -> tensor<16x1xf16>
  %10 = tt.broadcast %9 : tensor<16x1xf16> -> tensor<16x64xf16>
  // CHECK: tt.descriptor_load %arg1[%{{.*}}, %{{.*}}] : !tt.tensordesc<16x64xf16> -> tensor<16x64xf16>
  // CHECK: tt.descriptor_store %arg2[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
  %11 = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
  tt.descriptor_store %e[%c0, %c0], %11 : !tt.tensordesc<16x64xf16>, tensor<16x64xf16>
  // CHECK: tt.make_tensor_descriptor %arg0, [%arg3, %arg3], [%arg4, %{{.*}}] : <f16>, <16x64xf16>
  %12 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %c1] : <f16>, <16x64xf16>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<16x64xf16> -> tensor<64x16xf16>
  %13 = tt.trans %11 {order = array<i32: 1, 0>} : tensor<16x64xf16> -> tensor<64x16xf16>
  %14 = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: tt.dot %{{.*}}, inputPrecision = tf32 : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
  %15 = tt.dot %11, %13, %14, inputPrecision = tf32 : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
  // CHECK: "tt.reduce"
  // CHECK: tt.reduce.return %{{.*}} : f32
  %16 = "tt.reduce"(%15) <{axis = 1 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder : tensor<16x64xf16> -> tensor<16x2x32xf16>
  %17 = tt.reshape %10 allow_reorder : tensor<16x64xf16> -> tensor<16x2x32xf16>
  %18 = tt.trans %17 {order = array<i32: 0, 2, 1>} : tensor<16x2x32xf16> -> tensor<16x32x2xf16>
  // CHECK: tt.split %{{.*}} : tensor<16x32x2xf16> -> tensor<16x32xf16>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<16x32xf16> -> tensor<16x32x2xf16>
  %l, %r = tt.split %18 : tensor<16x32x2xf16> -> tensor<16x32xf16>
  %19 = tt.join %l, %r : tensor<16x32xf16> -> tensor<16x32x2xf16>
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<16xf32> -> tensor<16xf16>
  %20 = tt.fp_to_fp %16, rounding = rtne : tensor<16xf32> -> tensor<16xf16>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<16xf16>
  %21 = tt.clampf %20, %6, %6, propagateNan = none : tensor<16xf16>
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"}
  %22 = tt.extern_elementwise %16 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} :
      (tensor<16xf32>) -> tensor<16xf32>
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} :
  %23 = tt.atomic_rmw fadd, acq_rel, gpu, %4, %21, %5 :
      (tensor<16x!tt.ptr<f16>>, tensor<16xf16>, tensor<16xi1>) -> tensor<16xf16>
  tt.return
}

// What is read so that it is refused at its place.
// CHECK-LABEL: tt.func public @refused
tt.func public @refused(%d: !tt.tensordesc<1x64xf16>, %e: !tt.tensordesc<16x64xf32>, %x: tensor<16xf32>,
                        %i: tensor<16xi32>, %t: tensor<16x64xf32>, %u: tensor<16x64xf16>, %h: tensor<128x64xf8E5M2>,
                        %g: tensor<64x128xf8E5M2>, %s: tensor<128x2xi8>, %c: tensor<128x128xf32>, %b: i1, %n: i32) {
  // CHECK: tt.scan.return %{{.*}} : f32
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%v: f32, %w: f32):
    %sum = arith.addf %v, %w : f32
    tt.scan.return %sum : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  // CHECK: tt.histogram %{{.*}} : tensor<16xi32> -> tensor<8xi32>
  %1 = tt.histogram %i : tensor<16xi32> -> tensor<8xi32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
  %2 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e5m2 rhs = e5m2 {fastMath = false} :
  %3 = tt.dot_scaled %h scale %s, %g scale %s, %c lhs = e5m2 rhs = e5m2 {fastMath = false} :
      tensor<128x64xf8E5M2>, tensor<128x2xi8> * tensor<64x128xf8E5M2>, tensor<128x2xi8> -> tensor<128x128xf32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e5m2 rhs = e5m2 :
  %4 = tt.dot_scaled %h scale %s, %g, %c lhs = e5m2 rhs = e5m2 :
      tensor<128x64xf8E5M2>, tensor<128x2xi8> * tensor<64x128xf8E5M2> -> tensor<128x128xf32>
  // CHECK: tt.elementwise_inline_asm "ex2.approx.f32 $0, $1;"
  %5 = tt.elementwise_inline_asm "ex2.approx.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = true}
      %x : tensor<16xf32> -> tensor<16xf32>
  // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %{{.*}} : tensor<16xf32>
  tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %x : tensor<16xf32>
  // CHECK: tt.assert %{{.*}}, "n" : i1
  tt.assert %b, "n" : i1
  // CHECK: tt.descriptor_gather
  %6 = tt.descriptor_gather %d[%i, %n] : (!tt.tensordesc<1x64xf16>, tensor<16xi32>, i32) -> tensor<16x64xf16>
  // CHECK: tt.descriptor_scatter
  tt.descriptor_scatter %d[%i, %n], %u : !tt.tensordesc<1x64xf16>, tensor<16xi32>, i32, tensor<16x64xf16>
  // CHECK: tt.descriptor_reduce add, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<16x64xf32>, tensor<16x64xf32>
  tt.descriptor_reduce add, %e[%n, %n], %t : !tt.tensordesc<16x64xf32>, tensor<16x64xf32>
  // CHECK: gpu.barrier
  gpu.barrier
  tt.return
}

// CHECK-LABEL: tt.func public @generic
"tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}], function_type = (!tt.ptr<f32>) -> (), sym_name = "generic",
              sym_visibility = "public"}> ({
^bb0(%p: !tt.ptr<f32>):
  // CHECK: tt.get_program_id y : i32
  %0 = "tt.get_program_id"() <{axis = 1 : i32}> : () -> i32
  %1 = "tt.addptr"(%p, %0) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
  // CHECK: tt.load %{{.*}} cacheModifier = none evictionPolicy = evict_normal
  %2 = "tt.load"(%1) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false,
                       operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
  "tt.store"(%1, %2) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (!tt.ptr<f32>, f32) -> ()
  "tt.return"() : () -> ()
}) {noinline = false} : () -> ()
