//===- KernelRules.cpp - what holds for the kernels of every level ---------===//
#include "heddle/Dialect/Tile/KernelRules.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace heddle::tile {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool isIdentifier(StringRef name) {
  static const llvm::StringSet<> keywords = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char8_t",
                                             "char16_t",
                                             "char32_t",
                                             "class",
                                             "compl",
                                             "concept",
                                             "const",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "const_cast",
                                             "continue",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "restrict",
                                             "return",
                                             "short",
                                             "signed",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "typeof",
                                             "union",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "xor",
                                             "xor_eq"};
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  // Names with two underscores in a row, or with one and a capital letter first, belong to the C++ implementation (and
  // to CUDA).
  bool reserved = name.contains("__") || (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
  return !name.empty() && name.size() <= maxNameLength && !llvm::isDigit(name[0]) && llvm::all_of(name, isWord) &&
         !reserved && !keywords.contains(name);
}

/// A vector type of CUDA (`int4`), or another of its types and macros, and of the C library's.
static bool isTypeOrMacro(StringRef name) {
  static const llvm::StringSet<> vectorsOf = {"char", "uchar", "short",    "ushort",    "int",   "uint",
                                              "long", "ulong", "longlong", "ulonglong", "float", "double"};
  static const llvm::StringSet<> other = {"dim3",           "timespec", "NULL",     "EOF",      "INFINITY", "NAN",
                                          "CUDART_VERSION", "RAND_MAX", "CHAR_MAX", "CHAR_MIN", "SHRT_MAX", "SHRT_MIN",
                                          "INT_MAX",        "INT_MIN",  "UINT_MAX", "LONG_MAX", "LONG_MIN", "ULONG_MAX",
                                          "SIZE_MAX",       "FLT_MAX",  "FLT_MIN",  "DBL_MAX",  "DBL_MIN"};
  static const llvm::StringSet<> types = {
      "blkcnt",   "blksize",   "clock",  "clockid",   "daddr",   "dev",   "div",    "fpos",  "fsblkcnt",
      "fsfilcnt", "gid",       "id",     "ino",       "intmax",  "key",   "ldiv",   "lldiv", "locale",
      "loff",     "max_align", "mode",   "nlink",     "nullptr", "off",   "pid",    "quad",  "ptrdiff",
      "sigset",   "size",      "ssize",  "suseconds", "time",    "timer", "u_quad", "uid",   "uintmax",
      "uintptr",  "intptr",    "double", "float",     "fsid",    "caddr"}; // with _t behind
  StringRef bits = name;
  bool isInteger = bits.consume_back("_t") &&
                   (bits.consume_front("uint") || bits.consume_front("int") || bits.consume_front("u_int"));
  (void)(bits.consume_front("_least") || bits.consume_front("_fast"));
  isInteger &= bits == "8" || bits == "16" || bits == "32" || bits == "64";
  bool isVector = name.size() > 1 && name.back() >= '1' && name.back() <= '4' && vectorsOf.contains(name.drop_back());
  bool isCuda = name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
  bool isType = name.ends_with("_t") && types.contains(name.drop_back(2));
  return isInteger || isVector || isCuda || isType || other.contains(name);
}

