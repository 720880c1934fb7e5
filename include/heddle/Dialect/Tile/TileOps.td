//===- TileOps.td - The tile dialect: one CTA's work, sequentially --------===//
//
// The level a kernel author writes. One kernel = what one CTA computes, as SSA over ranked tensors held "somewhere"; no
// memory space, warp or time is named. Upstream dialects supply scalars, element-wise arithmetic, constants and loops
// (arith, math, scf, tensor.splat); this dialect has only what they lack. Meaning: sequential, in the numeric types
// written; lib/Simulator/Functional executes it as the reference.
//
// Every operation has a ```mlir example, which test/Dialect/Tile/examples.test runs. "// given %x: type" names what the
// example takes from around it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_TILE_TILEOPS
#define HEDDLE_DIALECT_TILE_TILEOPS

include "heddle/Dialect/Tile/TileBase.td"

//===----------------------------------------------------------------------===//
// Kernel and grid
//===----------------------------------------------------------------------===//

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope]> {
  let summary = "one GPU kernel";
  let description = [{
    Function-like. Arguments are views, scalars (`f32`, `i32`, `index`). A view argument may name its sizes with the
    argument attribute `tile.dims = ["M", "K"]`: equal names are equal sizes, and the tools bind sizes by name (`--dims
    M=256,K=64`). The body states its launch grid with one `tile.grid` and ends with `tile.return`. Further argument
    attributes: `tile.name` (default "arg0", "arg1", ...) and, on scalars, `tile.default`. The kernel attribute
    `tile.default_dims = {M = 256}` gives sizes for tools that are told none. Optional attribute `groups = N : i64` asks
    for N compute warp groups (default: rows of the dots / 64, at most 3). With the attribute `cluster = N : i64` each
    program is run by N thread blocks, see `tile.cluster_rank`.

    Example:
    ```mlir
    tile.kernel @copy(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>) {
      %c64 = arith.constant 64 : index
      %m = tile.dim %x, 0 : !tile.view<?x?xf16>
      %gm = arith.ceildivui %m, %c64 : index
      tile.grid %gm
      %pm = tile.program_id 0
      %i = arith.muli %pm, %c64 : index
      %c0 = arith.constant 0 : index
      %t = tile.load %x[%i, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
      tile.store %t, %y[%i, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
      tile.return
    }
    ```
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

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator]> {
  let summary = "ends a kernel";
  let description = [{
    ```mlir
    tile.kernel @nothing() {
      %one = arith.constant 1 : index
      tile.grid %one
      tile.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GridOp : Tile_Op<"grid"> {
  let summary = "the launch grid";
  let description = [{
    One to three sizes, computed on the host from `tile.dim`, scalar arguments and constants by integer `arith` ops.
    `raster = G` visits programs in groups of G along dimension 0 (the fastest inside a group), so that CTAs that run
    together share operands in L2. With a size of zero nothing runs; the hardware's limits are 2^31-1, 65535 and 65535.
    ```mlir
    tile.kernel @rastered(%x: !tile.view<?x?xf16>) {
      %c64 = arith.constant 64 : index
      %m = tile.dim %x, 0 : !tile.view<?x?xf16>
      %n = tile.dim %x, 1 : !tile.view<?x?xf16>
      %gm = arith.ceildivui %m, %c64 : index
      %gn = arith.ceildivui %n, %c64 : index
      tile.grid %gm, %gn {raster = 8 : i64}
      tile.return
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, OptionalAttr<I64Attr>:$raster);
  let assemblyFormat = "$sizes attr-dict";
  let hasVerifier = 1;
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "this CTA's coordinate in the grid";
  let description = [{
    Grid dimension 0, 1 or 2; zero along a dimension that `tile.grid` does not state.
    ```mlir
    %pm = tile.program_id 0
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "the number of programs along a dimension of the grid";
  let description = [{
    The size that `tile.grid` states for grid dimension 0, 1 or 2,
    as the kernel was launched; one along a dimension that
    it does not state. A loop from `tile.program_id 0` in steps of `tile.num_programs 0` shares work among however many
    programs there are.
    ```mlir
    %programs = tile.num_programs 0
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}
def Tile_ClusterRankOp : Tile_Op<"cluster_rank", [Pure]> {
  let summary = "this thread block's number in its cluster";
  let description = [{
    From 0 to N - 1 in a kernel with the attribute `cluster = N : i64`, each of whose programs N thread blocks run
    together: a cluster, whose blocks differ in this number only. Zero without the attribute.
    ```mlir
    %rank = tile.cluster_rank
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_MultiprocessorsOp : Tile_Op<"multiprocessors", [Pure]> {
  let summary = "the number of multiprocessors of the device, for the size of the grid";
  let description = [{
    At least one, and known on the host only:
    the operations that use it compute sizes of `tile.grid`. What a kernel means
    must not depend on it.
    ```mlir
    tile.kernel @one_program_each(%x: !tile.view<?x?xf16>) {
      %m = tile.multiprocessors
      tile.grid %m
      tile.return
    }
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
def Tile_ParamOp : Tile_Op<"param", [Pure]> {
  let summary = "a size that may be chosen without changing what the kernel means";
  let description = [{
    A parameter by name: the value with which the program is written, and those that may be chosen instead (`heddle
    compile --param BM=192`, a plan, `heddle tune`); without a list every positive number may. The program is written
    with its tiles in the parameters' own values. `tile.sizes` on an operation that makes a tile says which parameter
    each dimension follows (a number: none); dimensions that must be equal follow together, so that loads say it and
    the rest of the program need not (`lib/Transforms/Parameters.cpp`). Where the kernel is executed as written, a
    parameter is its own value.
    ```mlir
    // given %A: !tile.view<?x?xf16>, %c0: index
    %bm = tile.param "BM" = 128 in [64, 128, 192]
    %pm = tile.program_id 0
    %m = arith.muli %pm, %bm : index
    %a = tile.load %A[%m, %c0] {tile.sizes = ["BM", 64]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
    ```
  }];
  let arguments = (ins StrAttr:$param, I64Attr:$value, OptionalAttr<DenseI64ArrayAttr>:$choices);
  let results = (outs Index:$result);
  let assemblyFormat = "$param `=` $value (`in` $choices^)? attr-dict";
  let hasVerifier = 1;
}
def Tile_DimOp : Tile_Op<"dim", [Pure]> {
  let summary = "a view's size along one dimension, in elements";
  let description = [{
    ```mlir
    // given %v: !tile.view<?x64xf16>
    %rows = tile.dim %v, 0 : !tile.view<?x64xf16>
    ```
  }];
  let arguments = (ins Tile_View:$view, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `,` $dim attr-dict `:` type($view)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Tile_WindowOp : Tile_Op<"window", [AttrSizedOperandSegments, Pure]> {
  let summary = "a view of memory that begins at an address which the kernel computes";
  let description = [{
    `memory` is an argument, a view of rank 1 whose elements serve as memory; `address` counts bytes from its first
    element. The window has the sizes and, in elements, the strides that are given: one size for each dimension, one
    stride for each but the last. What lies inside of its sizes has to lie inside of the memory. A matrix of a group
    whose place, sizes and pitch stand in tables is such a window; where tables hold addresses of the machine, the
    memory begins at address zero. Windows are read by `tile.load` and `tile.gather` and written by `tile.store`, with
    ordinary loads and stores, but that the copy engine loads from windows whose mark `tile.aligned` promises an address
    and strides of multiples of 16 bytes. Two windows of one memory may share elements.
    ```mlir
    // given %pool: !tile.view<?xf16>, %from: index, %m: index, %k: index, %pitch: index, %i: index, %j: index
    %at = arith.index_cast %from : index to i64
    %A = tile.window %pool at %at sizes [%m, %k] strides [%pitch] : !tile.view<?xf16> -> !tile.view<?x?xf16>
    %t = tile.load %A[%i, %j] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_View:$memory, I64:$address, Variadic<Index>:$sizes, Variadic<Index>:$strides);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{
    $memory `at` $address `sizes` `[` $sizes `]` (`strides` `[` $strides^ `]`)? attr-dict `:` type($memory) `->`
    type($result)
  }];
  let hasVerifier = 1;
}
def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "reads a tile of a view";
  let description = [{
    `%t = tile.load %v[%i0, ..., %in]`: the tile whose corner is at the given element coordinates (one per view
    dimension). The tile's dimensions are the view dimensions listed in `dims` (ascending; default: the last ones); the
    others have extent one and are dropped. Elements outside the view are zero. The view is an argument of the kernel,
    or a window.
    `extent` (one number per tile dimension) limits the tile further: elements from there on are zero.
    ```mlir
    // given %K: !tile.view<?x?x?x64xf16>, %b: index, %s: index, %h: index, %c0: index
    %k = tile.load %K[%b, %s, %h, %c0] {dims = array<i64: 1, 3>} : !tile.view<?x?x?x64xf16> -> tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$indices, OptionalAttr<DenseI64ArrayAttr>:$dims,
                   OptionalAttr<DenseI64ArrayAttr>:$extent);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$view `[` $indices `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// View dimension of each tile dimension, defaults resolved.
    ::llvm::SmallVector<int64_t> getTileDims();
  }];
}

def Tile_GatherOp : Tile_Op<"gather", [MemoryEffects<[MemRead]>]> {
  let summary = "reads rows of a view that a tile of numbers names";
  let description = [{
    Like `tile.load`, but row r of the tile is at the first coordinate plus `rows[r]` along the first of the tile's
    dimensions (an embedding, tokens of an expert, pages). Elements outside the view are zero. Tiles have rank 1 or 2.
    ```mlir
    // given %E: !tile.view<?x?xf16>, %ids: tensor<64xi32>, %c0: index, %j: index
    %t = tile.gather %E[%c0, %j] rows %ids : !tile.view<?x?xf16>, tensor<64xi32> -> tensor<64x128xf16>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$indices, Tile_Tensor:$rows,
                       OptionalAttr<DenseI64ArrayAttr>:$dims);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $view `[` $indices `]` `rows` $rows attr-dict `:` type($view) `,` type($rows) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getTileDims();
  }];
}

def Tile_ElementOp : Tile_Op<"element", [MemoryEffects<[MemRead]>]> {
  let summary = "reads one element of a view as a scalar";
  let description = [{
    `%s = tile.element %v[%i0, ..., %in]`: the element at the given coordinates, zero outside the view: a length, an
    offset, a page of a table. Scalars decide coordinates, bounds and conditions, so every warp group reads the element
    for itself. A `tensor.extract` of a loaded tile means the same.
    ```mlir
    // given %lengths: !tile.view<?xi32>, %b: index
    %length = tile.element %lengths[%b] : !tile.view<?xi32> -> i32
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$indices);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "$view `[` $indices `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "writes a tile to a view; elements outside the view are dropped";
  let description = [{
    Coordinates, `dims` and `extent` as in `tile.load`; elements beyond the extent are dropped. `below` gives one
    coordinate of the view for each dimension of the tile: elements from there on are dropped, so that a kernel decides
    where its rows end (those of a group, of a sequence). With `rows`, a number for each row of a tile of rank 1 or 2,
    row r goes to the first coordinate plus `rows[r]` along the first of the tile's dimensions (tokens of an expert);
    two rows of one place have to be equal, but for sums. `kind = "add"` adds to memory instead (a reduce-store; the
    order of concurrent additions is not defined).
    ```mlir
    // given %t: tensor<128x64xf32>, %r: tensor<128xi32>, %C: !tile.view<?x?xf32>, %i: index, %j: index, %n: index
    tile.store %t, %C[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
    tile.store %t, %C[%i, %j] below [%n, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
    tile.store %t, %C[%i, %j] {kind = "add"} : tensor<128x64xf32>, !tile.view<?x?xf32>
    tile.store %t, %C[%i, %j] rows %r : tensor<128x64xf32>, !tile.view<?x?xf32>, tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Tile_View:$view, Variadic<Index>:$indices, Variadic<Index>:$below,
                       Optional<Tile_Tensor>:$rows, OptionalAttr<DenseI64ArrayAttr>:$dims,
                   DefaultValuedOptionalAttr<StrAttr, "\"set\"">:$kind, OptionalAttr<DenseI64ArrayAttr>:$extent);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` (`below` `[` $below^ `]`)? (`rows` $rows^)? attr-dict `:` type($value) `,`
    type($view) (`,` type($rows)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getTileDims();
    /// True where the kernel decides which elements are stored, beside the view and `extent`.
    bool isBounded() { return !getBelow().empty(); }
  }];
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product and accumulation";
  let description = [{
    `result[m,n] = acc[m,n] + sum over k of a[m,k] * b[k,n]`, products and sums in the accumulator's type.
    ```mlir
    // given %a: tensor<128x64xf16>, %b: tensor<64x256xf16>, %c: tensor<128x256xf32>
    %d = tile.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "exchanges the two dimensions of a rank-2 tile";
  let description = [{
    ```mlir
    // given %b: tensor<256x64xf16>
    %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "folds one dimension away";
  let description = [{
    `kind` is "add", "mul", "max" or "min", of integers also "and", "or" or "xor". The order of the fold is not defined
    (floating-point tolerance); floats of 16 bits are folded in 32 and rounded once. A "max" of floats `towards` a
    number below zero is a "min", and the other way round: times that number it is the "max" of all products with it.
    ```mlir
    // given %s: tensor<128x64xf32>
    %m = tile.reduce "max" %s axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, Tile_Tensor:$source, I64Attr:$axis, Optional<F32>:$direction);
  let results = (outs Tile_Tensor:$result);
  let builders = [OpBuilder<(ins "mlir::Type":$result, "llvm::StringRef":$kind, "mlir::Value":$source,
                                 "uint64_t":$axis), [{
    build($_builder, $_state, result, kind, source, axis, mlir::Value());
  }]>];
  let assemblyFormat = [{
    $kind $source (`towards` $direction^)? `axis` $axis attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "folds every beginning of one dimension";
  let description = [{
    Element i along `axis` is the fold, by a `kind` of `tile.reduce`, of elements 0 to i of the source; with `reverse`,
    of elements i to the last. The order of the fold is not defined (floating-point tolerance).
    ```mlir
    // given %s: tensor<64xf32>
    %sums = tile.scan "add" %s axis 0 : tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, Tile_Tensor:$source, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$kind $source `axis` $axis (`reverse` $reverse^)? attr-dict `:` type($source)";
  let hasVerifier = 1;
}
def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a tile along one new dimension";
  let description = [{
    The result has the source's dimensions with a new one inserted at `axis`.
    ```mlir
    // given %m: tensor<128xf32>
    %r = tile.broadcast %m axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, I64Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "the numbers start, start+1, ... as a rank-1 integer tile";
  let description = [{
    ```mlir
    %columns = tile.iota : tensor<128xi32>
    %odd = tile.iota {start = 1 : i64} : tensor<64xi32>
    ```
  }];
  let arguments = (ins DefaultValuedOptionalAttr<I64Attr, "0">:$start);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Functions from outside
//===----------------------------------------------------------------------===//

def Tile_CallOp : Tile_Op<"call", [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable]> {
  let summary = "a CUDA function of the user's, for each element";
  let description = [{
    Gives each element what `function`, declared in `header`, makes of the elements of the operands at the same place,
    in whatever register layout they lie: all operands have the same. 8- and 16-bit floats and integers are passed and
    returned as float and int. `cost` says what a call takes, as a number of element-wise operations of each class of
    the machine file: `alu`, `alu_half` (comparisons, minima, integers), `cvt`, `exp`, `sfu`.

    The body is what the function means, on scalars: interpreter and simulator execute it, and what the emitted kernel
    computes is compared with it. It is kept, and printed, as a list of operations, `means [...]`, each with its name,
    its operands (numbers: first those of the call, then the operations of the list), its attributes and its type.
    ```mlir
    // given %x: tensor<64x64xf32>
    %y = tile.call "::mine::square" from "square.cuh" cost {alu = 1} (%x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%e: f32):
      %r = arith.mulf %e, %e : f32
      tile.yield %r : f32
    }
    ```
  }];
  let arguments = (ins StrAttr:$function, StrAttr:$header, DictionaryAttr:$cost, Variadic<AnyType>:$arguments,
                       ArrayAttr:$meaning);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $function `from` $header `cost` $cost `(` $arguments `)` attr-dict `:` functional-type($arguments, $result)
    custom<Meaning>($meaning)
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator]> {
  let summary = "what the function of a tile.call means for one element";
  let description = [{
    ```mlir
    // given %x: tensor<64x64xf32>
    %y = tile.call "identity" from "identity.cuh" cost {alu = 1} (%x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%e: f32):
      tile.yield %e : f32
    }
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // HEDDLE_DIALECT_TILE_TILEOPS
