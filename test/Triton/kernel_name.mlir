// Names that C++ reserves, or that are none in it, become names of kernels.
// RUN: heddle compile %s -o %t && FileCheck %s --input-file=%t/kernel.cu
// CHECK: {{ }}_fused_a_b_2(
module {
  tt.func public @"__fused_a__b.2"(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                                   %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %pa = tt.addptr %ps, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %pa : tensor<128x!tt.ptr<f32>>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %qa = tt.addptr %qs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %qa, %x : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
