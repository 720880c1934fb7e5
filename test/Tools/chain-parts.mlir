// A chain that appends a row to a cache and reads all of it: what the first launch does not write is an input. A size
// of an argument is the scalar of a launch.
// DEFINE: %{npy} = python3 %S/Inputs/npy.py
// RUN: rm -rf %t && mkdir -p %t
// RUN: heddle run %s --kernel=append_and_read --device=sim | FileCheck %s
// RUN: heddle run %s --kernel=append_and_read --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --kernel=append_and_read -o %t/o > %t/log && FileCheck %s --check-prefix=MANIFEST < %t/o/chain.json
// RUN: heddle run %s --kernel=append_and_read --device=sim --input n=ones --input "k=const(3)" --output o=%t/o.npy | FileCheck %s
// RUN: %{npy} check %t/o.npy '<f4' 4x128 '8 if i // 128 == 1 else 24'
// RUN: heddle run %s --kernel=append --device=sim --input n=ones --input "k=const(3)" --output k=%t/k.npy | FileCheck %s
// RUN: %{npy} check %t/k.npy '<f4' 4x128 '1 if i // 128 == 1 else 3'
// CHECK: {{^}}verified
// MANIFEST: "access": "inout"
// MANIFEST: "name": "k"
tile.kernel @append(%n: !tile.view<?xf32> {tile.name = "n", tile.dims = ["R"]},
                    %k: !tile.view<?x?xf32> {tile.name = "k", tile.dims = ["T", "R"]})
    attributes {tile.default_dims = {T = 4, R = 128}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t = tile.load %n[%c0] : !tile.view<?xf32> -> tensor<128xf32>
  tile.store %t, %k[%c1, %c0] : tensor<128xf32>, !tile.view<?x?xf32>
  tile.return
}
tile.kernel @times(%k: !tile.view<?x?xf32> {tile.name = "k", tile.dims = ["T", "R"]},
                   %o: !tile.view<?x?xf32> {tile.name = "o", tile.dims = ["T", "R"]},
                   %factor: index {tile.name = "factor"}) {
  %c0 = arith.constant 0 : index
  %m = tile.dim %k, 0 : !tile.view<?x?xf32>
  tile.grid %m
  %i = tile.program_id 0
  %t = tile.load %k[%i, %c0] : !tile.view<?x?xf32> -> tensor<1x128xf32>
  %f = arith.index_cast %factor : index to i32
  %g = arith.sitofp %f : i32 to f32
  %s = tensor.splat %g : tensor<1x128xf32>
  %u = arith.mulf %t, %s : tensor<1x128xf32>
  tile.store %u, %o[%i, %c0] : tensor<1x128xf32>, !tile.view<?x?xf32>
  tile.return
}
tile.chain @append_and_read(%n: !tile.view<?xf32> {tile.name = "n", tile.dims = ["R"]},
                            %k: !tile.view<?x?xf32> {tile.name = "k", tile.dims = ["T", "R"]},
                            %o: !tile.view<?x?xf32> {tile.name = "o", tile.dims = ["T", "R"]})
    attributes {tile.default_dims = {T = 4, R = 128}} {
  %c2 = arith.constant 2 : index
  %rows = tile.dim %o, 0 : !tile.view<?x?xf32>
  %twice = arith.muli %rows, %c2 : index
  tile.launch @append(%n, %k) : !tile.view<?xf32>, !tile.view<?x?xf32>
  tile.launch @times(%k, %o, %twice) : !tile.view<?x?xf32>, !tile.view<?x?xf32>, index
  tile.return
}
