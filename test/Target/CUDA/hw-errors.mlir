// RUN: heddle-opt %s --heddle-emit-cuda -o /dev/null -split-input-file -verify-diagnostics
// What the printer refuses of hand-written hw kernels.

hw.kernel @argument(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  %v = hw.tensor_map "A" %A box [64, 64] swizzle 128 : !tile.view<?x?xf16>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected loop arguments that are tiles or scalars, got '!hw.map'}}
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %v) -> (!hw.map) {
      scf.yield %t : !hw.map
    }
  }
  hw.return
}

// -----

#d = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
hw.kernel @fence() attributes {threads = 128 : i64, smem_bytes = 16384 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected a wgmma_fence before it in its block}}
    %d = hw.wgmma %t, %t n 64 : !hw.tile<64x64xf16, 64x64, swizzle 128>, !hw.tile<64x64xf16, 64x64, swizzle 128>
        -> tensor<64x64xf32, #d>
    hw.wgmma_commit
    %w = hw.wgmma_wait 0 : %d : tensor<64x64xf32, #d> -> tensor<64x64xf32, #d>
  }
  hw.return
}

// -----

#rows = #hw.layout<reg [] lane [d0:1, d0:2, d0:4, d0:8, d0:16] warp [d0:32, 0]>
#tile = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
hw.kernel @broadcast(%Y: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64xf32, #rows>
    // expected-error @below {{expected a source that each thread holds of the result}}
    %y = tile.broadcast %x axis 1 : tensor<64xf32, #rows> -> tensor<64x64xf32, #tile>
    tile.store %y, %Y[%c0, %c0] : tensor<64x64xf32, #tile>, !tile.view<?x?xf32>
  }
  hw.return
}

// -----

#tile = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
hw.kernel @transpose(%Y: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64x64xf32, #tile>
    // expected-error @below {{expected a source that each thread holds of the result}}
    %y = tile.transpose %x : tensor<64x64xf32, #tile> -> tensor<64x64xf32, #tile>
    tile.store %y, %Y[%c0, %c0] : tensor<64x64xf32, #tile>, !tile.view<?x?xf32>
  }
  hw.return
}

// -----

#tile = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
#part = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:32, d0:16]>
hw.kernel @part(%Y: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : tensor<64x64xf32, #tile>
    // expected-error @below {{expected a part that each thread holds of the whole}}
    %y = tensor.extract_slice %x[0, 0] [64, 32] [1, 1] : tensor<64x64xf32, #tile> to tensor<64x32xf32, #part>
    tile.store %y, %Y[%c0, %c0] : tensor<64x32xf32, #part>, !tile.view<?x?xf32>
  }
  hw.return
}

// -----

#d = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
hw.kernel @read_after(%Y: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 16384 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    "hw.wgmma_fence"() : () -> ()
    %d = hw.wgmma %t, %t n 64 : !hw.tile<64x64xf16, 64x64, swizzle 128>, !hw.tile<64x64xf16, 64x64, swizzle 128>
        -> tensor<64x64xf32, #d>
    hw.wgmma_commit
    // expected-error @below {{expected operands that are not read after the wait except through its results}}
    %w = hw.wgmma_wait 0 : %d : tensor<64x64xf32, #d> -> tensor<64x64xf32, #d>
    %x = arith.negf %w : tensor<64x64xf32, #d>
    %y = arith.addf %x, %d : tensor<64x64xf32, #d>
    %z = arith.addf %y, %w : tensor<64x64xf32, #d>
    tile.store %z, %Y[%c0, %c0] : tensor<64x64xf32, #d>, !tile.view<?x?xf32>
  }
  hw.return
}

// -----

#tile = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
hw.kernel @elements(%Y: !tile.view<?x?xtf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected f64, f32, f16, bf16, f8, i1, i8, i16, i32, i64 or index elements, got 'tf32'}}
    %y = arith.constant dense<1.0> : tensor<64x64xtf32, #tile>
    tile.store %y, %Y[%c0, %c0] : tensor<64x64xtf32, #tile>, !tile.view<?x?xtf32>
  }
  hw.return
}

// -----

#rows = #hw.layout<reg [] lane [d0:1, d0:2, d0:4, d0:8, d0:16] warp [d0:32, 0]>
#tile = #hw.layout<reg [d1:1, d0:8, d1:8, d1:16, d1:32] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>
hw.kernel @gather(%Y: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1> : tensor<64xi32, #rows>
    // expected-error @below {{expected row numbers in the slice of the tile's layout}}
    %y = tile.gather %Y[%c0, %c0] rows %x : !tile.view<?x?xf32>, tensor<64xi32, #rows> -> tensor<64x64xf32, #tile>
    tile.store %y, %Y[%c0, %c0] : tensor<64x64xf32, #tile>, !tile.view<?x?xf32>
  }
  hw.return
}