bool isDeclaredByCuda(StringRef name) {
  // Functions of <math.h> and their forms for float and long double.
  static const llvm::StringSet<> math = {
      "acos",       "acosh",  "asin",     "asinh",  "atan",    "atan2",      "atanh",    "cbrt",      "ceil",
      "copysign",   "cos",    "cosh",     "cospi",  "erf",     "erfc",       "erfcinv",  "erfcx",     "erfinv",
      "exp",        "exp10",  "exp2",     "expm1",  "fabs",    "fdim",       "fdivide",  "floor",     "fma",
      "fmax",       "fmin",   "fmod",     "frexp",  "hypot",   "ilogb",      "isfinite", "isinf",     "isnan",
      "j0",         "j1",     "jn",       "ldexp",  "lgamma",  "llrint",     "llround",  "log",       "log10",
      "log1p",      "log2",   "logb",     "lrint",  "lround",  "modf",       "nan",      "nearbyint", "nextafter",
      "nexttoward", "norm",   "norm3d",   "norm4d", "normcdf", "normcdfinv", "pow",      "rcbrt",     "remainder",
      "remquo",     "rhypot", "rint",     "rnorm",  "round",   "rsqrt",      "scalbln",  "scalbn",    "signbit",
      "sin",        "sincos", "sincospi", "sinh",   "sinpi",   "sqrt",       "tan",      "tanh",      "tgamma",
      "trunc",      "y0",     "y1",       "yn"};
  // Other functions of the C library, CUDA's built-in variables, and what the printed text uses.
  static const llvm::StringSet<> other = {
      "abort",   "abs",          "aligned_alloc", "alloca",    "asctime",  "at_quick_exit", "atexit",    "atof",
      "atoi",    "atol",         "atoll",         "bcmp",      "bcopy",    "bsearch",       "bzero",     "calloc",
      "clock",   "ctime",        "difftime",      "div",       "exit",     "ffs",           "fprintf",   "free",
      "getenv",  "gmtime",       "index",         "labs",      "ldiv",     "llabs",         "lldiv",     "localtime",
      "main",    "malloc",       "max",           "mblen",     "mbstowcs", "mbtowc",        "memccpy",   "memchr",
      "memcmp",  "memcpy",       "memmove",       "memset",    "min",      "mktime",        "nanosleep", "printf",
      "putenv",  "qsort",        "quick_exit",    "rand",      "random",   "realloc",       "rindex",    "select",
      "setenv",  "snprintf",     "sprintf",       "srand",     "srandom",  "strcat",        "strchr",    "strcmp",
      "strcoll", "strcpy",       "strcspn",       "strdup",    "strerror", "strftime",      "strlen",    "strncat",
      "strncmp", "strncpy",      "strpbrk",       "strrchr",   "strspn",   "strstr",        "strtod",    "strtof",
      "strtok",  "strtol",       "strtold",       "strtoll",   "strtoul",  "strtoull",      "strxfrm",   "system",
      "time",    "timespec_get", "vprintf",       "wcstombs",  "wctomb",   "assert",        "blockDim",  "blockIdx",
      "gridDim", "hd",           "smem",          "smemBytes", "std",      "threadIdx",     "warpSize"};
  StringRef stem = name.ends_with("f") || name.ends_with("l") ? name.drop_back() : name;
  return math.contains(name) || math.contains(stem) || other.contains(name) || isTypeOrMacro(name);
}

/// `name` in quotes, readable whatever bytes it holds.
static std::string shown(StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '\'';
  llvm::printEscapedString(name.take_front(maxNameLength), os);
  os << '\'';
  return text;
}

static LogicalResult verifyNames(FunctionOpInterface kernel) {
  StringRef symbol = kernel.getName();
  if (!isIdentifier(symbol))
    return kernel.emitOpError("expected a name that is a C identifier and no keyword, got ") << shown(symbol);
  if (isDeclaredByCuda(symbol))
    return kernel.emitOpError("expected a name that CUDA, the C library and the emitted text leave free, got ")
           << shown(symbol);
  llvm::StringSet<> seen;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    std::string name = "arg" + std::to_string(i);
    if (Attribute attr = kernel.getArgAttr(i, "tile.name")) {
      auto given = dyn_cast<StringAttr>(attr);
      if (!given || !isIdentifier(given))
        return kernel.emitOpError("argument ") << i << ": expected tile.name to be a C identifier and no keyword, got "
                                               << (given ? shown(given) : "another attribute");
      name = given.str();
    }
    if (!seen.insert(name).second)
      return kernel.emitOpError("argument ") << i << ": expected distinct argument names, got '" << name << "' twice";
    auto dims = kernel.getArgAttrOfType<ArrayAttr>(i, "tile.dims");
    for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>())
      if (auto given = dyn_cast<StringAttr>(dim); given && !isIdentifier(given))
        return kernel.emitOpError("argument ")
               << i << ": expected names in tile.dims that are C identifiers and no keywords, got " << shown(given);
  }
  return success();
}

