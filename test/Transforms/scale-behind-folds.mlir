// Scales of tiles stand behind folds to an extreme, and in the differences whose exponentials are taken.
// RUN: heddle-opt %s --heddle-scale-behind-folds | FileCheck %s

// A scale of the launch has a direction; masked elements are what times the scale is nothing to the fold.
// CHECK-LABEL: @masked
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[S:.*]], %{{.*}} : f32
// CHECK: %[[SCALE:.*]] = arith.select %[[NONE]], %{{.*}}, %[[S]] : f32
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[SCALE]], %{{.*}} : f32
// CHECK: %[[INFINITY:.*]] = arith.select %[[BELOW]], %{{.*}}, %{{.*}} : f32
// CHECK: %[[X:.*]] = tile.dot
// CHECK: %[[OTHER:.*]] = tensor.splat %[[INFINITY]]
// CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %[[X]], %[[OTHER]]
// CHECK: %[[MAX:.*]] = tile.reduce "max" %[[CHOSEN]] towards %[[SCALE]] axis 1
// CHECK: arith.mulf %[[MAX]], %{{.*}} : tensor<64xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[CHOSEN]], %{{.*}} : tensor<64x64xf32>
// CHECK: arith.subf %[[SCALED]], %{{.*}}
tile.kernel @masked(%A: !tile.view<64x64xf16>, %M: !tile.view<64xf32>, %O: !tile.view<64x64xf32>,
                    %s: f32 {tile.name = "s", tile.default = 0.5 : f32}) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %limit = arith.constant dense<50> : tensor<64xi32>
  %a = tile.load %A[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %x = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %scale = tensor.splat %s : tensor<64x64xf32>
  %y = arith.mulf %x, %scale : tensor<64x64xf32>
  %columns = tile.iota : tensor<64xi32>
  %seen = arith.cmpi slt, %columns, %limit : tensor<64xi32>
  %mask = tile.broadcast %seen axis 0 : tensor<64xi1> -> tensor<64x64xi1>
  %z = arith.select %mask, %y, %least : tensor<64x64xi1>, tensor<64x64xf32>
  %m = tile.reduce "max" %z axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %ms = tile.broadcast %m axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %z, %ms : tensor<64x64xf32>
  %p = math.exp2 %d : tensor<64x64xf32>
  tile.store %p, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.store %m, %M[%c0] : tensor<64xf32>, !tile.view<64xf32>
  tile.return
}

// A constant below zero turns the fold; exp(s x - m) is a power of two, whose factors are one with the scale, and so
// are those of the difference of another row from m.
// CHECK-LABEL: @constant
// CHECK: %[[X:.*]] = tile.dot
// CHECK: %[[MIN:.*]] = tile.reduce "min" %[[X]] axis 1
// CHECK: arith.constant dense<-0.72134751> : tensor<64x64xf32>
// CHECK: %[[LEFT:.*]] = arith.mulf %[[X]]
// CHECK: arith.constant dense<-0.72134751> : tensor<64xf32>
// CHECK: %[[ROW:.*]] = arith.mulf %[[MIN]]
// CHECK: %[[RIGHT:.*]] = tile.broadcast %[[ROW]]
// CHECK: %[[EXPONENT:.*]] = arith.subf %[[LEFT]], %[[RIGHT]]
// CHECK: math.exp2 %[[EXPONENT]]
// CHECK: %[[OTHER:.*]] = arith.mulf %{{.*}} : tensor<64xf32>
// CHECK: %[[LESS:.*]] = arith.subf %[[OTHER]], %{{.*}} : tensor<64xf32>
// CHECK: math.exp2 %[[LESS]]
tile.kernel @constant(%A: !tile.view<64x64xf16>, %R: !tile.view<64xf32>, %O: !tile.view<64x64xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %scale = arith.constant dense<-0.5> : tensor<64x64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %x = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %y = arith.mulf %x, %scale : tensor<64x64xf32>
  %m = tile.reduce "max" %y axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %ms = tile.broadcast %m axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %y, %ms : tensor<64x64xf32>
  %p = math.exp %d : tensor<64x64xf32>
  tile.store %p, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  %r = tile.load %R[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %e = arith.subf %r, %m : tensor<64xf32>
  %f = math.exp %e : tensor<64xf32>
  tile.store %f, %R[%c0] : tensor<64xf32>, !tile.view<64xf32>
  tile.return
}

// A scaled tile that something else uses stays: its product is needed by itself.
// CHECK-LABEL: @stored
// CHECK: tile.dot
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: tile.reduce "max" %[[Y]] axis 1
tile.kernel @stored(%A: !tile.view<64x64xf16>, %M: !tile.view<64xf32>, %O: !tile.view<64x64xf32>,
                    %s: f32 {tile.name = "s", tile.default = 0.5 : f32}) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %x = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %scale = tensor.splat %s : tensor<64x64xf32>
  %y = arith.mulf %x, %scale : tensor<64x64xf32>
  %m = tile.reduce "max" %y axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.store %y, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.store %m, %M[%c0] : tensor<64xf32>, !tile.view<64xf32>
  tile.return
}

// Finite stand-ins for infinity: in a row that is hidden as a whole, one minus itself has to be zero.
// CHECK-LABEL: @finite
// CHECK: %[[X:.*]] = arith.select
// CHECK: %[[Y:.*]] = arith.mulf %[[X]]
// CHECK: tile.reduce "max" %[[Y]] axis 1
// CHECK: math.exp %
tile.kernel @finite(%A: !tile.view<64x64xf16>, %O: !tile.view<64x64xf32>,
                    %s: f32 {tile.name = "s", tile.default = 0.5 : f32}) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<-3.4e38> : tensor<64x64xf32>
  %limit = arith.constant dense<50> : tensor<64xi32>
  %a = tile.load %A[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %x = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %columns = tile.iota : tensor<64xi32>
  %seen = arith.cmpi slt, %columns, %limit : tensor<64xi32>
  %mask = tile.broadcast %seen axis 0 : tensor<64xi1> -> tensor<64x64xi1>
  %z = arith.select %mask, %x, %least : tensor<64x64xi1>, tensor<64x64xf32>
  %scale = tensor.splat %s : tensor<64x64xf32>
  %y = arith.mulf %z, %scale : tensor<64x64xf32>
  %m = tile.reduce "max" %y axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  %ms = tile.broadcast %m axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %d = arith.subf %y, %ms : tensor<64x64xf32>
  %p = math.exp %d : tensor<64x64xf32>
  tile.store %p, %O[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
