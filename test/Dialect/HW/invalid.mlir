// RUN: heddle-opt %s -heddle-verify-hw -split-input-file -verify-diagnostics
// Local verifiers of hw ops and types, and the rules that span ops.

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected a box of 2 extents, got 1}}
  %m = hw.tensor_map "A" %A box [64] swizzle 128 : !tile.view<?x?xf16>
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected box extents from 1 to 256, got 257}}
  %m = hw.tensor_map "A" %A box [64, 257] swizzle 128 : !tile.view<?x?xf16>
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected a box row of a multiple of 16 bytes, got 8}}
  %m = hw.tensor_map "A" %A box [4, 64] swizzle 0 : !tile.view<?x?xf16>
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected a box row of at most 64 bytes (the swizzle), got 128}}
  %m = hw.tensor_map "A" %A box [64, 64] swizzle 64 : !tile.view<?x?xf16>
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?x?x?x64xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected a tensor map of at most 5 dimensions, got 6}}
  %m = hw.tensor_map "A" %A box [64, 1, 1, 1, 1, 1] swizzle 128 split 64 : !tile.view<?x?x?x?x64xf16>
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected an offset that is a multiple of 8, got 4}}
  %m = hw.mbarriers "b" offset 4 count 1 : !hw.bars<1>
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error @below {{expected at least one arrival per phase, got 0}}
  %m = hw.mbarriers "b" offset 8 count 0 : !hw.bars<1>
  hw.return
}

// -----

// expected-error @below {{expected a swizzle of 0, 32, 64 or 128 bytes, got 16}}
hw.kernel @k(%A: !hw.tile<64x64xf16, 64x64, swizzle 16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  hw.return
}

// -----

// expected-error @below {{expected rows of a multiple of 128 bytes, got 64}}
hw.kernel @k(%A: !hw.tile<64x32xf16, 64x32, swizzle 128>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  hw.return
}

// -----

// expected-error @below {{expected the tile to lie in its 64x64 storage, got corner [8, 0] and extent 64x64}}
hw.kernel @k(%A: !hw.tile<64x64xf16, 64x64, swizzle 128, at [8, 0]>) attributes {threads = 128
    : i64, smem_bytes = 1024 : i64} {
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-error @below {{expected an offset and a stride that are multiples of 1024, got 512 and 0}}
    %t = hw.smem "a" offset 512 : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 4096 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-error @below {{expected storage below 4096, got an end of 8192}}
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-note @below {{before}}
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected one place and type for storage 'a', got offset 8192 and before 0}}
    %u = hw.smem "a" offset 8192 : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    // expected-note @below {{'a'}}
    %t = hw.smem "a" offset 0 slot %c0 of 2 stride 8192 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected storage 'b' apart from 'a', which ends at 16384, got offset 8192}}
    %u = hw.smem "b" offset 8192 : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

// Alternatives of one ring may share bytes, others not with any of them.
hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %t = hw.smem "a" offset 0 {shared = "ring"} : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-note @below {{'b'}}
    %u = hw.smem "b" offset 0 {shared = "ring"} : !hw.tile<32x64xf16, 32x64, swizzle 128>
    // expected-error @below {{expected storage 'c' apart from}}
    %v = hw.smem "c" offset 4096 : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  %b = hw.mbarriers "b" offset 4096 count 4 : !hw.bars<1>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-error @below {{expected storage apart from the barriers at 4096, got 0 to 8192}}
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  %b = hw.mbarriers "b" offset 4096 count 4 : !hw.bars<2>
  // expected-error @below {{expected barriers that do not overlap others, got offset 4104}}
  %c = hw.mbarriers "c" offset 4104 count 4 : !hw.bars<2>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 4096 : i64} {
  // expected-error @below {{expected barriers below 4096, got an end of 4104}}
  %b = hw.mbarriers "b" offset 4096 count 4 : !hw.bars<1>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 4096 : i64} {
  // expected-error @below {{expected a count of 4 (the arrivals of a phase), got 8}}
  %b = hw.mbarriers "b" offset 0 count 8 : !hw.bars<1>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    hw.arrive %b[%c0] : !hw.bars<1>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 4096 : i64} {
  %b = hw.mbarriers "b" offset 0 count 8 : !hw.bars<1>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected an arrival on barriers 'b', got none}}
    hw.wait %b[%c0] parity %c0 : !hw.bars<1>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 4096 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-error @below {{expected no warp op at the hw level}}
    warp.barrier
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected an instruction width from 8 to 256, a multiple of 8 that divides 64, got 48}}
    %d = hw.wgmma %t, %t n 48 : !hw.tile<64x64xf16, 64x64, swizzle 128>, !hw.tile<64x64xf16, 64x64,
        swizzle 128> -> tensor<64x64xf32>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %t = hw.smem "a" offset 0 : !hw.tile<32x64xf16, 32x64, swizzle 128>
    %u = hw.smem "b" offset 4096 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected a multiple of 64 rows, got 32}}
    %d = hw.wgmma %t, %u n 64 : !hw.tile<32x64xf16, 32x64, swizzle 128>, !hw.tile<64x64xf16, 64x64,
        swizzle 128> -> tensor<32x64xf32>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-error @below {{expected at most 7 pending groups, got 8}}
    hw.wgmma_wait 8
  }
  hw.return
}

