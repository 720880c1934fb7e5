//===- WarpOps.td - The warp dialect: an explicit asynchronous program ----===//
//
// One region per warp group; groups share nothing but arefs (rings of slots in shared memory) and the kernel's
// arguments. Asynchronous operations are split into issue and wait. Lowered from tile by Conversion/TileToWarp with a
// schedule, or written by hand. Register tiles are SSA tensors (tile and arith/math ops act on them), shared-memory
// tiles are !warp.smem handles. Aref semantics: Tawa, Figure 4.
//
// Protocol of slot n % depth of a ring r, for use number n = 0, 1, 2, ... (the operand of every aref op is the use
// number, not the slot):
//   producer group:  acquire r[n] -> copy / write ... -> [fence] -> publish r[n]
//   consumer groups: get r[n] -> reads ... -> consumed r[n]
// acquire waits until every consumer has consumed use n - depth; get waits until use n is published and its copies have
// landed. Of a ring with `turns(t)` each use is got and consumed by one part in t of the consumer groups: those whose
// turn it is. Their gets of use n must come after somebody's get of use n - depth, by other rings: a barrier tells two
// successive uses of a slot apart, not three.
//
// An order (warp.order) makes groups do something one after the other, round by round; it guards no memory.
//
// A field of type `index` holds a number instead of a tile: `put` writes it, `get` reads it and gives the number.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_WARP_WARPOPS
#define HEDDLE_DIALECT_WARP_WARPOPS

include "heddle/Dialect/Tile/TileBase.td"

def Warp_Dialect : Dialect {
  let name = "warp";
  let cppNamespace = "::heddle::warp";
  let summary = "warp groups that communicate through asynchronous references";
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::heddle::tile::TileDialect"];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Warp_Aref : TypeDef<Warp_Dialect, "Aref"> {
  let mnemonic = "aref";
  let summary = "a ring of `depth` slots, each holding one tile or number per payload type (none: a pure ordering "
      "token)";
  let description = [{
    `!warp.aref<4, [tensor<128x64xf16>, tensor<256x64xf16>]>`, `!warp.aref<2, [index]>`, `!warp.aref<1, []>`
  }];
  let parameters = (ins "int64_t":$depth, OptionalArrayRefParameter<"::mlir::Type">:$payload);
  let assemblyFormat = "`<` $depth `,` `[` (`]`) : ($payload^ `]`)? `>`";
  let genVerifyDecl = 1;
}

def Warp_Smem : TypeDef<Warp_Dialect, "Smem"> {
  let mnemonic = "smem";
  let summary = "a rank-1 or rank-2 tile in shared memory, row-major as its copy or write delivered it; views of it "
      "keep the storage";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Warp_Token : TypeDef<Warp_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "names one asynchronous operation of a group, so that a wait can wait for it";
  let description = [{ Loops and branches pass tokens on. The hw level has counts instead (Dialect/Warp/Waits.h). }];
}

def Warp_Order : TypeDef<Warp_Dialect, "Order"> {
  let mnemonic = "order";
  let summary = "a right that `places` groups pass on in a circle";
  let parameters = (ins "int64_t":$places);
  let assemblyFormat = "`<` $places `>`";
  let genVerifyDecl = 1;
}

def Warp_Operand : AnyTypeOf<[Tile_Tensor, Warp_Smem]>;
def Warp_Payload : AnyTypeOf<[Tile_Tensor, Index]>;  ///< what a field is given
def Warp_Received : AnyTypeOf<[Warp_Smem, Index]>;   ///< what a field gives

