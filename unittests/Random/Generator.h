//===- Generator.h - one random tile program in the making -----------------===//
//
// What:   what Generate.h promises, in three parts: arguments, grid and the frame (Generate.cpp), statements and
//         control flow (Statements.cpp), values (Values.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_UNITTESTS_RANDOM_GENERATOR_H
#define HEDDLE_UNITTESTS_RANDOM_GENERATOR_H

#include "heddle/Builder/TileBuilder.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace heddle::random_programs {
using namespace heddle::builder;

/// Numbers that are the same with every standard library (splitmix64).
class Dice {
public:
  /// The state is mixed: of neighbouring seeds one sequence would be the other's, one step on.
  explicit Dice(uint64_t seed) : state(mix(seed * 0x9E3779B97F4A7C15u + 1)) {}
  int64_t below(int64_t count) { return static_cast<int64_t>(next() % static_cast<uint64_t>(count)); }
  int64_t from(int64_t least, int64_t most) { return least + below(most - least + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> T pick(const std::vector<T> &items) { return items[below(items.size())]; }
  /// An index, each with its weight.
  int weighted(const std::vector<int> &weights) {
    int64_t all = 0;
    for (int weight : weights)
      all += weight;
    int64_t at = below(all);
    for (size_t i = 0; i < weights.size(); ++i)
      if ((at -= weights[i]) < 0)
        return static_cast<int>(i);
    return 0;
  }

private:
  uint64_t next() { return mix(state += 0x9E3779B97F4A7C15u); }
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t state;
};

using Shape = std::vector<int64_t>;

inline bool isInteger(Element element) {
  return element == I32 || element == Element::I8 || element == Element::I16 || element == Element::I64;
}
inline bool isEightBits(Element element) { return element == Element::F8E4M3 || element == Element::F8E5M2; }

/// A tile of the program. `magnitude`: about how large its elements get; `exact`: no sum whose order is free went into
/// it.
struct Tile {
  Expr expr;
  Element element = F32;
  Shape shape;
  double magnitude = 1;
  bool exact = true;
};

enum class Role { Read, Write, Update, Add };

struct Source {
  View view;
  Element element;
  std::vector<std::string> axes;
  Role role;
  bool stored = false;
};

class Generator {
public:
  Generator(mlir::MLIRContext &context, uint64_t seed) : dice(seed), k(context, "random_" + std::to_string(seed)) {}

  std::string run();

private:
  //===--- arguments and grid ------------------------------------------------===//

  void chooseSizes();

  void view(const std::string &name, Element element, const std::vector<std::string> &axes, Role role);

  void declare();

  void launch();

  Expr sizeOf(const std::string &axis);

  //===--- statements --------------------------------------------------------===//

  void body(int level);

  void statements(int level, int64_t count, bool loops);

  std::vector<size_t> writable() const;
  void store(size_t source) { store(sources[source]); }

  void store(Source &source);

  /// A tile of the program's own part of `source`: its shape, place and dimensions.
  bool ownTile(const Source &source, Shape &shape, std::vector<Operand> &at, std::vector<int64_t> &tileDims);

  static bool isLast(const std::vector<int64_t> &tileDims, size_t rank) {
    for (size_t i = 0; i < tileDims.size(); ++i)
      if (tileDims[i] != static_cast<int64_t>(rank - tileDims.size() + i))
        return false;
    return true;
  }

  /// A coordinate along `axis`: mostly a corner of a block of it.
  Operand place(const std::string &axis);

  /// begin, end, step of a loop, and the axis that it walks along, if any.
  std::string bounds(Operand &begin, Operand &end, Operand &step);

  void loop(int level);
  void branch(int level);
  void loopWhile(int level);
  void readNumber();
  Expr condition();
  std::vector<Expr> scope(int level, bool mustStore, llvm::function_ref<std::vector<Expr>()> values);

  /// What a loop carries, before it.
  Tile initial();

  /// What a loop carries, after an iteration.
  Tile update(const Tile &tile, const std::vector<Tile> &all);

  //===--- values ------------------------------------------------------------===//

  Shape someShape();

  Tile constant(const Shape &shape, Element element, double value);

  Tile keep(Tile tile);

  /// Scaled so that its elements stay below about `most`.
  Tile tame(Tile tile, double most);

  Tile convert(Tile tile, Element element);

  /// A tile of this shape and type, from what there is, from memory or computed.
  Tile make(const Shape &shape, Element element, int deep);

  Tile load(const Shape &shape);
  Expr rowNumbers(int64_t count);

  Tile unary(Tile x);

  Tile binary(const Shape &shape, Element element, int deep);

  /// A sum, maximum or minimum along one dimension of a matrix.
  Tile folded(const Shape &shape, int deep);

  Tile turned(const Shape &shape, int deep);

  /// Whether a dot can add to a tile of this shape and type.
  bool canDotInto(const Shape &shape, Element element) const;

  /// into + a b.
  Tile dotInto(const Tile &into);

  /// An operand of a dot: loaded, loaded and transposed, or computed.
  Tile factor(const Shape &shape, bool isRight);

  /// Which elements: by position, or by a sign that is the same in every order of summation.
  Expr mask(const Shape &shape);

  template <typename T> static bool contains(const std::vector<T> &items, const T &item) {
    return std::find(items.begin(), items.end(), item) != items.end();
  }
  static bool contains(const std::vector<std::string> &items, const char *item) {
    return contains(items, std::string(item));
  }

  static constexpr int mostTrips = 6;

  Dice dice;
  KernelBuilder k;
  bool dots = false, walkRows = false, looped = false;
  int64_t rows = 64, columns = 64, depth = 64, programs = 1, fuel = 0, loopsLeft = 5, dotsLeft = 4;
  Element half = F16;
  Element operand = F16;       ///< of dots
  std::vector<Element> widths; ///< types of the program beside `half`, F32 and I32
  std::map<std::string, int64_t> block, dims;
  std::vector<std::string> gridAxes;
  std::vector<Source> sources;
  std::map<std::string, std::pair<View, int64_t>> measured; ///< a view and dimension of each axis
  size_t lastLoaded = ~size_t(0);
  std::vector<Expr> scales, steps, numbers; ///< scalars: f32 arguments; loop ends; any in scope
  std::map<std::string, Expr> own;          ///< the corner of the program's part along each dimension of the grid
  std::map<std::string, std::vector<Expr>> places;
  std::vector<Tile> pool;
};

} // namespace heddle::random_programs

#endif // HEDDLE_UNITTESTS_RANDOM_GENERATOR_H
