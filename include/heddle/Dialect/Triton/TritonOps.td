//===- TritonOps.td - The tt dialect, as far as it is read -----------------===//
//
// What:   Triton's intermediate form (TTIR) as text that other compilers wrote: the operations of a kernel after
//         inlining, with the spelling of Triton 3.6 and later. Nothing here is lowered by patterns: the conversion
//         lib/Conversion/TritonToTile reads it, and lib/Simulator/Triton executes it.
// Forms:  the generic form of every operation parses; so does the form in which Triton prints those that are here.
//         Operations that are not here parse in generic form only, and are refused by the conversion.
// Checks: that shapes and types fit each other (TritonVerify.cpp). Which forms are known, the conversion says.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_TRITON_TRITONOPS
#define HEDDLE_DIALECT_TRITON_TRITONOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::heddle::triton";
  let summary = "Triton's intermediate form, read as text";
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Attributes of arguments and operations ("tt.divisibility") are hints; any is accepted.
    ::mlir::LogicalResult verifyOperationAttribute(::mlir::Operation *, ::mlir::NamedAttribute) override {
      return ::mlir::success();
    }
    ::mlir::LogicalResult verifyRegionArgAttribute(::mlir::Operation *, unsigned, unsigned,
                                                   ::mlir::NamedAttribute) override {
      return ::mlir::success();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Types and enumerations
//===----------------------------------------------------------------------===//

def TT_Ptr : TypeDef<Triton_Dialect, "Pointer"> {
  let mnemonic = "ptr";
  let summary = "a pointer to one element, `!tt.ptr<f16>`";
  let parameters = (ins "::mlir::Type":$pointeeType, DefaultValuedParameter<"int64_t", "1">:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
}

def TT_TensorDesc : TypeDef<Triton_Dialect, "TensorDesc"> {
  let mnemonic = "tensordesc";
  let summary = "a descriptor of a tensor in memory with its tile, `!tt.tensordesc<128x64xf16>`";
  let description = "Triton 3.6 writes `!tt.tensordesc<tensor<128x64xf16>>`.";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
}

class TT_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::heddle::triton";
}
def TT_Axis : TT_Enum<"Axis", [I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">,
                               I32EnumAttrCase<"Z", 2, "z">]>;
def TT_CacheModifier : TT_Enum<"CacheModifier", [
  I32EnumAttrCase<"None", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">, I32EnumAttrCase<"CG", 3, "cg">,
  I32EnumAttrCase<"WB", 4, "wb">, I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;
def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", [
  I32EnumAttrCase<"Normal", 1, "evict_normal">, I32EnumAttrCase<"First", 2, "evict_first">,
  I32EnumAttrCase<"Last", 3, "evict_last">]>;
def TT_Padding : TT_Enum<"Padding", [I32EnumAttrCase<"Zero", 1, "zero">, I32EnumAttrCase<"Nan", 2, "nan">]>;
def TT_InputPrecision : TT_Enum<"InputPrecision", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">, I32EnumAttrCase<"IEEE", 2, "ieee">,
  I32EnumAttrCase<"BF16x3", 3, "bf16x3">, I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def TT_Rounding : TT_Enum<"Rounding", [I32EnumAttrCase<"RTZ", 0, "rtz">, I32EnumAttrCase<"RTNE", 1, "rtne">,
                                       I32EnumAttrCase<"RS", 2, "rs">]>;
def TT_PropagateNan : TT_Enum<"PropagateNan", [I32EnumAttrCase<"None", 0, "none">,
                                               I32EnumAttrCase<"All", 0xFFFF, "all">]>;
def TT_AtomicKind : TT_Enum<"AtomicKind", [
  I32EnumAttrCase<"And", 1, "and">, I32EnumAttrCase<"Or", 2, "or">, I32EnumAttrCase<"Xor", 3, "xor">,
  I32EnumAttrCase<"Add", 4, "add">, I32EnumAttrCase<"FAdd", 5, "fadd">, I32EnumAttrCase<"Max", 6, "max">,
  I32EnumAttrCase<"Min", 7, "min">, I32EnumAttrCase<"UMax", 8, "umax">, I32EnumAttrCase<"UMin", 9, "umin">,
  I32EnumAttrCase<"Xchg", 10, "exch">]>;
def TT_MemSemantic : TT_Enum<"MemSemantic", [
  I32EnumAttrCase<"Relaxed", 1, "relaxed">, I32EnumAttrCase<"Acquire", 2, "acquire">,
  I32EnumAttrCase<"Release", 3, "release">, I32EnumAttrCase<"AcquireRelease", 4, "acq_rel">]>;
def TT_MemScope : TT_Enum<"MemScope", [I32EnumAttrCase<"Gpu", 1, "gpu">, I32EnumAttrCase<"Cta", 2, "cta">,
                                       I32EnumAttrCase<"System", 3, "sys">]>;

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<Triton_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Functions and programs
//===----------------------------------------------------------------------===//

def TT_FuncOp : TT_Op<"func", [FunctionOpInterface, IsolatedFromAbove, AffineScope, AutomaticAllocationScope]> {
  let summary = "a kernel, or a function that was not inlined";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                   OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                   OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasVerifier = 1;
}

def TT_ReturnOp : TT_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
}

