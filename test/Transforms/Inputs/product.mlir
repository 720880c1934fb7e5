// A product whose loop counts in i32, with a load that nobody uses: input of the tests of single passes.
tile.kernel @product(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %Ki = tile.dim %A, 1 : !tile.view<?x?xf16>
  %K = arith.index_cast %Ki : index to i32
  %M = tile.dim %C, 0 : !tile.view<?x?xf32>
  %N = tile.dim %C, 1 : !tile.view<?x?xf32>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %ki = arith.index_cast %k : i32 to index
    %a = tile.load %A[%m, %ki] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %ki] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %unused = tile.load %B[%n, %ki] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %acc : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum, %C[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  tile.return
}
