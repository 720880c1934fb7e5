// Bytes that the kernel reads as 8-bit floats, by a cast of the pointer (%a) or of the loaded tile (%b), and stores as
// such: views are of the type that all accesses ask for, so that the copy engine brings the product's operands. Where
// accesses differ (%s), the argument's own type stays, and tiles are cast.
// RUN: heddle compile %s --emit=tile | FileCheck %s
// CHECK: tile.kernel @cast(%{{[^:]*}}: !tile.view<?xi16> {{[{].*}}"s"}
// CHECK-SAME: !tile.view<?x?xf8E4M3FN> {{[{].*}}"a"{{.*}}!tile.view<?x?xf8E4M3FN> {{[{].*}}"b"{{.*}}<?x?xf8E5M2>
// CHECK: %[[NUMBERS:.*]] = tile.load {{.*}} -> tensor<64xi16>
// CHECK: arith.bitcast %[[NUMBERS]] {{.*}} to tensor<64xf16>
// CHECK-NOT: bitcast
// RUN: heddle run %s --device=sim --grid=1 --scalars=K=250 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
module {
  tt.func public @cast(%a: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.divisibility = 16 : i32},
                       %c: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %s: !tt.ptr<i16>, %K: i32) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %nothing = arith.constant dense<0.0> : tensor<64x64xf8E4M3FN>
    %none = arith.constant dense<0> : tensor<64x64xi8>
    %pitch = arith.constant dense<256> : tensor<64x1xi32>
    %pitches = arith.constant dense<256> : tensor<1x64xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %column = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %row = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %float = tt.bitcast %a : !tt.ptr<i8> -> !tt.ptr<f8E4M3FN>
    %half = tt.bitcast %s : !tt.ptr<i16> -> !tt.ptr<f16>
    %halves = tt.splat %half : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
    %at = tt.addptr %halves, %r : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %scales = tt.load %at : tensor<64x!tt.ptr<f16>>
    %whole = tt.splat %s : !tt.ptr<i16> -> tensor<64x!tt.ptr<i16>>
    %wholes = tt.addptr %whole, %r : tensor<64x!tt.ptr<i16>>, tensor<64xi32>
    %numbers = tt.load %wholes : tensor<64x!tt.ptr<i16>>
    %least = arith.constant dense<3> : tensor<64xi16>
    %small = arith.cmpi slt, %numbers, %least : tensor<64xi16>
    %one = arith.constant dense<1.0> : tensor<64xf16>
    %scale = arith.select %small, %one, %scales : tensor<64xi1>, tensor<64xf16>
    %am = arith.muli %column, %pitch : tensor<64x1xi32>
    %as = tt.splat %float : !tt.ptr<f8E4M3FN> -> tensor<64x1x!tt.ptr<f8E4M3FN>>
    %ar = tt.addptr %as, %am : tensor<64x1x!tt.ptr<f8E4M3FN>>, tensor<64x1xi32>
    %ab = tt.broadcast %ar : tensor<64x1x!tt.ptr<f8E4M3FN>> -> tensor<64x64x!tt.ptr<f8E4M3FN>>
    %bm = arith.muli %row, %pitches : tensor<1x64xi32>
    %bs = tt.splat %b : !tt.ptr<i8> -> tensor<1x64x!tt.ptr<i8>>
    %br = tt.addptr %bs, %bm : tensor<1x64x!tt.ptr<i8>>, tensor<1x64xi32>
    %bb = tt.broadcast %br : tensor<1x64x!tt.ptr<i8>> -> tensor<64x64x!tt.ptr<i8>>
    %sum = scf.for %i = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %is = tt.splat %i : i32 -> tensor<64xi32>
      %k = arith.addi %is, %r : tensor<64xi32>
      %ks = tt.splat %K : i32 -> tensor<64xi32>
      %in = arith.cmpi slt, %k, %ks : tensor<64xi32>
      %ka = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
      %kas = tt.broadcast %ka : tensor<1x64xi32> -> tensor<64x64xi32>
      %ina = tt.expand_dims %in {axis = 0 : i32} : tensor<64xi1> -> tensor<1x64xi1>
      %inas = tt.broadcast %ina : tensor<1x64xi1> -> tensor<64x64xi1>
      %pa = tt.addptr %ab, %kas : tensor<64x64x!tt.ptr<f8E4M3FN>>, tensor<64x64xi32>
      %x = tt.load %pa, %inas, %nothing : tensor<64x64x!tt.ptr<f8E4M3FN>>
      %kb = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %kbs = tt.broadcast %kb : tensor<64x1xi32> -> tensor<64x64xi32>
      %inb = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
      %inbs = tt.broadcast %inb : tensor<64x1xi1> -> tensor<64x64xi1>
      %pb = tt.addptr %bb, %kbs : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
      %bytes = tt.load %pb, %inbs, %none : tensor<64x64x!tt.ptr<i8>>
      %y = tt.bitcast %bytes : tensor<64x64xi8> -> tensor<64x64xf8E4M3FN>
      %d = tt.dot %x, %y, %acc : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %sc = tt.expand_dims %scale {axis = 1 : i32} : tensor<64xf16> -> tensor<64x1xf16>
    %sw = arith.extf %sc : tensor<64x1xf16> to tensor<64x1xf32>
    %scb = tt.broadcast %sw : tensor<64x1xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %sum, %scb : tensor<64x64xf32>
    %small8 = tt.fp_to_fp %scaled, rounding = rtne : tensor<64x64xf32> -> tensor<64x64xf8E5M2>
    %out = tt.bitcast %small8 : tensor<64x64xf8E5M2> -> tensor<64x64xi8>
    %stride = arith.constant dense<64> : tensor<64x1xi32>
    %cm = arith.muli %column, %stride : tensor<64x1xi32>
    %cs = tt.splat %c : !tt.ptr<i8> -> tensor<64x1x!tt.ptr<i8>>
    %cr = tt.addptr %cs, %cm : tensor<64x1x!tt.ptr<i8>>, tensor<64x1xi32>
    %cb = tt.broadcast %cr : tensor<64x1x!tt.ptr<i8>> -> tensor<64x64x!tt.ptr<i8>>
    %rowb = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
    %pc = tt.addptr %cb, %rowb : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
    tt.store %pc, %out : tensor<64x64x!tt.ptr<i8>>
    tt.return
  }
}
