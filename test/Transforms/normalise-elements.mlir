// Masks hold where elements stay, and signs are part of the arithmetic that they belong to. A comparison that something
// else reads as it is stays, and so does one of floats, whose negation holds for what is no number.
// RUN: heddle-opt %s --heddle-normalise-elements | FileCheck %s

// CHECK-LABEL: @masks
tile.kernel @masks(%X: !tile.view<64x64xf32> {tile.name = "X", tile.dims = ["M", "N"]}, %n: i32 {tile.name = "n"},
                   %Y: !tile.view<64x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %x = tile.load %X[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %least = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %true = arith.constant dense<true> : tensor<64x64xi1>
  %at = tile.iota : tensor<64xi32>
  %end = tensor.splat %n : tensor<64xi32>
  // turned below its broadcast
  // CHECK: %[[IN:.*]] = arith.cmpi slt
  // CHECK: %[[WIDE:.*]] = tile.broadcast %[[IN]]
  // CHECK: %[[A:.*]] = arith.select %[[WIDE]], %[[X:.*]], %[[LEAST:.*]] :
  %behind = arith.cmpi sge, %at, %end : tensor<64xi32>
  %wide = tile.broadcast %behind axis 0 : tensor<64xi1> -> tensor<64x64xi1>
  %a = arith.select %wide, %least, %x : tensor<64x64xi1>, tensor<64x64xf32>
  // one or the other: neither
  // CHECK: arith.cmpi sle
  // CHECK: arith.cmpi sgt
  // CHECK: %[[BOTH:.*]] = arith.andi
  // CHECK: arith.select %[[BOTH]], %[[A]], %[[LEAST]] :
  %rows = tile.broadcast %at axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %at axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %ends = tile.broadcast %end axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %above = arith.cmpi sgt, %columns, %rows : tensor<64x64xi32>
  %far = arith.cmpi sle, %rows, %ends : tensor<64x64xi32>
  %none = arith.ori %above, %far : tensor<64x64xi1>
  %b = arith.select %none, %least, %a : tensor<64x64xi1>, tensor<64x64xf32>
  // not: the other side, and the choice with two constants by its least one
  // CHECK: %[[ODD:.*]] = arith.cmpf ogt
  // CHECK-NOT: arith.xori
  // CHECK: arith.select %[[ODD]], %{{.*}}, %[[LEAST]] :
  // CHECK: %[[NE:.*]] = arith.cmpi ne
  // CHECK: arith.select %[[NE]], %[[ZERO:.*]], %[[LEAST]] :
  %odd = arith.cmpf ogt, %b, %zero : tensor<64x64xf32>
  %even = arith.xori %odd, %true : tensor<64x64xi1>
  %c = arith.select %even, %least, %b : tensor<64x64xi1>, tensor<64x64xf32>
  %same = arith.cmpi eq, %columns, %ends : tensor<64x64xi32>
  %bias = arith.select %same, %least, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %d = arith.addf %c, %bias : tensor<64x64xf32>
  // read by a choice the other way as well; and of floats
  // CHECK: %[[LATE:.*]] = arith.cmpi uge
  // CHECK: arith.select %[[LATE]], %[[LEAST]],
  // CHECK: arith.select %[[LATE]], %{{.*}}, %[[ZERO]] :
  // CHECK: %[[BIG:.*]] = arith.cmpf oge
  // CHECK: arith.select %[[BIG]], %[[ZERO]],
  %late = arith.cmpi uge, %columns, %ends : tensor<64x64xi32>
  %e = arith.select %late, %least, %d : tensor<64x64xi1>, tensor<64x64xf32>
  %f = arith.select %late, %e, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %big = arith.cmpf oge, %f, %x : tensor<64x64xf32>
  %g = arith.select %big, %zero, %f : tensor<64x64xi1>, tensor<64x64xf32>
  tile.store %g, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}

// CHECK-LABEL: @signs
tile.kernel @signs(%X: !tile.view<64x64xf32> {tile.name = "X", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s"},
                   %Y: !tile.view<64x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  // CHECK: %[[X:.*]] = tile.load
  %x = tile.load %X[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  // CHECK: %[[E:.*]] = math.exp2 %[[X]]
  // CHECK-NOT: arith.negf %[[E]]
  // CHECK: %[[A:.*]] = arith.subf %[[X]], %[[E]]
  // CHECK: %[[B:.*]] = arith.subf %[[A]], %[[E]]
  // CHECK: %[[C:.*]] = arith.addf %[[B]], %[[E]]
  // CHECK: %[[S:.*]] = tensor.splat
  // CHECK: %[[NS:.*]] = arith.negf %[[S]]
  // CHECK: %[[P:.*]] = arith.mulf %[[C]], %[[NS]]
  // CHECK: %[[Q:.*]] = arith.mulf %[[P]], %[[S]]
  // CHECK: %[[NQ:.*]] = arith.negf %[[Q]]
  // CHECK: arith.mulf %[[NQ]], %[[Q]]
  %e = math.exp2 %x : tensor<64x64xf32>
  %n = arith.negf %e : tensor<64x64xf32>
  %a = arith.addf %x, %n : tensor<64x64xf32>
  %b = arith.addf %n, %a : tensor<64x64xf32>
  %c = arith.subf %b, %n : tensor<64x64xf32>
  %m = arith.negf %c : tensor<64x64xf32>
  %back = arith.negf %m : tensor<64x64xf32>
  %scale = tensor.splat %s : tensor<64x64xf32>
  %scaled = arith.mulf %back, %scale : tensor<64x64xf32>
  %p = arith.negf %scaled : tensor<64x64xf32>
  // a product that something else reads as well
  %q = arith.mulf %p, %scale : tensor<64x64xf32>
  %nq = arith.negf %q : tensor<64x64xf32>
  %r = arith.mulf %nq, %q : tensor<64x64xf32>
  tile.store %r, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}

// Quotients of f32 by one number are products with its reciprocal; those of f16 would be rounded otherwise.
// CHECK-LABEL: @quotients
tile.kernel @quotients(%X: !tile.view<64x64xf32> {tile.name = "X", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s"},
                       %Y: !tile.view<64x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  // CHECK: %[[X:.*]] = tile.load
  %x = tile.load %X[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  // CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %arg1 : f32
  // CHECK: %[[S:.*]] = tensor.splat %[[INVERSE]]
  // CHECK: %[[A:.*]] = arith.mulf %[[X]], %[[S]]
  %cap = tensor.splat %s : tensor<64x64xf32>
  %a = arith.divf %x, %cap : tensor<64x64xf32>
  // CHECK: %[[QUARTER:.*]] = arith.constant dense<2.500000e-01>
  // CHECK: %[[B:.*]] = arith.mulf %[[A]], %[[QUARTER]]
  %four = arith.constant dense<4.0> : tensor<64x64xf32>
  %b = arith.divf %a, %four : tensor<64x64xf32>
  // CHECK: %[[C:.*]] = arith.divf %[[B]], %[[X]]
  %c = arith.divf %b, %x : tensor<64x64xf32>
  // CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<64x64xf16>
  %h = arith.truncf %c : tensor<64x64xf32> to tensor<64x64xf16>
  %half = arith.constant dense<4.0> : tensor<64x64xf16>
  %d = arith.divf %h, %half : tensor<64x64xf16>
  %y = arith.extf %d : tensor<64x64xf16> to tensor<64x64xf32>
  tile.store %y, %Y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}

// The greater and the smaller one of two numbers as PyTorch's compiler writes them; a choice that forgets what is no
// number stays.
// CHECK-LABEL: @extremes
tile.kernel @extremes(%X: !tile.view<64x64xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                      %Y: !tile.view<64x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]},
                      %Z: !tile.view<64x64xf32> {tile.name = "Z", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  // CHECK: %[[X:.*]] = tile.load %arg0
  // CHECK: %[[Y:.*]] = tile.load %arg1
  %x = tile.load %X[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %y = tile.load %Y[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  // CHECK: %[[A:.*]] = arith.maximumf %[[X]], %[[Y]]
  %greater = arith.cmpf ogt, %x, %y : tensor<64x64xf32>
  %none = arith.cmpf une, %x, %x : tensor<64x64xf32>
  %first = arith.ori %greater, %none : tensor<64x64xi1>
  %a = arith.select %first, %x, %y : tensor<64x64xi1>, tensor<64x64xf32>
  // CHECK: %[[B:.*]] = arith.minimumf %[[A]], %[[Y]]
  %less = arith.cmpf ogt, %y, %a : tensor<64x64xf32>
  %noneA = arith.cmpf uno, %a, %a : tensor<64x64xf32>
  %firstA = arith.ori %noneA, %less : tensor<64x64xi1>
  %b = arith.select %firstA, %a, %y : tensor<64x64xi1>, tensor<64x64xf32>
  // CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[B]], %[[X]]
  %greaterB = arith.cmpf ogt, %b, %x : tensor<64x64xf32>
  %c = arith.select %greaterB, %b, %x : tensor<64x64xi1>, tensor<64x64xf32>
  tile.store %c, %Z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
