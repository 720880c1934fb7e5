//===- CheckAccesses.cpp - see CheckAccesses.h ------------------------------===//
#include "heddle/Simulator/Triton/CheckAccesses.h"

#include "heddle/Address/Overlap.h"
#include "heddle/Conversion/TritonToTile/Symbols.h"
#include "heddle/Dialect/Tile/ViewUses.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace heddle::address;

namespace heddle::sim {

/// The number of the memory that a view is in.
static unsigned memoryOf(const triton::View &view) { return view.base.getArgNumber() + (view.address ? pointedTo : 0); }

static int64_t bytesOf(const triton::View &view) {
  return std::max<int64_t>(1, view.element.getIntOrFloatBitWidth() / 8);
}

AccessCheck::AccessCheck(const triton::Conversion &conversion, TritonRun &run) : conversion(conversion), run(run) {
  for (const triton::Access &access : conversion.accesses)
    if (access.view >= 0) {
      accesses[access.op] = &access;
      if (!access.isStore)
        run.loaded.insert(memoryOf(conversion.views[access.view]));
    }
  for (const triton::View &view : conversion.views)
    extents.emplace_back(view.isWindow ? 1 : view.dims.size(), 1);
}

void AccessCheck::watch() {
  run.watch = [this](const TritonAccess &access, llvm::function_ref<const TileValue *(Value)> valueOf,
                     std::array<int64_t, 3> program) { return check(access, valueOf, program); };
}

std::optional<int64_t> AccessCheck::scalarOf(unsigned argument) const {
  auto given = run.scalars.find(argument);
  return given == run.scalars.end() ? std::nullopt : std::optional<int64_t>(static_cast<int64_t>(given->second));
}

std::optional<int64_t> AccessCheck::hostValue(const Poly &poly) const {
  return triton::algebraOf(conversion).value(poly, [&](const SymbolInfo &info) -> std::optional<int64_t> {
    return info.kind == SymbolKind::Argument   ? scalarOf(static_cast<unsigned>(info.id))
           : info.kind == SymbolKind::Programs ? std::optional<int64_t>(run.grid[info.id])
                                               : std::nullopt;
  });
}

std::optional<std::string> AccessCheck::check(const TritonAccess &access,
                                              llvm::function_ref<const TileValue *(Value)> valueOf,
                                              std::array<int64_t, 3> program) {
  auto known = accesses.find(access.op);
  if (known == accesses.end())
    return std::nullopt; // refused: nothing to compare with
  Algebra &algebra = triton::algebraOf(conversion);
  const Box &box = known->second->box;
  const triton::View &view = conversion.views[known->second->view];
  SmallVector<int64_t> lanes(access.shape.size(), 0), ofBox(lanes);
  const SmallVector<int64_t> *meant = &lanes; // which of them an expression is about
  std::function<std::optional<int64_t>(const SymbolInfo &)> ofSymbol =
      [&](const SymbolInfo &info) -> std::optional<int64_t> {
    switch (info.kind) {
    case SymbolKind::Argument: return scalarOf(static_cast<unsigned>(info.id));
    case SymbolKind::Program: return program[info.id];
    case SymbolKind::Programs: return run.grid[info.id];
    case SymbolKind::Lane: return (*meant)[info.id];
    default: break;
    }
    const TileValue *value = valueOf(triton::valueOf(conversion, info.kind, info.id));
    if (!value)
      return std::nullopt;
    int64_t element = 0;
    for (auto [d, position] : llvm::enumerate(info.operands)) {
      std::optional<int64_t> at = algebra.value(position, ofSymbol);
      if (!at || *at < 0 || *at >= value->shape[d])
        return std::nullopt;
      element = element * value->shape[d] + *at;
    }
    return value->intAt(element);
  };
  auto holds = [&](const Atom &atom) -> std::optional<bool> {
    if (!atom.opaque) {
      std::optional<int64_t> a = algebra.value(atom.a, ofSymbol), b = algebra.value(atom.b, ofSymbol);
      return a && b ? std::optional<bool>(*a < *b) : std::nullopt;
    }
    SymbolInfo info{SymbolKind::Table, atom.id, atom.operands};
    std::optional<int64_t> value = ofSymbol(info);
    return value ? std::optional<bool>((*value != 0) != atom.negated) : std::nullopt;
  };
  auto fail = [&](const std::string &what) {
    std::string at;
    for (int64_t lane : lanes)
      at += (at.empty() ? "" : ", ") + std::to_string(lane);
    return std::optional<std::string>("the view '" + view.name + "' is wrong at lane [" + at + "] of program (" +
                                      std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " +
                                      std::to_string(program[2]) + "): " + what);
  };
  // What does not depend on lanes.
  SmallVector<int64_t> coordinates, strides, sizes;
  auto base = algebra.value(view.offset, ofSymbol);
  if (view.address && base) {
    const TileValue *number = valueOf(view.address);
    if (!number)
      return fail("a guard, coordinate, stride or size has no value");
    // A loaded pointer is an address already: its distance from the beginning of its memory.
    constexpr int64_t half = int64_t(1) << 46;
    int64_t address = isa<triton::PointerType>(view.address.getType())
                          ? (number->intAt(0) & ((int64_t(1) << 48) - 1)) - half
                          : number->intAt(0);
    if (address % bytesOf(view))
      return fail("the address is no multiple of an element's size");
    *base += address / bytesOf(view);
  }
  bool inBox = base.has_value();
  for (const Atom &guard : box.guards) {
    std::optional<bool> value = holds(guard);
    if (!value)
      return fail("a guard, coordinate, stride or size has no value");
    inBox &= *value;
  }
  for (auto [d, dim] : llvm::enumerate(view.dims)) {
    std::optional<int64_t> coordinate = algebra.value(box.coordinates[d], ofSymbol),
                           stride = algebra.value(dim.stride, ofSymbol),
                           size = dim.unbounded ? elementLimit : algebra.value(dim.size, ofSymbol);
    if (!coordinate || !stride || !size)
      return fail("a guard, coordinate, stride or size has no value");
    coordinates.push_back(*coordinate);
    strides.push_back(*stride);
    sizes.push_back(std::max<int64_t>(*size, 0));
  }
  for (size_t i = 0; i < access.positions.size(); ++i) {
    for (int64_t d = access.shape.size() - 1, rest = i; d >= 0; --d) {
      lanes[d] = rest % access.shape[d];
      rest /= access.shape[d];
    }
    ofBox = lanes;
    for (const auto &[dim, by] : box.spread)
      ofBox[dim] /= by;
    meant = &ofBox;
    bool inside = inBox, stored = true;
    int64_t position = *base;
    SmallVector<int64_t> at(coordinates);
    if (box.kind == AccessKind::Elements) {
      std::optional<int64_t> place = algebra.value(box.rows, ofSymbol);
      for (const Atom &atom : box.rowAtoms)
        if (std::optional<bool> value = holds(atom); value && !*value)
          inside = false;
      if (inside && !place)
        return fail("a guard, coordinate, stride or size has no value");
      at[0] += inside ? *place : 0;
    }
    for (size_t d = 0; d < at.size(); ++d) {
      if (box.tileDims[d] >= 0 && box.tileDims[d] == box.rowsDim) {
        std::optional<int64_t> row = algebra.value(box.rows, ofSymbol);
        for (const Atom &atom : box.rowAtoms)
          if (std::optional<bool> value = holds(atom); value && !*value)
            inside = false;
        if (!row)
          inside = false;
        at[d] += row.value_or(0);
      } else if (box.tileDims[d] >= 0) {
        at[d] += ofBox[box.tileDims[d]];
      }
      inside &= at[d] >= 0 && at[d] < sizes[d];
      position += at[d] * strides[d];
    }
    meant = &lanes;
    for (const Atom &atom : box.laneAtoms)
      if (std::optional<bool> value = holds(atom); value && !*value)
        inside = false;
    for (const auto &[dim, limit] : box.below)
      if (std::optional<int64_t> value = algebra.value(limit, ofSymbol); value && lanes[dim] >= *value)
        inside = false;
    for (const std::vector<Wrap> &bounds : {box.wraps, box.dropped})
      for (const Wrap &bound : bounds)
        if (std::optional<int64_t> limit = algebra.value(bound.limit, ofSymbol);
            limit && lanes[bound.tileDim] >= *limit)
          stored = false;
    ++count;
    if (!stored)
      continue;
    if (!inside && access.mask[i] && access.positions[i] < 0)
      return "the kernel reaches element " + std::to_string(access.positions[i]) + " of '" + view.name +
             "', which lies before its first one (--input gives values of their own to what addresses and masks follow "
             "from)";
    if (inside != (access.mask[i] != 0))
      return fail(inside                 ? "it covers an element that the mask excludes"
                  : access.shape.empty() ? "the mask has an element that it excludes: a single element is taken to lie "
                                           "inside of the sizes that masks of other accesses of this argument state; "
                                           "let these masks reach as far as the memory, or store the element with a "
                                           "tile (tl.where(columns == place, ...))"
                                         : "the mask has an element that it excludes");
    if (!inside)
      continue;
    if (access.argument[i] != static_cast<int64_t>(memoryOf(view)) || access.positions[i] != position)
      return fail("expected element " + std::to_string(access.positions[i]) + ", got " + std::to_string(position));
    if (view.isWindow)
      extents[known->second->view][0] = std::max(extents[known->second->view][0], position + 1);
    for (size_t d = 0; !view.isWindow && d < at.size(); ++d)
      extents[known->second->view][d] = std::max(extents[known->second->view][d], at[d] + 1);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void AccessCheck::forEachElement(const triton::View &view, ArrayRef<int64_t> sizes,
                                 llvm::function_ref<void(int64_t, int64_t)> fn) const {
  SmallVector<int64_t> strides;
  if (view.isWindow)
    strides.push_back(1);
  for (const ViewDim &dim : view.isWindow ? std::vector<ViewDim>() : view.dims)
    strides.push_back(hostValue(dim.stride).value_or(0));
  int64_t base = view.isWindow ? 0 : hostValue(view.offset).value_or(0), total = 1;
  for (int64_t size : sizes)
    total *= size;
  for (int64_t i = 0; i < total; ++i) {
    int64_t position = base;
    for (int64_t d = sizes.size() - 1, rest = i; d >= 0; --d) {
      position += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    fn(position, i);
  }
}

/// Strides of a view that is stored to and whose elements overlap, so that they are one in the tensor as well; else
/// none. What is only loaded holds equal numbers there anyway.
SmallVector<int64_t> AccessCheck::overlappingStrides(const triton::View &view, ArrayRef<int64_t> sizes) const {
  SmallVector<int64_t> strides;
  if (!view.isStored || view.isWindow || view.dims.empty())
    return strides;
  for (const ViewDim &dim : view.dims)
    strides.push_back(hostValue(dim.stride).value_or(-1));
  bool known = strides.back() == 1 && llvm::all_of(strides, [](int64_t stride) { return stride >= 0; });
  std::vector<Reach> dims;
  for (auto [stride, size] : llvm::zip_equal(strides, sizes))
    dims.push_back({stride, size, /*moves=*/true});
  if (!known || !mayMeet(std::move(dims)))
    strides.clear();
  return strides;
}

Result<Bindings> AccessCheck::bind() const {
  tile::KernelOp kernel = conversion.kernel;
  BindingRequest request;
  request.seed = run.seed;
  for (auto [v, view] : llvm::enumerate(conversion.views)) {
    if (triton::mayMeetAtLaunch(view, [&](const Poly &poly) { return hostValue(poly); }))
      return userError("expected sizes and strides by which iterations and accesses reach elements of '" + view.name +
                       "' of their own, got some by which they overlap: launchers refuse them");
    SmallVector<int64_t> sizes;
    if (view.isWindow)
      request.dims[view.name + ".0"] = extents[v][0];
    for (auto [d, dim] : llvm::enumerate(view.isWindow ? std::vector<ViewDim>() : view.dims)) {
      std::optional<int64_t> size = dim.unbounded ? extents[v][d] : hostValue(dim.size);
      if (dim.unbounded) // as launchers do
        size = llvm::alignTo(*size, tile::sizeDivisor(kernel.getBody().getArgument(v), d));
      if (!size)
        return userError("the size of a view has no value");
      size = std::max<int64_t>(*size, 0); // masks let no element through
      request.dims[view.name + "." + std::to_string(d)] = *size;
      sizes.push_back(*size);
    }
    if (SmallVector<int64_t> strides = overlappingStrides(view, sizes); !strides.empty())
      request.strides[view.name] = {strides.begin(), strides.end()};
  }
  for (unsigned number : conversion.scalars) {
    triton::FuncOp source = conversion.source;
    auto given = run.scalars.find(number);
    request.scalars[triton::argumentName(source.getBody().getArgument(number))] =
        given == run.scalars.end() ? 0 : given->second;
  }
  for (unsigned axis = 0; axis < conversion.gridRank; ++axis)
    request.scalars[triton::gridNames[axis]] = static_cast<double>(run.grid[axis]);
  Result<Bindings> bound = bindKernel(cast<FunctionOpInterface>(kernel.getOperation()), request);
  if (!bound)
    return bound.error();
  for (auto [v, view] : llvm::enumerate(conversion.views)) {
    unsigned number = memoryOf(view);
    if (!run.loaded.count(number) && !run.given.count(number))
      continue; // poison, or zeros to add to, as bound
    HostTensor &tensor = *bound->tensorOf(v);
    TritonMemory initial = run.initial(number, tensor.kind());
    forEachElement(view, tensor.sizes(), [&](int64_t position, int64_t element) {
      if (isFloatKind(tensor.kind()))
        tensor.setFloat(tensor.positionOf(element), initial.initialFloat(position));
      else
        tensor.setInt(tensor.positionOf(element), initial.initialInt(position));
    });
  }
  return bound;
}

std::string AccessCheck::compare(const Bindings &exact) const {
  triton::FuncOp source = conversion.source;
  auto placeOf = [&](int64_t position, unsigned number) {
    return "element " + std::to_string(position) + (number < pointedTo ? " of '" : " of what has addresses in '") +
           triton::argumentName(source.getBody().getArgument(number % pointedTo)) + "'";
  };
  static const std::map<int64_t, TritonMemory::Element> none;
  std::map<unsigned, std::set<int64_t>> covered;
  for (auto [v, view] : llvm::enumerate(conversion.views)) {
    if (!view.isStored)
      continue;
    unsigned number = memoryOf(view);
    const HostTensor &got = *exact.tensorOf(v), &bound = exact.bounds[exact.arguments[v].tensor];
    auto memory = run.memory.find(number);
    const auto &written = memory == run.memory.end() ? none : memory->second.written();
    double largest = 0;
    for (const auto &[position, element] : written)
      largest = std::isfinite(element.number) ? std::max(largest, std::fabs(element.number)) : largest;
    std::string wrong;
    // Several elements of the view may be one of memory (overlappingStrides).
    forEachElement(view, got.sizes(), [&](int64_t position, int64_t element) {
      if (!wrong.empty() || bound.floatAt(bound.positionOf(element)) < 0) // not written
        return;
      auto it = written.find(position);
      if (it == written.end()) {
        wrong = placeOf(position, number) + ": expected no write, got one";
        return;
      }
      covered[number].insert(position);
      double want = it->second.number, have = got.floatAt(got.positionOf(element));
      bool isFloat = isFloatKind(got.kind());
      // Both are float64 and sum in other orders at most.
      bool equal = !isFloat ? it->second.integer == got.intAt(got.positionOf(element))
                            : want == have || (want != want && have != have) ||
                                  std::fabs(want - have) <= 1e-6 * std::fabs(want) + 1e-9 * largest;
      if (!equal)
        wrong = placeOf(position, number) + ": expected " +
                std::to_string(isFloat ? want : double(it->second.integer)) + ", got " +
                std::to_string(isFloat ? have : double(got.intAt(got.positionOf(element))));
    });
    if (!wrong.empty())
      return wrong;
  }
  for (const auto &[number, memory] : run.memory)
    for (const auto &[position, element] : memory.written())
      if (!covered[number].count(position))
        return placeOf(position, number) + ": expected a write, got none";
  return "";
}

} // namespace heddle::sim
