//===- Manifest.h - kernel.json: parse, check views, compute a launch ------------------------===//
//
// What:     parseManifest checks the text; bindManifest checks a caller's tensors against it and
// yields the
//           grid and the parameter values. The same for chain.json. No CUDA.
// Contract: docs/Manifest.md; bench/gpu/manifest.py implements the same.
// Errors:   user errors, "expected X, got Y", naming view and dimension.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_MANIFEST_H
#define HEDDLE_RUNTIME_MANIFEST_H

#include "heddle/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace heddle::runtime {

/// Integer expression over sizes, strides, symbols, scalars and the device.
struct Expr {
  enum class Kind { Const, Dim, Stride, Symbol, Arg, Sms, Op };
  Kind kind = Kind::Const;
  int64_t value = 0;          ///< Const: the number; Dim, Stride: the dimension.
  std::string name;           ///< view, symbol, argument or operation
  std::vector<Expr> operands; ///< Op: a and b
};

/// One `shape` entry: any size, a fixed size, or a name that stands for one size everywhere.
struct ShapeEntry {
  int64_t size = -1; ///< -1: not fixed
  std::string symbol;
};

enum class Access { In, Out, InOut };

struct ViewDecl {
  std::string name;
  std::string elem;
  int rank = 0;
  Access access = Access::In;
  std::vector<ShapeEntry> shape;  ///< empty: any
  bool aligned = false;           ///< address and strides have to be multiples of 16 bytes
  std::vector<int64_t> multiples; ///< empty: any; else numbers of which the sizes have to be multiples
};

struct ScalarDecl {
  std::string name;
  std::string type; ///< f32, i32 or index
};

/// One dimension of a tensor map, see docs/Manifest.md.
struct MapDim {
  int dim = 0;
  int64_t chunk = 0;  ///< > 0: the inner part, of this size
  int64_t chunks = 0; ///< > 0: the outer part, in units of this size
};

struct Param {
  enum class Kind { TensorMap, Pointer, Size, Stride, Scalar, Expr, Counter };
  Kind kind = Kind::Pointer;
  std::string view; ///< or the scalar's name
  std::string type; ///< Scalar
  int dim = 0;
  std::vector<int64_t> box; ///< outermost first
  std::vector<MapDim> dims; ///< outermost first; empty: the view's own
  int swizzle = 0;
  int l2 = 128;
  std::string elem; ///< empty: the view's
  bool nanFill = false;
  runtime::Expr value;
};

struct Manifest {
  std::string kernel;
  std::string mark; ///< empty: any image
  int block = 0;
  int smem = 0;
  std::array<int64_t, 3> cluster = {1, 1, 1};
  std::array<Expr, 3> grid;
  std::vector<ViewDecl> views;
  std::vector<ScalarDecl> scalars;
  std::vector<Param> params;
};

/// A tensor that a chain's launcher allocates.
struct WorkspaceDecl {
  std::string name;
  std::string elem;
  std::vector<Expr> shape;
  bool zeroed = false;
};

/// What a launch gives a scalar: a number, a scalar of the chain by its name, or an integer expression.
struct ScalarBinding {
  std::variant<double, std::string, Expr> value;
};

struct LaunchDecl {
  std::string kernel;                       ///< also the folder of its manifest
  std::map<std::string, std::string> views; ///< the kernel's views by name: one of the chain, or a workspace
  std::map<std::string, ScalarBinding> scalars;
};

/// chain.json: kernels that run one after another.
struct ChainManifest {
  std::string chain;
  std::vector<ViewDecl> views;
  std::vector<ScalarDecl> scalars;
  std::vector<WorkspaceDecl> workspaces;
  std::vector<LaunchDecl> launches;
};

/// A caller's tensor: device address, sizes and strides in elements.
struct Tensor {
  uint64_t address = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::string elem;
};

/// Arguments of cuTensorMapEncodeTiled, innermost first; strides in bytes, without the innermost.
struct TensorMapSpec {
  std::string elem;
  uint64_t address = 0;
  std::vector<uint64_t> dims;
  std::vector<uint64_t> strides;
  std::vector<uint32_t> box;
  int swizzle = 0;
  int l2 = 128;
  bool nanFill = false;
};

struct LaunchPlan {
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// In parameter order: tensor map, pointer, 32-bit integer, f32. Empty when the grid is empty.
  std::vector<std::variant<TensorMapSpec, uint64_t, int32_t, float>> values;
  bool empty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

/// A run of a chain, with everything computed that does not depend on addresses.
struct ChainPlan {
  /// Address 0: to be allocated, `bytes` of it.
  struct Workspace {
    std::string name;
    Tensor tensor;
    uint64_t bytes = 0;
    bool zeroed = false;
  };
  struct Launch {
    std::string kernel;
    std::map<std::string, std::string> views;
    std::map<std::string, double> scalars;
  };
  std::vector<Workspace> workspaces;
  std::vector<Launch> launches;
};

/// Bytes of an element type of docs/Manifest.md; 0 for an unknown one.
int elementBytes(const std::string &elem);

/// `file` only names the source in messages.
Result<Manifest> parseManifest(const std::string &text, const std::string &file = "kernel.json");

/// chain.json.
Result<ChainManifest> parseChainManifest(const std::string &text, const std::string &file = "chain.json");

/// Checks a caller's tensors and computes sizes and scalars. What each kernel asks for, bindManifest checks.
Result<ChainPlan> bindChain(const ChainManifest &manifest, const std::map<std::string, Tensor> &tensors,
                            const std::map<std::string, double> &scalars);

/// User error: `image` (a cubin, read from `path`) was not compiled from the text that the manifest belongs to.
Status checkImage(const Manifest &manifest, const std::string &image, const std::string &path);

/// True where the kernel takes programs from a counter, which the launcher has to give it.
bool usesCounter(const Manifest &manifest);

/// `sms`: multiprocessors of the device. `counter`: address of four bytes of its memory that are zero, for kernels that
/// use it.
Result<LaunchPlan> bindManifest(const Manifest &manifest, const std::map<std::string, Tensor> &tensors,
                                const std::map<std::string, double> &scalars, int sms, uint64_t counter = 0);

/// The tensor map of `param` over `tensor`, with everything checked that the driver would refuse.
Result<TensorMapSpec> tensorMapSpec(const Param &param, const Tensor &tensor);

/// Of a tensor that is stored by tensor map: the copy engine writes up to the next multiple of 16 bytes of a row, zeros
/// behind its end (measured on an H100). Errors: rows that are longer, where these bytes may be somebody else's.
Status checkRowEnds(const Param &param, const Tensor &tensor);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MANIFEST_H