class Warp_Op<string mnemonic, list<Trait> traits = []> : Op<Warp_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Warp_KernelOp : Warp_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "one warp-specialised kernel";
  let description = [{
    Function-like, same arguments as the tile kernel. Body: the host-computable slice of `tile.grid`, `warp.aref`s,
    `warp.scratch`es, then `warp.group`s, then `warp.return`. Groups compute their own scalars (`tile.program_id`,
    `tile.dim`, arith); they capture arefs, orders, scratches and arguments only.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
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

def Warp_ReturnOp : Warp_Op<"return", [Pure, Terminator]> {
  let summary = "ends a kernel or a group";
  let assemblyFormat = "attr-dict";
}

def Warp_GroupOp : Warp_Op<"group", [NoTerminator, SingleBlock]> {
  let summary = "a warp group: its warps run this region together, concurrently with the other groups";
  let description = [{
    `warps`: 1 (one elected thread issues everything: loads and stores by TMA) or 4 (a warpgroup). `regs`: registers per
    thread after setmaxnreg (multiple of 8, 24 to 256).
    Example: `warp.group @load warps(1) regs(40) { ... }`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$warps, I64Attr:$regs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `warps` `(` $warps `)` `regs` `(` $regs `)` $body attr-dict";
  let hasVerifier = 1;
}

def Warp_ArefOp : Warp_Op<"aref"> {
  let summary = "creates a ring";
  let description = [{
    `turns`: consumer groups take uses in turn, each use one part in `turns` of them.

    `alternatives` divides the fields into parts, by their numbers of fields: a use fills one part and none of the
    others, and the parts lie in the same bytes of a slot. So loops that run one after the other share the slots of
    their tiles.
  }];
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$turns,
                   OptionalAttr<DenseI64ArrayAttr>:$alternatives);
  let results = (outs Warp_Aref:$result);
  let assemblyFormat = "$name (`turns` `(` $turns^ `)`)? attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    /// True where some copy fills the slots of all blocks of the cluster.
    bool isMulticast();
    /// The first field, and the one behind the last, that a use fills which fills `field`.
    std::pair<int64_t, int64_t> filledWith(int64_t field);
  }];
  let hasVerifier = 1;
}

def Warp_ScratchOp : Warp_Op<"scratch"> {
  let summary = "shared memory private to one group (staging of stores and of operands that the group computes)";
  let arguments = (ins StrAttr:$name);
  let results = (outs Warp_Smem:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

def Warp_AcquireOp : Warp_Op<"acquire"> {
  let summary = "producer: waits until slot use % depth is free";
  let arguments = (ins Warp_Aref:$aref, Index:$use);
  let assemblyFormat = "$aref `[` $use `]` attr-dict `:` type($aref)";
}

def Warp_CopyOp : Warp_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "producer: starts an asynchronous copy of a view's tile into one field of the slot";
  let description = [{
    Coordinates and `dims` as in `tile.load`. The copy lands some time later; the use is complete when it is published
    and all its copies landed.

    `multicast`, in a kernel with a cluster of N blocks: block r copies the r-th of N equal parts of the tile's rows
    into this slot of every block, and the use of each block is complete when all parts have landed. Such a ring's slot
    is free when the consumers of all blocks have consumed it.

    With `extent`, of whole rows, the copy engine brings these alone, and the others of the slot may hold anything.
    Threads write zeros there.

    The copy engine copies (TMA), or with `threads` those of the group (cp.async), which must be a warp group: rows that
    a tile of numbers names (`rows`, as of `tile.gather`), or what lies where the copy engine cannot begin. A get of
    what threads copied makes it visible to dots.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$indices, OptionalAttr<DenseI64ArrayAttr>:$dims,
                   Warp_Aref:$aref, Index:$use, I64Attr:$field, UnitAttr:$multicast, Optional<Tile_Tensor>:$rows,
                   OptionalAttr<DenseI64ArrayAttr>:$extent, UnitAttr:$threads);
  let assemblyFormat = "$view `[` $indices `]` (`rows` `(` $rows^ `:` type($rows) `)`)? `to` $aref `[` $use `]` "
      "`field` $field (`multicast` $multicast^)? (`threads` $threads^)? attr-dict `:` type($view) `,` type($aref)";
  let builders = [ /// by the copy engine
    OpBuilder<(ins "::mlir::Value":$view, "::mlir::ValueRange":$indices, "::mlir::DenseI64ArrayAttr":$dims,
                   "::mlir::Value":$aref, "::mlir::Value":$use, "::mlir::IntegerAttr":$field,
                   "::mlir::UnitAttr":$multicast), [{
      build($_builder, $_state, view, indices, dims, aref, use, field, multicast, /*rows=*/::mlir::Value(),
            /*extent=*/::mlir::DenseI64ArrayAttr(), /*threads=*/::mlir::UnitAttr());
    }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{ ::llvm::LogicalResult verifyThreads(::mlir::RankedTensorType tile); }];
}

def Warp_PutOp : Warp_Op<"put"> {
  let summary = "producer: writes a register tile or a number into one field of the slot (ordinary stores; needs "
      "`fence` before `publish` if a dot or copy_out reads it)";
  let arguments = (ins Warp_Payload:$value, Warp_Aref:$aref, Index:$use, I64Attr:$field);
  let assemblyFormat = "$value `to` $aref `[` $use `]` `field` $field attr-dict `:` type($value) `,` type($aref)";
  let hasVerifier = 1;
}

def Warp_PublishOp : Warp_Op<"publish"> {
  let summary = "producer: signals that everything of this use has been issued";
  let arguments = (ins Warp_Aref:$aref, Index:$use);
  let assemblyFormat = "$aref `[` $use `]` attr-dict `:` type($aref)";
}

def Warp_GetOp : Warp_Op<"get"> {
  let summary = "consumer: waits until use is complete, and gives its tiles and numbers";
  let arguments = (ins Warp_Aref:$aref, Index:$use);
  let results = (outs Variadic<Warp_Received>:$tiles);
  let assemblyFormat = "$aref `[` $use `]` attr-dict `:` type($aref) (`->` type($tiles)^)?";
  let hasVerifier = 1;
}

def Warp_ConsumedOp : Warp_Op<"consumed"> {
  let summary = "consumer: this group has finished reading this use; every dot that reads it has been waited for";
  let arguments = (ins Warp_Aref:$aref, Index:$use);
  let assemblyFormat = "$aref `[` $use `]` attr-dict `:` type($aref)";
}

def Warp_NextProgramOp : Warp_Op<"next_program"> {
  let summary = "takes the next program of a persistent kernel from its counter in global memory";
  let description = [{
    The first fetch of all blocks gives `tile.num_programs 0`, each later one the next number, whichever block makes it.
    A kernel has one counter, of which each block takes numbers up to the first that is at least `programs`; it begins
    with the program `tile.program_id 0`. So a launch makes `programs` fetches, and the last one clears the counter.
    Example: `%n = warp.next_program of %programs`
  }];
  let arguments = (ins Index:$programs);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` $programs attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

def Warp_OrderOp : Warp_Op<"order"> {
  let summary = "creates an order: a group at each of its places, which enter and leave round after round";
  let description = [{
    Round n is entered at place 0, 1, ... in turn, and round n + 1 behind it. What stands between `enter` and `leave` of
    two groups is issued in that order; the order guards no memory, so that a program is right without it. Every group
    that uses an order has one place, and as many rounds as the others.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Warp_Order:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def Warp_EnterOp : Warp_Op<"enter"> {
  let summary = "waits until the place before has left this round (place 0: until the last place has left the one "
      "before)";
  let arguments = (ins Warp_Order:$order, Index:$round, I64Attr:$place);
  let assemblyFormat = "$order `[` $round `]` `at` $place attr-dict `:` type($order)";
  let hasVerifier = 1;
}

def Warp_LeaveOp : Warp_Op<"leave"> {
  let summary = "lets the next place enter; behind the `enter` of the same block";
  let arguments = (ins Warp_Order:$order, Index:$round, I64Attr:$place);
  let assemblyFormat = "$order `[` $round `]` `at` $place attr-dict `:` type($order)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared-memory tiles
//===----------------------------------------------------------------------===//

def Warp_SliceOp : Warp_Op<"slice", [Pure]> {
  let summary = "a rectangular part of a shared-memory tile (no data moves)";
  let arguments = (ins Warp_Smem:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Warp_Smem:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_TransposeOp : Warp_Op<"transpose", [Pure]> {
  let summary = "the same storage with its two dimensions exchanged (no data moves)";
  let arguments = (ins Warp_Smem:$source);
  let results = (outs Warp_Smem:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_ReadOp : Warp_Op<"read"> {
  let summary = "reads a shared-memory tile into registers (synchronous)";
  let arguments = (ins Warp_Smem:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_WriteOp : Warp_Op<"write"> {
  let summary = "writes a register tile to a scratch tile with ordinary stores (generic proxy)";
  let arguments = (ins Tile_Tensor:$value, Warp_Smem:$dest);
  let assemblyFormat = "$value `,` $dest attr-dict `:` type($value) `,` type($dest)";
  let hasVerifier = 1;
}

def Warp_LoadedOp : Warp_Op<"loaded", [Pure]> {
  let summary = "the shared memory that the copy engine brings a loaded tile to (before scheduling; TileToWarp gets it "
      "from a ring)";
  let description = [{
    Stands for nothing that a group issues: the load is the instruction. No warp program contains it.
    Example: `%s = warp.loaded %a : tensor<128x64xf16> -> !warp.smem<128x64xf16>`, where `%a` is a `tile.load`
  }];
  let arguments = (ins Tile_Tensor:$tile);
  let results = (outs Warp_Smem:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_StageOp : Warp_Op<"stage"> {
  let summary = "a register tile put into shared memory for dots, or for another group (before scheduling; TileToWarp "
      "makes a ring of it)";
  let description = [{
    One instruction of the problem: its cost is the write, its footprint the tile. TileToWarp turns it into acquire,
    put, fence, publish and get of a ring. That ring is filled and emptied by one group if its own dots read the tile,
    and leads to the reading group otherwise. No warp program contains it.

    Of a load or gather that is marked `heddle.copied_by_threads`, and that nothing else reads, it is the copy itself:
    asynchronous, without registers. TileToWarp makes a `warp.copy` by threads of both.
  }];
  let arguments = (ins Tile_Tensor:$value);
  let results = (outs Warp_Smem:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_FenceOp : Warp_Op<"fence"> {
  let summary = "makes this group's ordinary shared-memory writes visible to the asynchronous proxy (dots, copies); "
      "each thread its own writes";
  let description = [{ `global`: its writes to global memory instead, before the copy engine reads or writes the same
    place. }];
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

def Warp_BarrierOp : Warp_Op<"barrier"> {
  let summary = "all threads of this group meet (orders their reads and writes of scratch)";
  let description = [{ `global`: needed for their accesses to global memory, whatever they do to scratch. `groups`: all
    threads of all groups of four warps or more meet, each at the barrier of its own region that has the same number;
    what a group did before it, in shared and in global memory, all groups know behind it. }];
  let arguments = (ins UnitAttr:$global, UnitAttr:$groups);
  let assemblyFormat = "(`global` $global^)? (`groups` $groups^)? attr-dict";
}

def Warp_CopyOutOp : Warp_Op<"copy_out"> {
  let summary = "starts an asynchronous copy (TMA) of a scratch tile to a view; joins the group's newest uncommitted "
      "copy-out batch of one op";
  let description = [{ Elements outside the view are dropped. `kind = "add"`: reduction in memory. Needs `fence` then
    `barrier` after the writes. }];
  let arguments = (ins Warp_Smem:$source, Tile_View:$view, Variadic<Index>:$indices,
                       OptionalAttr<DenseI64ArrayAttr>:$dims,
                   DefaultValuedOptionalAttr<StrAttr, "\"set\"">:$kind);
  let assemblyFormat = "$source `to` $view `[` $indices `]` attr-dict `:` type($source) `,` type($view)";
  let hasVerifier = 1;
}

def Warp_CopyOutWaitOp : Warp_Op<"copy_out_wait"> {
  let summary = "waits until at most `pending` of this group's copy_outs still read their scratch; follow with "
      "`barrier` before other threads rewrite it";
  let description = [{ `complete`: at most `pending` of them are still on their way to global memory. }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$complete);
  let assemblyFormat = "$pending (`complete` $complete^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Tensor core
//===----------------------------------------------------------------------===//

def Warp_DotOp : Warp_Op<"dot"> {
  let summary = "starts an asynchronous matrix product (wgmma): result = [acc +] a * b";
  let description = [{
    One commit group per op. `a`: a shared-memory or register tile (M a multiple of 64), `b`: a shared-memory tile;
    absent `acc` means zero. The result, `acc`'s storage, `a`'s registers and the shared memory read must not be touched
    until a `dot_wait` retires it; only chaining it as `acc` of the next dot is allowed before. The token is for waits
    that do not read the result.
    Example: `%r, %t = warp.dot %a, %b : !warp.smem<64x64xf16>, <64x64xf16> -> tensor<64x64xf32>, !warp.token`
  }];
  let arguments = (ins Warp_Operand:$a, Warp_Smem:$b, Optional<Tile_Tensor>:$acc);
  let results = (outs Tile_Tensor:$result, Optional<Warp_Token>:$token);
  let assemblyFormat = "$a `,` $b (`acc` `(` $acc^ `:` type($acc) `)`)? attr-dict `:` type($a) `,` type($b) `->` "
      "type($result) (`,` type($token)^)?";
  let hasVerifier = 1;
}

def Warp_DotWaitOp : Warp_Op<"dot_wait", [AttrSizedOperandSegments]> {
  let summary = "waits for the dots that it names; the results are the tiles among them, now readable";
  let description = [{
    It names dots by their tokens and by the tiles that they make, and retires these dots and all that this group issued
    before. Or it has a count: it waits until at most `pending` of the group's dots are in flight.
    Examples: `warp.dot_wait for %t`, `%r = warp.dot_wait : %d : tensor<64x64xf32> -> tensor<64x64xf32>`,
    `warp.dot_wait 1`
  }];
  let arguments = (ins Variadic<Warp_Token>:$tokens, Variadic<Tile_Tensor>:$values, OptionalAttr<I64Attr>:$pending);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = "($pending^)? (`for` $tokens^)? (`:` $values^ `:` type($values) `->` type($results))? attr-dict";
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$values, "int64_t":$pending)>, ///< by a count
    OpBuilder<(ins "::mlir::ValueRange":$values)> ///< for the dots that make `values`, and tokens to come
  ];
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECT_WARP_WARPOPS
