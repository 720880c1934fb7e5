// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// Tiles that begin before their view, by a scalar that the caller gives: rows from 0 on are stored. The copy engine
// stores no box from a negative coordinate on, so such a tile goes by ordinary instructions.
// Its text is short: element by element, not also word by word.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=SHORT --implicit-check-not=storeGlobalIf
// SHORT: hd::tmaStore(
// SHORT: static_cast<uint16_t>
tile.kernel @stores_before_the_view(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                                    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                                    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                                    %shift: i32 {tile.name = "shift", tile.default = 32 : i32})
    attributes {tile.default_dims = {M = 256 : i64, N = 128 : i64, K = 96 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c64 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %from = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c64 : index
  %by = arith.index_cast %shift : i32 to index
  %m = arith.subi %from, %by : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %c = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %c, %C[%m, %n] : tensor<128x64xf16>, !tile.view<?x?xf16>
  tile.return
}
