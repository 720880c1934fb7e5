// A left operand and a result that are doubled 40 times, each tile read twice.
tile.kernel @doubled_tiles(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                            %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                            %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128 : i64, N = 128 : i64, K = 128 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %z = arith.constant dense<0.0> : tensor<128x128xf32>
  %s = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %z) -> (tensor<128x128xf32>) {
    %a0 = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %a1 = arith.addf %a0, %a0 : tensor<128x64xf16>
    %a2 = arith.addf %a1, %a1 : tensor<128x64xf16>
    %a3 = arith.addf %a2, %a2 : tensor<128x64xf16>
    %a4 = arith.addf %a3, %a3 : tensor<128x64xf16>
    %a5 = arith.addf %a4, %a4 : tensor<128x64xf16>
    %a6 = arith.addf %a5, %a5 : tensor<128x64xf16>
    %a7 = arith.addf %a6, %a6 : tensor<128x64xf16>
    %a8 = arith.addf %a7, %a7 : tensor<128x64xf16>
    %a9 = arith.addf %a8, %a8 : tensor<128x64xf16>
    %a10 = arith.addf %a9, %a9 : tensor<128x64xf16>
    %a11 = arith.addf %a10, %a10 : tensor<128x64xf16>
    %a12 = arith.addf %a11, %a11 : tensor<128x64xf16>
    %a13 = arith.addf %a12, %a12 : tensor<128x64xf16>
    %a14 = arith.addf %a13, %a13 : tensor<128x64xf16>
    %a15 = arith.addf %a14, %a14 : tensor<128x64xf16>
    %a16 = arith.addf %a15, %a15 : tensor<128x64xf16>
    %a17 = arith.addf %a16, %a16 : tensor<128x64xf16>
    %a18 = arith.addf %a17, %a17 : tensor<128x64xf16>
    %a19 = arith.addf %a18, %a18 : tensor<128x64xf16>
    %a20 = arith.addf %a19, %a19 : tensor<128x64xf16>
    %a21 = arith.addf %a20, %a20 : tensor<128x64xf16>
    %a22 = arith.addf %a21, %a21 : tensor<128x64xf16>
    %a23 = arith.addf %a22, %a22 : tensor<128x64xf16>
    %a24 = arith.addf %a23, %a23 : tensor<128x64xf16>
    %a25 = arith.addf %a24, %a24 : tensor<128x64xf16>
    %a26 = arith.addf %a25, %a25 : tensor<128x64xf16>
    %a27 = arith.addf %a26, %a26 : tensor<128x64xf16>
    %a28 = arith.addf %a27, %a27 : tensor<128x64xf16>
    %a29 = arith.addf %a28, %a28 : tensor<128x64xf16>
    %a30 = arith.addf %a29, %a29 : tensor<128x64xf16>
    %a31 = arith.addf %a30, %a30 : tensor<128x64xf16>
    %a32 = arith.addf %a31, %a31 : tensor<128x64xf16>
    %a33 = arith.addf %a32, %a32 : tensor<128x64xf16>
    %a34 = arith.addf %a33, %a33 : tensor<128x64xf16>
    %a35 = arith.addf %a34, %a34 : tensor<128x64xf16>
    %a36 = arith.addf %a35, %a35 : tensor<128x64xf16>
    %a37 = arith.addf %a36, %a36 : tensor<128x64xf16>
    %a38 = arith.addf %a37, %a37 : tensor<128x64xf16>
    %a39 = arith.addf %a38, %a38 : tensor<128x64xf16>
    %a40 = arith.addf %a39, %a39 : tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a40, %bt, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %o0 = arith.addf %s, %s : tensor<128x128xf32>
  %o1 = arith.addf %o0, %o0 : tensor<128x128xf32>
  %o2 = arith.addf %o1, %o1 : tensor<128x128xf32>
  %o3 = arith.addf %o2, %o2 : tensor<128x128xf32>
  %o4 = arith.addf %o3, %o3 : tensor<128x128xf32>
  %o5 = arith.addf %o4, %o4 : tensor<128x128xf32>
  %o6 = arith.addf %o5, %o5 : tensor<128x128xf32>
  %o7 = arith.addf %o6, %o6 : tensor<128x128xf32>
  %o8 = arith.addf %o7, %o7 : tensor<128x128xf32>
  %o9 = arith.addf %o8, %o8 : tensor<128x128xf32>
  %o10 = arith.addf %o9, %o9 : tensor<128x128xf32>
  %o11 = arith.addf %o10, %o10 : tensor<128x128xf32>
  %o12 = arith.addf %o11, %o11 : tensor<128x128xf32>
  %o13 = arith.addf %o12, %o12 : tensor<128x128xf32>
  %o14 = arith.addf %o13, %o13 : tensor<128x128xf32>
  %o15 = arith.addf %o14, %o14 : tensor<128x128xf32>
  %o16 = arith.addf %o15, %o15 : tensor<128x128xf32>
  %o17 = arith.addf %o16, %o16 : tensor<128x128xf32>
  %o18 = arith.addf %o17, %o17 : tensor<128x128xf32>
  %o19 = arith.addf %o18, %o18 : tensor<128x128xf32>
  %o20 = arith.addf %o19, %o19 : tensor<128x128xf32>
  %o21 = arith.addf %o20, %o20 : tensor<128x128xf32>
  %o22 = arith.addf %o21, %o21 : tensor<128x128xf32>
  %o23 = arith.addf %o22, %o22 : tensor<128x128xf32>
  %o24 = arith.addf %o23, %o23 : tensor<128x128xf32>
  %o25 = arith.addf %o24, %o24 : tensor<128x128xf32>
  %o26 = arith.addf %o25, %o25 : tensor<128x128xf32>
  %o27 = arith.addf %o26, %o26 : tensor<128x128xf32>
  %o28 = arith.addf %o27, %o27 : tensor<128x128xf32>
  %o29 = arith.addf %o28, %o28 : tensor<128x128xf32>
  %o30 = arith.addf %o29, %o29 : tensor<128x128xf32>
  %o31 = arith.addf %o30, %o30 : tensor<128x128xf32>
  %o32 = arith.addf %o31, %o31 : tensor<128x128xf32>
  %o33 = arith.addf %o32, %o32 : tensor<128x128xf32>
  %o34 = arith.addf %o33, %o33 : tensor<128x128xf32>
  %o35 = arith.addf %o34, %o34 : tensor<128x128xf32>
  %o36 = arith.addf %o35, %o35 : tensor<128x128xf32>
  %o37 = arith.addf %o36, %o36 : tensor<128x128xf32>
  %o38 = arith.addf %o37, %o37 : tensor<128x128xf32>
  %o39 = arith.addf %o38, %o38 : tensor<128x128xf32>
  tile.store %o39, %C[%m, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
