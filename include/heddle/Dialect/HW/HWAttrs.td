//===- HWAttrs.td - attributes of the hw dialect: register layouts --------===//
//
// Include after HW_Dialect is defined. The implementation is lib/Dialect/HW/HWLayout.cpp; the algebra is
// heddle/Layout/LinearLayout.h.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_HW_HWATTRS
#define HEDDLE_DIALECT_HW_HWATTRS

include "mlir/IR/AttrTypeBase.td"

def HW_LayoutAttr : AttrDef<HW_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "which element of a tile each register of each thread of a warp group holds";
  let description = [{
    The encoding of register tiles below assign-layouts. A linear map over F2: bit i of the register index, lane and
    warp contributes the i-th entry of its list to the element's coordinates, and contributions are XORed. `d1:8` moves
    by 8 along dimension 1, `0` replicates.

    Example, the accumulator of a 64x16 dot held by 4 warps (PTX ISA, wgmma fragments):
    `#hw.layout<reg [d1:1, d0:8, d1:8] lane [d1:2, d1:4, d0:1, d0:2, d0:4] warp [d0:16, d0:32]>`
  }];
  // One packed basis vector per bit, see LinearLayout::Vector.
  let parameters = (ins ArrayRefParameter<"int64_t">:$reg, ArrayRefParameter<"int64_t">:$lane,
                        ArrayRefParameter<"int64_t">:$warp);
  let hasCustomAssemblyFormat = 1;
}

#endif // HEDDLE_DIALECT_HW_HWATTRS
