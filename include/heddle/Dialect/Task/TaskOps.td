//===- TaskOps.td - The task dialect: what is computed, and how it divides -===//
//
// A logical program: tasks on tensors, each with one or more variants that mean the same. An inner variant divides
// tensors and launches tasks on the parts; a leaf computes on tiles, with the operations of the tile dialect. Nothing
// here says where a task runs or where a tensor lies: a mapping says that, in a file of its own, and cannot change what
// the program means.
//
// Meaning: sequential. Tensors are mutable; a launch changes what its privileges name. A task means what its first leaf
// means; without a leaf, what its first inner variant means that launches only tasks whose meaning is known so.
// lib/Simulator/Task executes exactly that.
//
// Programs are written without types: what a task's signature says about its tensors, Program.h finds for every value.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_TASK_TASKOPS
#define HEDDLE_DIALECT_TASK_TASKOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::heddle::task";
  let summary = "logical programs: tasks on tensors";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::heddle::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Task_Tensor : TypeDef<Task_Dialect, "TaskTensor"> {
  let mnemonic = "tensor";
  let summary = "a tensor, or a part of one: launches read and change it";
}

def Task_Partition : TypeDef<Task_Dialect, "Partition"> {
  let mnemonic = "partition";
  let summary = "the pieces into which a tensor is divided";
}

def Task_Privilege : I32EnumAttr<"Privilege", "what a task may do with a tensor", [
    I32EnumAttrCase<"Read", 1, "read">, I32EnumAttrCase<"Write", 2, "write">,
    I32EnumAttrCase<"ReadWrite", 3, "read_write">, I32EnumAttrCase<"Reduce", 4, "reduce">]> {
  let cppNamespace = "::heddle::task";
}

def Task_Parameter : AttrDef<Task_Dialect, "Parameter"> {
  let mnemonic = "parameter";
  let summary = "a parameter of a task: a tensor with its privilege, or a scalar";
  let description = [{
    A tensor has a name or a number for each of its dimensions (equal names are equal sizes); a scalar may have a
    default value, which the tools use for a program's entry. Written in a task's signature: `A: read f16[M, K]`,
    `scale: f32 = 0.125`.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::Type":$type, OptionalParameter<"::mlir::ArrayAttr">:$dims,
                        DefaultValuedParameter<"Privilege", "Privilege::Read">:$privilege,
                        OptionalParameter<"::mlir::Attribute">:$byDefault);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isTensor() const { return static_cast<bool>(getDims()); }
    int64_t getRank() const { return getDims() ? getDims().size() : 0; }
    bool isRead() const { return getPrivilege() == Privilege::Read || getPrivilege() == Privilege::ReadWrite; }
    /// Changed in any way.
    bool isWritten() const { return getPrivilege() != Privilege::Read; }
    /// What stands in a signature.
    static ::mlir::FailureOr<ParameterAttr> parseSignature(::mlir::AsmParser &parser);
    void printSignature(::mlir::AsmPrinter &printer) const;
  }];
}

//===----------------------------------------------------------------------===//
// Tasks and variants
//===----------------------------------------------------------------------===//

class Task_Op<string mnemonic, list<Trait> traits = []> : Op<Task_Dialect, mnemonic, traits>;