def TT_CallOp : TT_Op<"call"> {
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
}

class TT_Program<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let arguments = (ins TT_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}
def TT_GetProgramIdOp : TT_Program<"get_program_id">;
def TT_GetNumProgramsOp : TT_Program<"get_num_programs">;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class TT_Unary<string mnemonic, dag attributes = (ins)> : TT_Op<mnemonic, [Pure]> {
  let arguments = !con((ins AnyType:$src), attributes);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}
def TT_SplatOp : TT_Unary<"splat">;
def TT_UnsplatOp : TT_Unary<"unsplat">;
def TT_ExpandDimsOp : TT_Unary<"expand_dims", (ins I32Attr:$axis)>;
def TT_BroadcastOp : TT_Unary<"broadcast">;
def TT_TransOp : TT_Unary<"trans", (ins DenseI32ArrayAttr:$order)>;
def TT_BitcastOp : TT_Unary<"bitcast">;
def TT_IntToPtrOp : TT_Unary<"int_to_ptr">;
def TT_PtrToIntOp : TT_Unary<"ptr_to_int">;

def TT_ReshapeOp : TT_Op<"reshape", [Pure]> {
  let arguments = (ins AnyRankedTensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}
def TT_SplitOp : TT_Op<"split", [Pure]> {
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyRankedTensor:$outLHS, AnyRankedTensor:$outRHS);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
class TT_Pair<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def TT_JoinOp : TT_Pair<"join">;
def TT_CatOp : TT_Pair<"cat">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def TT_AddPtrOp : TT_Op<"addptr", [Pure]> {
  let arguments = (ins AnyType:$ptr, AnyType:$offset);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let arguments = (ins AnyType:$ptr, Optional<AnyType>:$mask, Optional<AnyType>:$other,
                   OptionalAttr<TT_CacheModifier>:$cache, OptionalAttr<TT_EvictionPolicy>:$evict,
                   DefaultValuedOptionalAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def TT_StoreOp : TT_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins AnyType:$ptr, AnyType:$value, Optional<AnyType>:$mask,
                   OptionalAttr<TT_CacheModifier>:$cache, OptionalAttr<TT_EvictionPolicy>:$evict);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins TT_AtomicKind:$atomic_rmw_op, AnyType:$ptr, AnyType:$val, Optional<AnyType>:$mask,
                   TT_MemSemantic:$sem, TT_MemScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}
def TT_AtomicCASOp : TT_Op<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins AnyType:$ptr, AnyType:$cmp, AnyType:$val, TT_MemSemantic:$sem, TT_MemScope:$scope);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                   DefaultValuedOptionalAttr<TT_Padding, "Padding::Zero">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}
def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$indices, OptionalAttr<TT_CacheModifier>:$cache,
                   OptionalAttr<TT_EvictionPolicy>:$evict);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:`
    qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}
def TT_DescriptorStoreOp : TT_Op<"descriptor_store", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins TT_TensorDesc:$desc, AnyRankedTensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

def TT_DotOp : TT_Op<"dot", [Pure, AllTypesMatch<["c", "d"]>]> {
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$c,
                   OptionalAttr<TT_InputPrecision>:$inputPrecision,
                   DefaultValuedOptionalAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs AnyRankedTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:`
    type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_ReduceOp : TT_Op<"reduce", [Pure]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}
