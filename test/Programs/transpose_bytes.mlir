// Tiles of bytes that are transposed between two accesses: threads read words of four rows and turn them.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: for D in M=1,N=16 M=17,N=48 M=200,N=128; do heddle run %s --device=emulate --interleavings=1 --dims $D || exit 1; done | FileCheck %s --check-prefix=ALL
// ALL-COUNT-3: {{^}}verified
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: = hd::ldShared<uint32_t>(
// CUDA: hd::permuteBytes({{.*}}, r & 4 ? 0x7362 : 0x5140, r & 4 ? 0x7362 : 0x5140, r & 2 ? 0x7632 : 0x5410);
tile.kernel @transpose_bytes(%X: !tile.view<?x?xf8E4M3FN> {tile.name = "X", tile.dims = ["M", "N"]},
                             %Y: !tile.view<?x?xf8E4M3FN> {tile.name = "Y", tile.dims = ["N", "M"]})
    attributes {tile.default_dims = {M = 144, N = 208}} {
  %bm = arith.constant 128 : index
  %rows = tile.dim %X, 0 : !tile.view<?x?xf8E4M3FN>
  %columns = tile.dim %X, 1 : !tile.view<?x?xf8E4M3FN>
  %gm = arith.ceildivui %rows, %bm : index
  %gn = arith.ceildivui %columns, %bm : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %i = arith.muli %pm, %bm : index
  %j = arith.muli %pn, %bm : index
  %x = tile.load %X[%i, %j] : !tile.view<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
  %y = tile.transpose %x : tensor<128x128xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
  tile.store %y, %Y[%j, %i] : tensor<128x128xf8E4M3FN>, !tile.view<?x?xf8E4M3FN>
  tile.return
}
