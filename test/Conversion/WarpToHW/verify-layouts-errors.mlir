// RUN: heddle-opt --heddle-verify-layouts --split-input-file --verify-diagnostics %s

warp.kernel @missing(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    // expected-error @below {{expected a register layout on every tile, got 'tensor<64xf32>'}}
    %z = arith.constant dense<0.0> : tensor<64xf32>
  }
  warp.return
}

// -----

#l = #hw.layout<reg [d0:1] lane [0, 0, 0, 0, 0] warp [0, 0]>
warp.kernel @illegal(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    // expected-error @below {{illegal layout: expected every element to be held, got rank 1 of 2}}
    %z = arith.constant dense<0.0> : tensor<4xf32, #l>
  }
  warp.return
}

// -----

#l = #hw.layout<reg [d0:1] lane [0, 0, 0, 0, 0] warp [0]>
warp.kernel @warps(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    // expected-error @below {{expected a layout for 4 warps, got one for 2}}
    %z = arith.constant dense<0.0> : tensor<2xf32, #l>
  }
  warp.return
}

// -----

#rows = #hw.layout<reg [d0:1, d0:2] lane [0, 0, 0, 0, 0] warp [0, 0]>
#tile = #hw.layout<reg [d0:1, d0:2, d1:1] lane [0, 0, 0, 0, 0] warp [0, 0]>
#other = #hw.layout<reg [d0:2, d0:1] lane [0, 0, 0, 0, 0] warp [0, 0]>
warp.kernel @operand(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    %z = arith.constant dense<0.0> : tensor<4xf32, #other>
    // expected-error @below {{expected operand 0 in layout reg [d0:1, d0:2] lane [0, 0, 0, 0, 0] warp [0, 0], got reg [d0:2, d0:1] lane [0, 0, 0, 0, 0] warp [0, 0]}}
    %b = tile.broadcast %z axis 1 : tensor<4xf32, #other> -> tensor<4x2xf32, #tile>
  }
  warp.return
}

// -----

#tile = #hw.layout<reg [d0:1, d0:2, d1:1] lane [0, 0, 0, 0, 0] warp [0, 0]>
#other = #hw.layout<reg [d0:2, d0:1] lane [0, 0, 0, 0, 0] warp [0, 0]>
warp.kernel @reduce(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @g warps(4) regs(40) {
    %z = arith.constant dense<0.0> : tensor<4x2xf32, #tile>
    // expected-error @below {{expected a result in the slice of the source's layout, got reg [d0:2, d0:1] lane [0, 0, 0, 0, 0] warp [0, 0]}}
    %b = tile.reduce "add" %z axis 1 : tensor<4x2xf32, #tile> -> tensor<4xf32, #other>
  }
  warp.return
}

// -----

#l = #hw.layout<reg [d1:1, d1:2, d1:4, d0:1, d0:2, d0:4] lane [d0:8, d0:16, d0:32, 0, 0] warp [0, 0]>
warp.kernel @dot(%L: !tile.view<?xf32>) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = warp.scratch "a" : !warp.smem<64x16xf16>
  %b = warp.scratch "b" : !warp.smem<16x8xf16>
  warp.group @g warps(4) regs(40) {
    // expected-error @below {{expected a result in the accumulator layout, got reg [d1:1}}
    %d = warp.dot %a, %b : !warp.smem<64x16xf16>, !warp.smem<16x8xf16> -> tensor<64x8xf32, #l>
  }
  warp.return
}

// -----

// expected-error @below {{expected a dimension d0 to d3}}
#l = #hw.layout<reg [d4:1] lane [] warp []>

// -----

// expected-error @below {{expected a coordinate from 1 to 32768, got 0}}
#l = #hw.layout<reg [d0:0] lane [] warp []>

// -----

// expected-error @below {{expected 0 or dDIM:VALUE, got 3}}
#l = #hw.layout<reg [3] lane [] warp []>