def Task_TaskOp : Task_Op<"task", [Symbol, HasParent<"::mlir::ModuleOp">,
                                   DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a task: its signature, which all its variants have";
  let description = [{
    Privileges: `read`; `write` (every element is written, what was there is not read); `read_write`; `reduce` (what the
    task gives is added). The task that no other task launches is the program's entry; `tile.default_dims` gives sizes
    for tools that are told none.
    ```mlir
    task.task @scale(y: write f32[M, N], x: read f16[M, N], factor: f32 = 2.0)
        attributes {tile.default_dims = {M = 64 : i64, N = 64 : i64}}
    task.variant @scale_tile of @scale leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf16>, %factor: f32) {
      %wide = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
      %factors = tensor.splat %factor : tensor<64x64xf32>
      %r = arith.mulf %wide, %factors : tensor<64x64xf32>
      task.return %r : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypedArrayAttrBase<Task_Parameter, "parameters">:$parameters);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ParameterAttr getParameter(unsigned i) { return ::llvm::cast<ParameterAttr>(getParameters()[i]); }
    unsigned getNumParameters() { return getParameters().size(); }
  }];
}

def Task_VariantOp : Task_Op<"variant", [Symbol, HasParent<"::mlir::ModuleOp">, IsolatedFromAbove,
                                         SingleBlockImplicitTerminator<"ReturnOp">,
                                         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one way to do a task";
  let description = [{
    `inner`: computes indices, divides tensors and launches tasks; its tensors are `!task.tensor`. `leaf`: computes on
    the values of whole tensors and returns the new values of those that the task writes, in the signature's order (for
    `reduce`, what is added). A leaf is written for one size of each named dimension and follows others, as tiles follow
    `tile.param`; a dimension that the signature gives as a number is fixed.
    ```mlir
    task.task @clear(x: write f32[M, N]) attributes {tile.default_dims = {M = 64 : i64, N = 64 : i64}}
    task.variant @clear_rows of @clear inner (%x) {
      %rows = task.tunable "ROWS" = 16
      %parts = task.blocks %x [%rows, full]
      %n = task.count %parts, 0
      task.prange (%i) to (%n) {
        %part = task.piece %parts[%i, 0]
        task.launch @clear(%part)
      }
    }
    task.variant @clear_tile of @clear leaf (%x: tensor<64x64xf32>) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      task.return %zero : tensor<64x64xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$task, UnitAttr:$leaf);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isLeaf() { return getLeaf(); }
  }];
}

def Task_ReturnOp : Task_Op<"return", [Pure, Terminator]> {
  let summary = "ends a leaf, with the new values of what it writes; implicit elsewhere";
  let description = [{
    ```mlir
    task.task @one(x: write f32[M])
    task.variant @one_tile of @one leaf (%x: tensor<64xf32>) {
      %r = arith.constant dense<1.0> : tensor<64xf32>
      task.return %r : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* nothing to return */ }]>];
}

def Task_TunableOp : Task_Op<"tunable", [Pure]> {
  let summary = "a number that a mapping may choose";
  let description = [{
    The value that is taken where nobody chooses, and those that may be chosen instead; without a list every positive
    number may. Names are distinct in a variant.
    ```mlir
    %u = task.tunable "U" = 128 in [64, 128, 192]
    ```
  }];
  let arguments = (ins StrAttr:$tunable, I64Attr:$value, OptionalAttr<DenseI64ArrayAttr>:$choices);
  let results = (outs Index:$result);
  let assemblyFormat = "$tunable `=` $value (`in` $choices^)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensors and partitions
//===----------------------------------------------------------------------===//

def Task_DimOp : Task_Op<"dim", [Pure]> {
  let summary = "the size of a tensor along one dimension";
  let description = [{
    ```mlir
    // given %x: !task.tensor
    %rows = task.dim %x, 0
    ```
  }];
  let arguments = (ins Task_Tensor:$tensor, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor `,` $dim attr-dict";
}

def Task_MakeTensorOp : Task_Op<"make_tensor"> {
  let summary = "a temporary tensor, whose contents are undefined until a launch writes them";
  let description = [{
    ```mlir
    // given %m: index
    %acc = task.make_tensor [%m, 128] : f32
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes, TypeAttr:$elementType);
  let results = (outs Task_Tensor:$result);
  let assemblyFormat = "custom<DynamicIndexList>($sizes, $static_sizes) `:` $elementType attr-dict";
  let hasVerifier = 1;
}

def Task_BlocksOp : Task_Op<"blocks", [Pure]> {
  let summary = "divides a tensor into blocks of one size";
  let description = [{
    A size for each dimension; `full` is the dimension's own. Every piece has the size of a block: where blocks do not
    divide a dimension, elements of the last that lie outside the tensor read as zero, and what is written there is
    dropped. A dimension whose size is the literal 1 is taken out of the pieces (a batch, a head).
    ```mlir
    // given %a: !task.tensor, %u: index
    %parts = task.blocks %a [%u, full]
    ```
  }];
  let arguments = (ins Task_Tensor:$tensor, Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes);
  let results = (outs Task_Partition:$result);
  let assemblyFormat = "$tensor custom<BlockSizes>($sizes, $static_sizes) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// In `static_sizes`: the dimension's own size. A size that an operand gives is ShapedType::kDynamic there.
    static constexpr int64_t full = 0;
    /// Do pieces lack this dimension?
    bool isDropped(unsigned dim) { return getStaticSizes()[dim] == 1; }
    /// The tensor's dimension that is dimension `dim` of a piece; pieces have `dim`.
    unsigned sourceDim(unsigned dim);
    unsigned pieceRank();
  }];
}