// -----

// expected-error @below {{expected rows x columns of storage, got 1 dimensions}}
!bad = !hw.tile<64x64xf16, 4096, swizzle 128>

// -----

// expected-error @below {{expected a tile of rank 1 or 2, got rank 3}}
!bad = !hw.tile<2x64x64xf16, 128x64, swizzle 128>

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    // expected-error @below {{expected one slot without a slot operand, got 2}}
    %t = hw.smem "a" offset 0 {slots = 2 : i64, stride = 8192 : i64} : !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %x = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @below {{expected the same tile in another layout, got 'tensor<64x64xf32>' and 'tensor<64x32xf32>'}}
    %y = hw.convert_layout %x : tensor<64x64xf32> -> tensor<64x32xf32>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %t = hw.smem "a" offset 0 : !hw.tile<64x32xf16, 64x32, swizzle 64>
    // expected-error @below {{expected MxK, KxN and MxN}}
    %d = hw.wgmma %t, %t n 32
        : !hw.tile<64x32xf16, 64x32, swizzle 64>, !hw.tile<64x32xf16, 64x32, swizzle 64> -> tensor<64x32xf32>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %a = hw.smem "a" offset 0 : !hw.tile<64x8xf16, 64x64, swizzle 128>
    %b = hw.smem "b" offset 8192 : !hw.tile<8x64xf16, 8x64, swizzle 128>
    // expected-error @below {{expected a contraction in multiples of 16, got 8}}
    %d = hw.wgmma %a, %b n 64
        : !hw.tile<64x8xf16, 64x64, swizzle 128>, !hw.tile<8x64xf16, 8x64, swizzle 128> -> tensor<64x64xf32>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %t = hw.smem "a" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    %x = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-error @below {{expected an accumulator of type 'tensor<64x64xf32>', got 'tensor<64x64xf16>'}}
    %d = hw.wgmma %t, %t acc (%x : tensor<64x64xf16>) n 64
        : !hw.tile<64x64xf16, 64x64, swizzle 128>, !hw.tile<64x64xf16, 64x64, swizzle 128> -> tensor<64x64xf32>
  }
  hw.return
}

// -----

hw.kernel @k() attributes {threads = 128 : i64, smem_bytes = 65536 : i64} {
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %x = arith.constant dense<0.0> : tensor<64x64xf16>
    // expected-error @below {{expected results of the operands' types}}
    %y = hw.wgmma_wait 0 : %x : tensor<64x64xf16> -> tensor<64x64xf32>
  }
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %bars = hw.mbarriers "full" offset 512 count 1 : !hw.bars<1>
  hw.role @load warpgroup 0 warp 0 regs 24 barrier 0 single {
    %c0 = arith.constant 0 : index
    %row = hw.smem "row" offset 0 : !hw.tile<64xf32, 1x64, swizzle 0>
    // expected-error @below {{expected 2 indices, got 1}}
    hw.row_load %A[%c0] to %row on %bars[%c0] : !tile.view<?x?xf32>, !hw.tile<64xf32, 1x64, swizzle 0>, !hw.bars<1>
  }
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf32>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %bars = hw.mbarriers "full" offset 512 count 1 : !hw.bars<1>
  hw.role @load warpgroup 0 warp 0 regs 24 barrier 0 single {
    %c0 = arith.constant 0 : index
    %row = hw.smem "row" offset 0 : !hw.tile<6xf32, 1x6, swizzle 0>
    // expected-error @below {{expected storage of rank 1 and a multiple of 16 bytes, got}}
    hw.row_load %A[%c0, %c0] to %row on %bars[%c0] : !tile.view<?x?xf32>, !hw.tile<6xf32, 1x6, swizzle 0>, !hw.bars<1>
  }
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  %b = hw.mbarriers "b" offset 0 count 4 : !hw.bars<2>
  hw.role @r warpgroup 0 warp 0 regs 232 barrier 1 {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a kernel with a cluster of at least 2 blocks for what reaches other blocks}}
    hw.arrive %b[%c0] cluster : !hw.bars<2>
  }
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 9216 : i64} {
  hw.role @compute warpgroup 0 warp 0 regs 128 barrier 1 {
    %c0 = arith.constant 0 : index
    %t = hw.smem "t" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected 2 indices, got 1}}
    hw.thread_copy %A[%c0] to %t layout tensor<64x64xf16> : !tile.view<?x?xf16>, !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}

// -----

hw.kernel @k(%A: !tile.view<?x?xf16>) attributes {threads = 128 : i64, smem_bytes = 9216 : i64} {
  hw.role @compute warpgroup 0 warp 0 regs 128 barrier 1 {
    %c0 = arith.constant 0 : index
    %t = hw.smem "t" offset 0 : !hw.tile<64x64xf16, 64x64, swizzle 128>
    // expected-error @below {{expected a layout of the destination's tile, got 'tensor<64x64xf16>'}}
    hw.thread_copy %A[%c0, %c0] to %t layout tensor<64x64xf16>
      : !tile.view<?x?xf16>, !hw.tile<64x64xf16, 64x64, swizzle 128>
  }
  hw.return
}
