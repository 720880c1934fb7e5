// Elements that a stride sets apart have a dimension of neighbours beside: launch.json says that of these one is
// reached, so that a launcher sees that rows of one tensor share none.
// RUN: rm -rf %t
// RUN: heddle compile %s --kernel=scatter -o %t
// RUN: FileCheck %s < %t/launch.json
// CHECK: "name": "x",
// CHECK-NOT: "spans"
// CHECK: "name": "a",
// CHECK: "spans": [
// CHECK-NEXT: null,
// CHECK-NEXT: 1
// RUN: heddle run %s --device=sim --grid=2 --scalars=sa=3,n=20 | FileCheck %s --check-prefix=RIGHT
// RIGHT: verified
module {
  tt.func public @scatter(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: !tt.ptr<f32>, %sa: i32, %n: i32) {
    %c16 = arith.constant 16 : i32
    %p = tt.get_program_id x : i32
    %b = arith.muli %p, %c16 : i32
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %bs = tt.splat %b : i32 -> tensor<16xi32>
    %i = arith.addi %bs, %r : tensor<16xi32>
    %ns = tt.splat %n : i32 -> tensor<16xi32>
    %m = arith.cmpi slt, %i, %ns : tensor<16xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %px = tt.addptr %xs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %v = tt.load %px, %m : tensor<16x!tt.ptr<f32>>
    %sas = tt.splat %sa : i32 -> tensor<16xi32>
    %at = arith.muli %i, %sas : tensor<16xi32>
    %as = tt.splat %a : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
    %pa = tt.addptr %as, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    tt.store %pa, %v, %m : tensor<16x!tt.ptr<f32>>
    tt.return
  }
}