/// What an argument promises of its memory (ViewUses.h).
static LogicalResult verifyPromises(FunctionOpInterface kernel) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    Attribute aligned = kernel.getArgAttr(i, alignedAttr), multiples = kernel.getArgAttr(i, multiplesAttr);
    if (!aligned && !multiples)
      continue;
    auto view = dyn_cast<ViewType>(kernel.getArgument(i).getType());
    auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(multiples);
    if (!view || (aligned && !isa<UnitAttr>(aligned)))
      return kernel.emitOpError("argument ")
             << i << ": expected tile.aligned and tile.multiples of a view only, the "
             << "former without a value, got argument of " << kernel.getArgument(i).getType();
    if (multiples && (!numbers || numbers.size() != view.getRank() ||
                      llvm::any_of(numbers.asArrayRef(), [](int64_t number) { return number < 1; })))
      return kernel.emitOpError("argument ") << i << ": expected tile.multiples to be array<i64: ...> with "
                                             << view.getRank() << " positive numbers, got " << multiples;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult verifyTileShape(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1)
      return emitError() << "expected a tile with dimensions of at least 1, got " << size;
    elements = size > maxTileElements ? maxTileElements + 1 : std::min(elements * size, maxTileElements + 1);
  }
  if (elements > maxTileElements)
    return emitError() << "expected a tile of at most " << maxTileElements << " elements, got more";
  return success();
}

/// The type of one value of the kernel; types of our dialects verify themselves.
static LogicalResult verifyType(Type type, bool encodings, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto tile = dyn_cast<RankedTensorType>(type);
  Type number = tile ? tile.getElementType() : type;
  StringRef dialect = type.getDialect().getNamespace();
  if (!tile && (dialect == "tile" || dialect == "warp" || dialect == "hw"))
    return success();
  if (!number.isIntOrIndexOrFloat() || (!number.isIndex() && number.getIntOrFloatBitWidth() > 64))
    return emitError() << "expected tiles and numbers of at most 64 bits, got " << type;
  if (!tile)
    return success();
  if (!tile.hasStaticShape())
    return emitError() << "expected statically shaped tiles, got " << type;
  if (tile.getEncoding() && !encodings)
    return emitError() << "expected tiles without encoding, got " << type;
  return verifyTileShape(emitError, tile.getShape());
}

/// `heddle.*` notes of the compiler, which a program may hold too: read as 64-bit integers.
static LogicalResult verifyNotes(Operation *op) {
  for (NamedAttribute note : op->getDiscardableAttrs())
    if (auto number = dyn_cast<IntegerAttr>(note.getValue());
        number && note.getName().strref().starts_with("heddle.") && !number.getType().isSignlessInteger(64))
      return op->emitOpError("expected ") << note.getName() << " to be an i64, got " << number;
  return success();
}

/// Kernels compute indices in 32 bits.
static LogicalResult verifyConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  if (number && number.getType().isIndex() && !number.getValue().isSignedIntN(32))
    return op->emitOpError("expected an index from -2147483648 to 2147483647, got ")
           << number.getValue().getSExtValue();
  return success();
}

int64_t clusterOf(Operation *op) {
  Operation *kernel = isa<FunctionOpInterface>(op) ? op : op->getParentOfType<FunctionOpInterface>().getOperation();
  auto blocks = kernel ? kernel->getAttrOfType<IntegerAttr>(clusterAttr) : IntegerAttr();
  return blocks ? blocks.getInt() : 1;
}

bool dividesOverCluster(RankedTensorType tile, int64_t blocks) {
  return tile.getRank() == 2 && tile.getDimSize(0) % (8 * blocks) == 0;
}

static LogicalResult verifyCluster(FunctionOpInterface kernel) {
  Attribute attr = kernel->getAttr(clusterAttr);
  auto blocks = dyn_cast_or_null<IntegerAttr>(attr);
  if (!attr || (blocks && blocks.getType().isSignlessInteger(64) && blocks.getInt() >= 1 &&
                blocks.getInt() <= mostClusterBlocks))
    return success();
  return kernel->emitOpError("expected a cluster of 1 to ") << mostClusterBlocks << " blocks, got " << attr;
}

LogicalResult verifyKernelRules(FunctionOpInterface kernel, bool encodings) {
  if (failed(verifyNames(kernel)) || failed(verifyPromises(kernel)) || failed(verifyCluster(kernel)))
    return failure();
  WalkResult walk = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto emitError = [op] { return op->emitOpError(); };
    if (failed(verifyNotes(op)) || failed(verifyConstant(op)))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verifyType(type, encodings, emitError)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(verifyType(type, encodings, emitError)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace heddle::tile
