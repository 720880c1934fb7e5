tile.kernel @small_gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                        %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                        %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]},
                            %alpha: f32 {tile.name = "alpha", tile.default = 2.0 : f32})
    attributes {tile.default_dims = {M = 64 : i64, N = 32 : i64, K = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c32 : index
  tile.grid %gm, %gn {raster = 2 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c32 : index
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %acc = scf.for %k = %c0 to %K step %c32 iter_args(%sum = %zero) -> (tensor<64x32xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %b = tile.load %B[%k, %n] : !tile.view<?x?xf16> -> tensor<32x32xf16>
    %next = tile.dot %a, %b, %sum : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  %s = tensor.splat %alpha : tensor<64x32xf32>
  %c = arith.mulf %acc, %s : tensor<64x32xf32>
  tile.store %c, %C[%m, %n] {kind = "add"} : tensor<64x32xf32>, !tile.view<?x?xf32>
  tile.return
}
