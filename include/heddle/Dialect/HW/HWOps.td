//===- HWOps.td - The hw dialect: one op per device-library call ----------===//
//
// The last level before CUDA text: no decision is left. Rings are gone; there are mbarrier arrays with counts, shared
// memory at byte offsets with a swizzle, tensor maps with boxes, wgmma groups and waits with counts. Register tiles
// stay SSA tensors whose encoding is their layout; element-wise work on them and scalar arithmetic stay upstream ops.
// lib/Conversion/WarpToHW makes it from warp; lib/Target/CUDA prints it by a walk. lib/Conversion/WarpToHW/Verify
// checks what one op cannot: offsets, barrier counts, no warp op left.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_HW_HWOPS
#define HEDDLE_DIALECT_HW_HWOPS

include "heddle/Dialect/Tile/TileBase.td"

def HW_Dialect : Dialect {
  let name = "hw";
  let cppNamespace = "::heddle::hw";
  let summary = "Hopper, one op per device-library call";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::heddle::tile::TileDialect"];
}

include "heddle/Dialect/HW/HWAttrs.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def HW_Tile : TypeDef<HW_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "a rank-2 view of storage in shared memory; the value is the storage's address";
  let description = [{
    `!hw.tile<64x64xf16, 128x64, swizzle 128, at [64, 0]>`: the tile's shape and type, the storage's rows x columns, its
    swizzle in bytes, the tile's corner in the storage; `transposed`: the tile's dimensions are the storage's exchanged
    (the corner stays in storage coordinates). Storage with swizzle W: [column chunk of W bytes][row][W bytes], 16-byte
    units permuted by hd::swizzle<W>. Swizzle 0: row-major. A rank-1 tile has one row.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$rows,
                        "int64_t":$cols,
                    "int64_t":$swizzle, "int64_t":$rowOffset, "int64_t":$colOffset, "bool":$transposed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getElementBytes() const;
    /// Bytes of the whole storage.
    int64_t getStorageBytes() const;
    /// Columns per chunk (all columns without swizzle).
    int64_t getChunkCols() const;
    /// Byte offset of storage element (row, col) before swizzling.
    int64_t getByteOffset(int64_t row, int64_t col) const;
  }];
}

def HW_Bars : TypeDef<HW_Dialect, "Bars"> {
  let mnemonic = "bars";
  let summary = "an array of mbarriers with one arrival count";
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
}

def HW_Map : TypeDef<HW_Dialect, "Map"> {
  let mnemonic = "map";
  let summary = "a tensor map (CUtensorMap), a kernel parameter";
}

def HW_Operand : AnyTypeOf<[Tile_Tensor, HW_Tile]>;

