// Functions that few programs need, in f32 and f64, tests for NaN and infinity, and counts of bits in all widths.
// RUN: heddle run %s --device=sim --input "X=uniform(-0.9,0.9)" --input "D=uniform(-0.9,0.9)" | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --input "X=uniform(-0.9,0.9)" --input "D=uniform(-0.9,0.9)" \
// RUN:   --input "I=integers(-9,9)" | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @rare(%X: !tile.view<?xf32> {tile.name = "X", tile.dims = ["N"]},
                  %D: !tile.view<?xf64> {tile.name = "D", tile.dims = ["N"]},
                  %I: !tile.view<?xi64> {tile.name = "I", tile.dims = ["N"]},
                  %Y: !tile.view<?xf32> {tile.name = "Y", tile.dims = ["N"]},
                  %E: !tile.view<?xf64> {tile.name = "E", tile.dims = ["N"]},
                  %C: !tile.view<?xi64> {tile.name = "C", tile.dims = ["N"]})
    attributes {tile.default_dims = {N = 300}} {
  %c256 = arith.constant 256 : index
  %N = tile.dim %X, 0 : !tile.view<?xf32>
  %programs = arith.ceildivui %N, %c256 : index
  tile.grid %programs
  %p = tile.program_id 0
  %i = arith.muli %p, %c256 : index
  %x = tile.load %X[%i] : !tile.view<?xf32> -> tensor<256xf32>
  %tan = math.tan %x : tensor<256xf32>
  %asin = math.asin %x : tensor<256xf32>
  %acos = math.acos %x : tensor<256xf32>
  %asinh = math.asinh %x : tensor<256xf32>
  %two = arith.constant dense<2.0> : tensor<256xf32>
  %above = arith.addf %x, %two : tensor<256xf32>
  %acosh = math.acosh %above : tensor<256xf32>
  %atanh = math.atanh %x : tensor<256xf32>
  %low = arith.constant dense<-0.25> : tensor<256xf32>
  %high = arith.constant dense<0.5> : tensor<256xf32>
  %clamped = math.clampf %x to [%low, %high] : tensor<256xf32>
  // Roots of negative numbers are NaN, quotients by zero infinite.
  %root = math.sqrt %x : tensor<256xf32>
  %isnan = math.isnan %root : tensor<256xf32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %quotient = arith.divf %two, %zero : tensor<256xf32>
  %isinf = math.isinf %quotient : tensor<256xf32>
  %isfinite = math.isfinite %x : tensor<256xf32>
  %a = arith.select %isnan, %tan, %asin : tensor<256xi1>, tensor<256xf32>
  %b = arith.select %isinf, %acos, %zero : tensor<256xi1>, tensor<256xf32>
  %c = arith.select %isfinite, %asinh, %zero : tensor<256xi1>, tensor<256xf32>
  %ab = arith.addf %a, %b : tensor<256xf32>
  %abc = arith.addf %ab, %c : tensor<256xf32>
  %hyperbolic = arith.addf %acosh, %atanh : tensor<256xf32>
  %sum = arith.addf %abc, %hyperbolic : tensor<256xf32>
  %y = arith.addf %sum, %clamped : tensor<256xf32>
  tile.store %y, %Y[%i] : tensor<256xf32>, !tile.view<?xf32>
  %d = tile.load %D[%i] : !tile.view<?xf64> -> tensor<256xf64>
  %dtan = math.tan %d : tensor<256xf64>
  %dasin = math.asin %d : tensor<256xf64>
  %dacos = math.acos %d : tensor<256xf64>
  %dasinh = math.asinh %d : tensor<256xf64>
  %datanh = math.atanh %d : tensor<256xf64>
  %dcosh = math.cosh %d : tensor<256xf64>
  %dacosh = math.acosh %dcosh : tensor<256xf64>
  %e1 = arith.addf %dtan, %dasin : tensor<256xf64>
  %e2 = arith.addf %dacos, %dasinh : tensor<256xf64>
  %e3 = arith.addf %datanh, %dacosh : tensor<256xf64>
  %e4 = arith.addf %e1, %e2 : tensor<256xf64>
  %e = arith.addf %e4, %e3 : tensor<256xf64>
  tile.store %e, %E[%i] : tensor<256xf64>, !tile.view<?xf64>
  %n = tile.load %I[%i] : !tile.view<?xi64> -> tensor<256xi64>
  %ones = math.ctpop %n : tensor<256xi64>
  %leading = math.ctlz %n : tensor<256xi64>
  %trailing = math.cttz %n : tensor<256xi64>
  %narrow = arith.trunci %n : tensor<256xi64> to tensor<256xi8>
  %ones8 = math.ctpop %narrow : tensor<256xi8>
  %leading8 = math.ctlz %narrow : tensor<256xi8>
  %trailing8 = math.cttz %narrow : tensor<256xi8>
  %mixed = arith.muli %leading8, %ones8 : tensor<256xi8>
  %counts8 = arith.addi %mixed, %trailing8 : tensor<256xi8>
  %wide = arith.extsi %counts8 : tensor<256xi8> to tensor<256xi64>
  %product = arith.muli %leading, %ones : tensor<256xi64>
  %counts = arith.addi %product, %trailing : tensor<256xi64>
  %count = arith.xori %counts, %wide : tensor<256xi64>
  tile.store %count, %C[%i] : tensor<256xi64>, !tile.view<?xi64>
  tile.return
}