def TT_ReduceReturnOp : TT_Op<"reduce.return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Read so that they are refused at their place
//===----------------------------------------------------------------------===//

def TT_ScanOp : TT_Op<"scan", [Pure]> { // printed in generic form
  let arguments = (ins Variadic<AnyRankedTensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}
def TT_ScanReturnOp : TT_Op<"scan.return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}
def TT_HistogramOp : TT_Op<"histogram", [Pure]> {
  let arguments = (ins AnyRankedTensor:$src, Optional<AnyRankedTensor>:$mask);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1; // the type of the mask is not written
  let hasVerifier = 1;
}
def TT_GatherOp : TT_Op<"gather", [Pure]> {
  let arguments = (ins AnyRankedTensor:$src, AnyRankedTensor:$indices, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def TT_ScaledElement : TT_Enum<"ScaledElement", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">, I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">, I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;
def TT_DotScaledOp : TT_Op<"dot_scaled", [Pure, AttrSizedOperandSegments, AllTypesMatch<["c", "d"]>]> {
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$c, Optional<AnyRankedTensor>:$a_scale,
                   Optional<AnyRankedTensor>:$b_scale, TT_ScaledElement:$a_elem_type, TT_ScaledElement:$b_elem_type);
  let results = (outs AnyRankedTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
}
def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                   Variadic<AnyType>:$args);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
}
def TT_PrintOp : TT_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<AnyType>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
}
def TT_AssertOp : TT_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins AnyType:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}
def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins TT_TensorDesc:$desc, AnyRankedTensor:$x_offsets, I32:$y_offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
}
def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins TT_TensorDesc:$desc, AnyRankedTensor:$x_offsets, I32:$y_offset, AnyRankedTensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
}
def TT_ReduceKind : TT_Enum<"ReduceKind", [
  I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Inc", 4, "inc">, I32EnumAttrCase<"Dec", 5, "dec">, I32EnumAttrCase<"And", 6, "and">,
  I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">]>;
def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins TT_ReduceKind:$kind, TT_TensorDesc:$desc, AnyRankedTensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise computation
//===----------------------------------------------------------------------===//

def TT_FpToFpOp : TT_Op<"fp_to_fp", [Pure]> {
  let arguments = (ins AnyType:$src, OptionalAttr<TT_Rounding>:$rounding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}
def TT_ClampFOp : TT_Op<"clampf", [Pure, AllTypesMatch<["x", "min", "max", "result"]>]> {
  let arguments = (ins AnyType:$x, AnyType:$min, AnyType:$max, TT_PropagateNan:$propagateNan);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
  let hasVerifier = 1;
}
class TT_Same<string mnemonic, dag operands> : TT_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = operands;
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}
def TT_PreciseSqrtOp : TT_Same<"precise_sqrt", (ins AnyType:$x)> {
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
def TT_PreciseDivFOp : TT_Same<"precise_divf", (ins AnyType:$x, AnyType:$y)> {
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def TT_MulhiUIOp : TT_Same<"mulhiui", (ins AnyType:$x, AnyType:$y)> {
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}
def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs AnyType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECT_TRITON_TRITONOPS
