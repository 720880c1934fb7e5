// A number that is infinite comes to the kernel as it is.
// RUN: heddle run %s --device=sim --grid=1 --scalars=m=inf | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1 --scalars=m=inf | FileCheck %s
// CHECK: {{^}}verified
module { tt.func public @infinite_scalar(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %m: f32) {
 %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
 %a = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
 %b = tt.addptr %a, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
 %v = tt.load %b : tensor<64x!tt.ptr<f32>>
 %s = tt.splat %m : f32 -> tensor<64xf32>
 %w = arith.minimumf %v, %s : tensor<64xf32>
 %c = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
 %d = tt.addptr %c, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
 tt.store %d, %w : tensor<64x!tt.ptr<f32>>
 tt.return } }
