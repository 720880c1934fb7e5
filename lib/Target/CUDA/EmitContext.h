//===- EmitContext.h - what op printers ask of the emitter ----------------------===//
//
// The printers of register-tile ops (RegisterTiles.h) know layouts and nothing else. Names
// of values, storage of shared-memory tiles, scratch and barriers are decided before
// printing; an EmitContext answers for them. The emitter of whole kernels implements it.
//
// A register tile is a C++ array that the emitter declares (registerArrayOf gives type and
// size) before the op that defines it is printed. Several SSA values may share an array;
// an op whose result shares an operand's array is correct when the op is element-wise with
// equal layouts, or hw.convert_layout of class identity.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_EMITCONTEXT_H
#define HEDDLE_LIB_TARGET_CUDA_EMITCONTEXT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace heddle::cuda {

/// Storage of a rank-2 (or rank-1: one row) shared-memory tile. Element (r, c) of the tile
/// is element (r + rowOffset, c + colOffset) of the storage, coordinates exchanged first if
/// `transposed`. Storage element (r, c) lies at byte
///   chunked:  swz((c / w) * rows * swizzleBytes + r * swizzleBytes + (c % w) * elemBytes)
///             with w = swizzleBytes / elemBytes; pitchBytes == swizzleBytes
///   else:     swz(r * pitchBytes + c * elemBytes)
/// from `base`; swz is hd::swizzle<swizzleBytes>. `base` is aligned to 1024 bytes if swizzled, else 16.
struct SmemTile {
  std::string base; ///< C++ expression of type uint32_t: shared address of the storage
  int64_t rows = 0; ///< rows of the storage
  int64_t cols = 0; ///< columns of the storage
  int64_t elemBytes = 0;
  int64_t pitchBytes = 0;  ///< bytes from one row to the next
  int swizzleBytes = 0;    ///< 0, 32, 64 or 128
  bool chunked = false;    ///< stored as [chunk of columns][row][swizzleBytes]
  bool transposed = false; ///< the tile is the transpose of its storage
  int64_t rowOffset = 0;   ///< of the tile's corner in the storage (after exchange)
  int64_t colOffset = 0;
};

/// A view argument: C++ expressions, one per dimension; strides in elements.
struct ViewAccess {
  std::string pointer; ///< pointer to the first element, any pointer type
  llvm::SmallVector<std::string, 4> strides;
  llvm::SmallVector<std::string, 4> sizes;
};

class EmitContext {
public:
  explicit EmitContext(llvm::raw_ostream &os) : os(&os) {}
  virtual ~EmitContext() = default;

  /// C++ name (or expression) of a scalar; array name of a register tile. Arrays of results are declared when their op
  /// is printed; scalar results are declared by the printing of their op, under this name. Never `r` (the printers'
  /// loop variable).
  virtual std::string nameOf(mlir::Value value) = 0;
  /// True where a register tile has no array: its elements are expressions (elementOf).
  virtual bool isRecomputed(mlir::Value) { return false; }
  /// True where the registers do not last for a branch around the select `op` (Prepare/Pressure.h).
  virtual bool isUnbranched(mlir::Operation *) { return false; }
  /// A new C++ identifier that starts with `hint`.
  virtual std::string fresh(llvm::StringRef hint) = 0;
  /// Storage of an !hw.tile value.
  virtual SmemTile smemTileOf(mlir::Value value) = 0;
  virtual ViewAccess viewOf(mlir::Value view) = 0;
  /// Shared address expression (uint32_t, 16-byte aligned) of hw::exchangeBytes(op) bytes private to the group.
  virtual std::string scratchFor(mlir::Operation *op) = 0;
  /// Statement, without semicolon, in which all threads of the current group meet.
  virtual std::string groupBarrier() = 0;
  /// `value` in every group that the text serves: results of operations that correspond.
  virtual llvm::SmallVector<mlir::Value> inEachGroup(mlir::Value value) { return {value}; }
  /// An expression of the group for a number that each of them has; `suffix` is that of its literals.
  virtual std::string number(llvm::ArrayRef<int64_t> ofEach, llvm::StringRef suffix = "") {
    return std::to_string(ofEach.front()) + suffix.str();
  }
  /// Expressions of the thread's coordinates in its group: lane 0..31 and warp 0..warps-1.
  virtual std::string lane() { return "lane"; }
  virtual std::string warp() { return "warp"; }

  /// Runs `print`, whose text lane() and warp() may stand in, in a block of the text; where the kernel asks for it
  /// (hw::recomputeAttr) they are read again there, and no register keeps them until then.
  virtual void withCoordinates(llvm::function_ref<void()> print) { print(); }

  /// Name of a constant of the thread: `text` depends on lane and warp alone. (The emitter of kernels defines each once
  /// a role.)
  virtual std::string threadConstant(llvm::StringRef hint, const std::string &text) {
    std::string name = fresh(hint);
    line("const uint32_t " + name + " = " + text + ";");
    return name;
  }
  /// Where neighbours share a loop: takes the body of a loop over r instead of having it printed.
  virtual bool gather(int64_t, llvm::ArrayRef<std::string>) { return false; }

  /// Where loops over r are divided into slices, which `slice` counts: how many; else 0.
  virtual int64_t slicesOf(int64_t) { return 0; }
  /// Copies an array of `size` registers, or the part of it that a slice is about.
  virtual void copyArray(llvm::StringRef to, llvm::StringRef from, int64_t size) = 0;

  /// Prints one indented line.
  void line(const llvm::Twine &text) {
    constexpr size_t widest = 120;
    std::string words = text.str(), note = std::move(trailing);
    trailing.clear();
    bool beside =
        !words.empty() && words[0] != '#' && words[0] != '{' && indentation + words.size() + note.size() + 4 <= widest;
    if (!note.empty() && !beside)
      os->indent(indentation) << "// " << note << '\n';
    if (!words.empty())
      os->indent(indentation) << words;
    if (!note.empty() && beside)
      *os << " // " << note;
    *os << '\n';
  }
  void indent() { indentation += 2; }
  void unindent() { indentation -= 2; }

  llvm::raw_ostream *os;
  std::string trailing; ///< a note that goes behind the next line, or before it where it does not fit
  unsigned indentation = 0;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_EMITCONTEXT_H
