// `if bias:` of a pointer argument: Triton makes another kernel of a call with None, so the pointer is not null.
// RUN: heddle compile %s --emit=tile | FileCheck %s --implicit-check-not=scf.if
// CHECK: tile.load
// CHECK: tile.load
// CHECK: arith.addf
// RUN: heddle run %s --device=sim --grid=1 --scalars=n=100 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @given(%x: !tt.ptr<f32>, %bias: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32)
      attributes {noinline = false} {
    %null = arith.constant 0 : i64
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %ns = tt.splat %n : i32 -> tensor<128xi32>
    %mask = arith.cmpi slt, %i, %ns : tensor<128xi32>
    %px = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %ax = tt.addptr %px, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %ax, %mask : tensor<128x!tt.ptr<f32>>
    %address = tt.ptr_to_int %bias : !tt.ptr<f32> -> i64
    %given = arith.cmpi ne, %address, %null : i64
    %r = scf.if %given -> (tensor<128xf32>) {
      %pb = tt.splat %bias : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %ab = tt.addptr %pb, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %b = tt.load %ab, %mask : tensor<128x!tt.ptr<f32>>
      %s = arith.addf %v, %b : tensor<128xf32>
      scf.yield %s : tensor<128xf32>
    } else {
      scf.yield %v : tensor<128xf32>
    }
    %py = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %ay = tt.addptr %py, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %ay, %r, %mask : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
