//===- ChainOps.td - The tile dialect: kernels that run one after another as one --===//
//
// A chain is a program of several kernels of its module: memory between them, and launches in order. Meaning: the
// launches one after the other, each as its kernel's own sequential meaning. It says nothing that a launcher cannot do
// on the host without knowing what the kernels compute. Verified in lib/Dialect/Tile/ChainOps.cpp.
//
// Every operation has a ```mlir example, which test/Dialect/Tile/examples.test runs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_TILE_CHAINOPS
#define HEDDLE_DIALECT_TILE_CHAINOPS

include "heddle/Dialect/Tile/TileBase.td"

class Tile_ChainPart<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_ChainOp : Tile_ChainPart<"chain", [FunctionOpInterface, IsolatedFromAbove, AutomaticAllocationScope,
                                            DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "kernels that run one after another as one program";
  let description = [{
    Function-like, with the arguments and argument attributes of a `tile.kernel`. The body holds workspaces, launches in
    the order in which they run, and what computes sizes and scalars on the host: `tile.dim`, constants and integer
    `arith` operations. Sizes that a kernel calls by one name have to be one size of the chain: the same name of an
    argument's size, the same number or the same expression of them.
    ```mlir
    tile.kernel @doubled(%x: !tile.view<?xf32> {tile.dims = ["N"]}, %y: !tile.view<?xf32> {tile.dims = ["N"]}) {
      %c128 = arith.constant 128 : index
      %n = tile.dim %x, 0 : !tile.view<?xf32>
      %programs = arith.ceildivui %n, %c128 : index
      tile.grid %programs
      %p = tile.program_id 0
      %i = arith.muli %p, %c128 : index
      %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
      %u = arith.addf %t, %t : tensor<128xf32>
      tile.store %u, %y[%i] : tensor<128xf32>, !tile.view<?xf32>
      tile.return
    }
    tile.chain @quadruple(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                          %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]}) {
      %n = tile.dim %x, 0 : !tile.view<?xf32>
      %twice = tile.workspace "twice" [%n] : !tile.view<?xf32>
      tile.launch @doubled(%x, %twice) : !tile.view<?xf32>, !tile.view<?xf32>
      tile.launch @doubled(%twice, %y) : !tile.view<?xf32>, !tile.view<?xf32>
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

def Tile_WorkspaceOp : Tile_ChainPart<"workspace", [HasParent<"ChainOp">]> {
  let summary = "memory that lasts for one run of a chain";
  let description = [{
    A tensor that the launcher allocates, with rows at multiples of 16 bytes: one size for each `?` of the type. What it
    holds before a launch writes it is undefined (no launch may read it; the simulator fills it with NaN), or zero with
    `zeroed`, at the beginning of every run.
    ```mlir
    tile.kernel @fill(%x: !tile.view<?x64xf32>) {
      %m = tile.dim %x, 0 : !tile.view<?x64xf32>
      tile.grid %m
      %i = tile.program_id 0
      %c0 = arith.constant 0 : index
      %t = arith.constant dense<1.0> : tensor<1x64xf32>
      tile.store %t, %x[%i, %c0] : tensor<1x64xf32>, !tile.view<?x64xf32>
      tile.return
    }
    tile.chain @use(%m: index) {
      %sums = tile.workspace "sums" zeroed [%m] : !tile.view<?x64xf32>
      tile.launch @fill(%sums) : !tile.view<?x64xf32>
      tile.return
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$zeroed, Variadic<Index>:$sizes);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$name (`zeroed` $zeroed^)? `[` $sizes `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_LaunchOp : Tile_ChainPart<"launch", [HasParent<"ChainOp">]> {
  let summary = "runs a kernel of the module, after the launches before it";
  let description = [{
    A `tile.kernel` by name with a value for each of its arguments. Views are arguments and workspaces of the chain, of
    the kernel's element types and ranks; where the kernel states a size, the chain states the same. A view may be given
    twice only where the kernel writes neither. Scalars are scalar arguments of the chain, constants, and of integers
    what the host computes. An example is at `tile.chain`.
    ```mlir
    tile.kernel @nothing_to_do() {
      %one = arith.constant 1 : index
      tile.grid %one
      tile.return
    }
    tile.chain @twice_nothing() {
      tile.launch @nothing_to_do()
      tile.launch @nothing_to_do()
      tile.return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$given);
  let assemblyFormat = "$kernel `(` $given `)` attr-dict (`:` type($given)^)?";
}

#endif // HEDDLE_DIALECT_TILE_CHAINOPS