class HW_Op<string mnemonic, list<Trait> traits = []> : Op<HW_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def HW_KernelOp : HW_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "one kernel as it is launched";
  let description = [{
    `threads` per CTA and bytes of dynamic shared memory; the attribute `cluster` as of `tile.kernel`. Body: the
    host-computable slice of `tile.grid`, `hw.tensor_map`, `hw.mbarriers`, `hw.role`s, `hw.return`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, I64Attr:$threads,
                       I64Attr:$smem_bytes,
                   OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def HW_ReturnOp : HW_Op<"return", [Pure, Terminator]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

def HW_RoleOp : HW_Op<"role", [NoTerminator, SingleBlock]> {
  let summary = "what one warp group does (or, with `single`, one elected thread of one warp of it)";
  let description = [{
    `regs`: registers per thread of the whole warp group (setmaxnreg), equal for roles of one warp group. `barrier`:
    named barrier of the group. `scratch`: byte offset of the role's scratch for exchanges between its warps
    (reductions, layout conversions). `warps`: of the role; with more than four it has the warp groups from `warpgroup`
    on.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$warpgroup, I64Attr:$warp, I64Attr:$regs, I64Attr:$barrier,
                       UnitAttr:$single,
                   DefaultValuedAttr<I64Attr, "0">:$scratch, DefaultValuedAttr<I64Attr, "4">:$warps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `warpgroup` $warpgroup `warp` $warp `regs` $regs `barrier` $barrier (`single` $single^)? (`scratch`
    $scratch^)? (`warps` $warps^)? $body attr-dict
  }];
}

def HW_TensorMapOp : HW_Op<"tensor_map"> {
  let summary = "declares a tensor map of a view";
  let description = [{
    `box`: elements per dimension of the map, innermost first. The map's dimensions are the view's, innermost first;
    `split = S` (S > 0) replaces the view's innermost dimension by two, of sizes S and size / S (stride S elements), the
    second one outermost, so that a box of several chunks lands as [chunk][row][S].
  }];
  let arguments = (ins StrAttr:$name, Tile_View:$view, DenseI64ArrayAttr:$box, I64Attr:$swizzle,
                       DefaultValuedAttr<I64Attr, "0">:$split);
  let results = (outs HW_Map:$result);
  let assemblyFormat = "$name $view `box` $box `swizzle` $swizzle (`split` $split^)? attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def HW_MBarriersOp : HW_Op<"mbarriers"> {
  let summary = "mbarriers at a byte offset of shared memory, each initialised with `count` arrivals";
  let description = [{ `turns`: the roles that arrive do so in turn, one part in `turns` of them in a phase. }];
  let arguments = (ins StrAttr:$name, I64Attr:$offset, I64Attr:$count,
                   DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$turns);
  let results = (outs HW_Bars:$result);
  let assemblyFormat = "$name `offset` $offset `count` $count (`turns` $turns^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory and barriers
//===----------------------------------------------------------------------===//

def HW_SmemOp : HW_Op<"smem", [Pure]> {
  let summary = "address of shared-memory storage: `offset` + slot * `stride` bytes";
  let description = [{
    `slots` storages lie `stride` bytes apart; `slot` (default 0) says which one. Storages whose `shared` is equal may
    overlap: the alternatives of one ring.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$offset, Optional<Index>:$slot, DefaultValuedAttr<I64Attr, "0">:$stride,
                   DefaultValuedAttr<I64Attr, "1">:$slots, OptionalAttr<StrAttr>:$shared);
  let results = (outs HW_Tile:$result);
  let assemblyFormat = "$name `offset` $offset (`slot` $slot^ `of` $slots `stride` $stride)? attr-dict `:` "
      "type($result)";
  let hasVerifier = 1;
}

def HW_ViewOp : HW_Op<"view", [Pure]> {
  let summary = "the same storage seen as another tile (slice, transpose)";
  let arguments = (ins HW_Tile:$source);
  let results = (outs HW_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def HW_WaitOp : HW_Op<"wait"> {
  let summary = "waits until the barrier's phase of this parity has completed (hd::mbarrierWait)";
  let arguments = (ins HW_Bars:$bars, Index:$slot, Index:$parity);
  let assemblyFormat = "$bars `[` $slot `]` `parity` $parity attr-dict `:` type($bars)";
}

def HW_AdvanceOp : HW_Op<"advance", [Pure]> {
  let summary = "slot and parity after these in a ring of `depth` slots (hd::advance)";
  let description = [{
    Last in a loop that carries both: they change in place. Made of divisions when the text is prepared
    (lib/Target/CUDA/Prepare/RingState.cpp).
  }];
  let arguments = (ins Index:$slot, Index:$parity, I64Attr:$depth);
  let results = (outs Index:$nextSlot, Index:$nextParity);
  let assemblyFormat = "$slot `parity` $parity `of` $depth attr-dict";
}

def HW_ArriveOp : HW_Op<"arrive"> {
  let summary = "one arrival per warp of the role (`single` roles: one)";
  let description = [{
    `sync`: after the warp's lanes meet, so that ordinary accesses of all of them come first. `cluster`: on the barrier
    of every block of the cluster. `copied`: one arrival per thread instead, once its copies so far have landed
    (hd::copiesArrive).
  }];
  let arguments = (ins HW_Bars:$bars, Index:$slot, UnitAttr:$sync, UnitAttr:$cluster, UnitAttr:$copied);
  let assemblyFormat = "$bars `[` $slot `]` (`sync` $sync^)? (`cluster` $cluster^)? (`copied` $copied^)? attr-dict `:` "
      "type($bars)";
}

def HW_ExpectTxOp : HW_Op<"expect_tx"> {
  let summary = "one thread arrives and raises the phase's expected bytes";
  let arguments = (ins HW_Bars:$bars, Index:$slot, I64Attr:$bytes);
  let assemblyFormat = "$bars `[` $slot `]` `bytes` $bytes attr-dict `:` type($bars)";
}

def HW_TmaLoadOp : HW_Op<"tma_load"> {
  let summary = "one thread starts a TMA load of the map's box into storage + `byte_offset`; its bytes complete on "
      "the barrier";
  let description = [{
    `multicast B`: into the storage of every block of the cluster, on the barrier of each; the box of block r lies r * B
    bytes further.
    `rows`: of the storage, the first ones that loads bring. Nobody keeps what others hold.
  }];
  let arguments = (ins HW_Map:$map, Variadic<Index>:$coords, HW_Tile:$dest, I64Attr:$byte_offset, HW_Bars:$bars,
                       Index:$slot, OptionalAttr<I64Attr>:$multicast, OptionalAttr<I64Attr>:$rows);
  let assemblyFormat = [{
    $map `[` $coords `]` `to` $dest `+` $byte_offset `on` $bars `[` $slot `]` (`multicast` $multicast^)?
    (`rows` $rows^)? attr-dict
    `:` type($dest) `,` type($bars)
  }];
}

def HW_RowLoadOp : HW_Op<"row_load"> {
  let summary = "one thread brings a row of a view into storage and arrives on the barrier once";
  let description = [{
    The row lies along the view's innermost dimension. As a bulk copy, whose bytes complete on the barrier, where it is
    inside the view and at a multiple of 16 bytes; else by ordinary loads and stores before the arrival, with zeros for
    what is outside.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$indices, HW_Tile:$dest, HW_Bars:$bars, Index:$slot);
  let assemblyFormat = [{
    $view `[` $indices `]` `to` $dest `on` $bars `[` $slot `]` attr-dict
    `:` type($view) `,` type($dest) `,` type($bars)
  }];
  let hasVerifier = 1;
}

def HW_ThreadCopyOp : HW_Op<"thread_copy", [AttrSizedOperandSegments]> {
  let summary = "the role's threads start copies of 16 bytes each of a view's tile into storage (hd::copyAsync)";
  let description = [{
    Which thread copies what `layout` says, a tile type with a register layout; `rows`, `dims` and `extent` as of
    `tile.gather` and `tile.load`. Where 16 bytes are not aligned or some of them outside, by ordinary loads and stores
    and a proxy fence. `hw.arrive` with `copied` follows.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$indices, OptionalAttr<DenseI64ArrayAttr>:$dims,
                   Optional<Tile_Tensor>:$rows, OptionalAttr<DenseI64ArrayAttr>:$extent, HW_Tile:$dest,
                   TypeAttrOf<Tile_Tensor>:$layout);
  let assemblyFormat = [{
    $view `[` $indices `]` (`rows` `(` $rows^ `:` type($rows) `)`)? `to` $dest `layout` $layout attr-dict
    `:` type($view) `,` type($dest)
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTile() { return ::llvm::cast<::mlir::RankedTensorType>(getLayout()); }
  }];
  let hasVerifier = 1;
}

def HW_TmaStoreOp : HW_Op<"tma_store"> {
  let summary = "the group's elected thread starts a TMA store (`add`: reduction) of a box from storage + "
      "`byte_offset`";
  let arguments = (ins HW_Tile:$source, I64Attr:$byte_offset, HW_Map:$map, Variadic<Index>:$coords, UnitAttr:$add);
  let assemblyFormat = "$source `+` $byte_offset `to` $map `[` $coords `]` (`add` $add^)? attr-dict `:` type($source)";
}

def HW_TmaCommitOp : HW_Op<"tma_commit"> {
  let summary = "the elected thread closes a bulk group of stores";
  let assemblyFormat = "attr-dict";
}

def HW_TmaWaitOp : HW_Op<"tma_wait"> {
  let summary = "the elected thread waits until at most `pending` of its bulk groups still read shared memory";
  let description = [{ `complete`: until at most `pending` of them are still on their way to global memory. }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$complete);
  let assemblyFormat = "$pending (`complete` $complete^)? attr-dict";
}

def HW_FenceProxyOp : HW_Op<"fence_proxy"> {
  let summary = "fence.proxy.async: this thread's shared-memory writes become visible to wgmma and TMA";
  let description = [{ `global`: its accesses to global memory are ordered before later ones of TMA. }];
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

def HW_BarrierOp : HW_Op<"barrier"> {
  let summary = "all threads of the role meet at its named barrier";
  let description = [{ `roles`: those of all roles that have one, at a barrier of their own. }];
  let arguments = (ins UnitAttr:$roles);
  let assemblyFormat = "(`roles` $roles^)? attr-dict";
}

def HW_ReadOp : HW_Op<"read"> {
  let summary = "shared-memory tile to registers (ordinary loads)";
  let arguments = (ins HW_Tile:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def HW_WriteOp : HW_Op<"write"> {
  let summary = "registers to a shared-memory tile (ordinary stores)";
  let arguments = (ins Tile_Tensor:$value, HW_Tile:$dest);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($value) `,` type($dest)";
}

def HW_PutNumberOp : HW_Op<"put_number"> {
  let summary = "one thread of a warp writes a number of 32 bits into storage (hd::stShared)";
  let arguments = (ins Index:$value, HW_Tile:$dest);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($dest)";
}

def HW_NumberOp : HW_Op<"number"> {
  let summary = "every thread reads the number in storage (hd::ldShared)";
  let arguments = (ins HW_Tile:$source);
  let results = (outs Index:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def HW_NextProgramOp : HW_Op<"next_program"> {
  let summary = "one thread takes the next number from the kernel's counter (hd::nextProgram), as warp.next_program";
  let arguments = (ins Index:$programs);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` $programs attr-dict";
}

def HW_ConvertLayoutOp : HW_Op<"convert_layout", [Pure]> {
  let summary = "the same tile in another register layout";
  let description = [{ `cost` (set by assign-layouts) is its class: "identity", "registers", "shuffle", "exchange" or
    "shared". }];
  let arguments = (ins Tile_Tensor:$source, OptionalAttr<StrAttr>:$cost);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor core
//===----------------------------------------------------------------------===//

def HW_WgmmaFenceOp : HW_Op<"wgmma_fence"> {
  let summary = "orders earlier writes of the registers (pinned here) before the wgmmas that follow";
  let arguments = (ins Variadic<Tile_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def HW_WgmmaOp : HW_Op<"wgmma"> {
  let summary = "the k-steps of one matrix product: result = [acc +] a * b, asynchronous, m64 x n x (32 bytes of k)";
  let description = [{
    `n`: instruction width (divides the tile's). `a`: shared memory or registers. Result and acc share registers. A `b`
    tile of shape KxN that is `transposed` is K-major, otherwise MN-major; `a` the other way round.
  }];
  let arguments = (ins HW_Operand:$a, HW_Tile:$b, Optional<Tile_Tensor>:$acc, I64Attr:$n);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b (`acc` `(` $acc^ `:` type($acc) `)`)? `n` $n attr-dict `:` type($a) `,` type($b) "
      "`->` type($result)";
  let hasVerifier = 1;
}

def HW_WgmmaCommitOp : HW_Op<"wgmma_commit"> {
  let summary = "closes a group of wgmmas";
  let assemblyFormat = "attr-dict";
}

def HW_WgmmaWaitOp : HW_Op<"wgmma_wait"> {
  let summary = "waits until at most `pending` groups run; the results are the operands, now readable (same registers)";
  let description = [{ `retired`: an earlier wait has retired them on every path; no instruction is printed. }];
  let arguments = (ins Variadic<Tile_Tensor>:$values, I64Attr:$pending, UnitAttr:$retired);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = "$pending (`retired` $retired^)? (`:` $values^ `:` type($values) `->` type($results))? "
      "attr-dict";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECT_HW_HWOPS