def Task_MmaOp : Task_Op<"mma", [Pure]> {
  let summary = "divides an operand of a matrix product as the tensor core's instruction does";
  let description = [{
    Names what each dimension of the tensor is in the product D[m, n] += A[m, k] * B[k, n], and gives the number of
    pieces: 4, those of the warps of a warp group, or 32, those of the threads of a warp (PTX ISA, fragments of wgmma).
    Rows: of every 64, warp w has 16 from 16 w; of every 16, thread t has t / 4 and t / 4 + 8. Columns: every warp has
    all; of every 8, thread t has 2 (t mod 4) and the next. Along k everyone has all. Pieces are taken by one index.
    ```mlir
    // given %c: !task.tensor, %b: !task.tensor
    %rows = task.mma %c [m, n] into 4
    %same = task.mma %b [n, k] into 4
    ```
  }];
  let arguments = (ins Task_Tensor:$tensor, ArrayAttr:$roles, Variadic<Index>:$pieces,
                       DenseI64ArrayAttr:$static_pieces);
  let results = (outs Task_Partition:$result);
  let assemblyFormat = "$tensor custom<Roles>($roles) `into` custom<Number>($pieces, $static_pieces) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool hasRole(::llvm::StringRef role);
  }];
}

def Task_PieceOp : Task_Op<"piece", [Pure]> {
  let summary = "a piece of a partition, as a tensor that begins at zero";
  let description = [{
    One index for each dimension that blocks divide, one for `task.mma`.
    ```mlir
    // given %parts: !task.partition, %i: index
    %part = task.piece %parts[%i, 0]
    ```
  }];
  let arguments = (ins Task_Partition:$partition, Variadic<Index>:$indices, DenseI64ArrayAttr:$static_indices);
  let results = (outs Task_Tensor:$result);
  let assemblyFormat = "$partition custom<DynamicIndexList>($indices, $static_indices) attr-dict";
  let hasVerifier = 1;
}

def Task_CountOp : Task_Op<"count", [Pure]> {
  let summary = "the number of pieces along one dimension of a partition";
  let description = [{
    Of blocks: the dimension's size over the block's, rounded up. Of `task.mma`: the number of pieces.
    ```mlir
    // given %parts: !task.partition
    %n = task.count %parts, 0
    ```
  }];
  let arguments = (ins Task_Partition:$partition, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$partition `,` $dim attr-dict";
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

def Task_LaunchOp : Task_Op<"launch"> {
  let summary = "does a task on tensors and scalars";
  let description = [{
    Which variant runs, the mapping says, for each launch of a variant in program order. No argument that the task
    changes overlaps another one.
    ```mlir
    task.task @scale(x: read_write f32[M], factor: f32)
    task.variant @scale_all of @scale inner (%x, %factor: f32) {
      task.launch @scale(%x, %factor : f32)
    }
    task.variant @scale_tile of @scale leaf (%x: tensor<64xf32>, %factor: f32) {
      %factors = tensor.splat %factor : tensor<64xf32>
      %r = arith.mulf %x, %factors : tensor<64xf32>
      task.return %r : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$task, Variadic<AnyType>:$arguments);
  let assemblyFormat = "$task `(` custom<LaunchArguments>($arguments, type($arguments)) `)` attr-dict";
}

class Task_RangeOp<string mnemonic> : Task_Op<mnemonic, [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins Variadic<Index>:$bounds);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Task_PRangeOp : Task_RangeOp<"prange"> {
  let summary = "launches that do not depend on each other, one for each index vector";
  let description = [{
    As if they ran in the order of `task.srange`. What one index vector writes, no other may touch: every tensor from
    outside that is written is written through one partition, whose index along some dimension is the range's variable,
    for each of its variables; and is read in the same way only. Sums of `reduce` may meet.
    ```mlir
    // given %x: !task.tensor
    %parts = task.blocks %x [64, full]
    %n = task.count %parts, 0
    task.prange (%i) to (%n) {
      %part = task.piece %parts[%i, 0]
    }
    ```
  }];
}

def Task_SRangeOp : Task_RangeOp<"srange"> {
  let summary = "launches in order, one for each index vector, the last index fastest";
  let description = [{
    ```mlir
    // given %n: index
    task.srange (%k) to (%n) {
    }
    ```
  }];
}

#endif // HEDDLE_DIALECT_TASK_TASKOPS
