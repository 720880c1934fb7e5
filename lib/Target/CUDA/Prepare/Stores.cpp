//===- Stores.cpp - see Stores.h ------------------------------------------------===//
#include "Stores.h"

#include "GlobalAddress.h"
#include "RegisterTiles.h"

#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/CacheHints.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

/// On a store by threads: a StoreWay, as an i64.
static constexpr llvm::StringLiteral wayAttr = "heddle.store_way";

std::optional<Turned> cuda::turnedTile(RankedTensorType type) {
  constexpr int64_t wordColumns = 2, laneColumns = 8;
  LinearLayout layout = hw::layoutOf(type);
  int last = layout.rank() - 1;
  auto columns = [&](int64_t count) { return LinearLayout::unit(last, count); };
  std::vector<LinearLayout::Vector> reg = layout.reg(), lane = layout.lane();
  if (reg.empty() || lane.size() < 2 || registerArrayOf(type).packing != wordColumns ||
      layout.numRegisters() != int64_t(1) << reg.size() || reg[0] != columns(1) || lane[0] != columns(wordColumns) ||
      lane[1] != columns(2 * wordColumns))
    return std::nullopt;
  auto low = llvm::find(reg, columns(laneColumns)), high = llvm::find(reg, columns(2 * laneColumns));
  if (low == reg.end() || high == reg.end() || layout.isReplicated())
    return std::nullopt;
  Turned turned{type, int64_t(1) << (low - reg.begin() - 1), int64_t(1) << (high - reg.begin() - 1)};
  std::vector<LinearLayout::Vector> after = {reg[0], lane[0], lane[1]};
  for (LinearLayout::Vector vector : llvm::drop_begin(reg))
    if (vector != *low && vector != *high)
      after.push_back(vector);
  lane[0] = *low, lane[1] = *high;
  turned.type = hw::withLayout(type, LinearLayout(layout.shape(), after, lane, layout.warp()));
  return turned;
}

/// Elements of the last dimension of `view`, where they are a number.
static std::optional<int64_t> lastSize(Value view) {
  if (auto window = view.getDefiningOp<tile::WindowOp>()) {
    APInt size;
    return matchPattern(window.getSizes().back(), m_ConstantInt(&size)) ? std::optional(size.getSExtValue())
                                                                        : std::nullopt;
  }
  int64_t size = cast<tile::ViewType>(view.getType()).getShape().back();
  return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
}

/// Whether rows of the tile are stored whole, and may begin at multiples of 16 bytes.
static bool mayTurn(tile::StoreOp store) {
  constexpr int64_t columns = 8;
  auto view = cast<tile::ViewType>(store.getView().getType());
  std::optional<int64_t> size = lastSize(store.getView());
  return store.getKind() == "set" && !store.getRows() && !store.getExtent() &&
         store.getTileDims().back() == view.getRank() - 1 && (!size || *size % columns == 0 || *size == unbounded) &&
         turnedTile(store.getValue().getType());
}

static StoreWay chooseWay(tile::StoreOp store, Attribute askedToTurn) {
  bool seldom = store->hasAttr(seldomAttr);
  if (store.getKind() == "add")
    return registerArrayOf(store.getValue().getType()).packing == 1 && !store.getRows() ? StoreWay::Parts
                                                                                        : StoreWay::Elements;
  // Beside the copy engine's stores these seldom run.
  bool turns = askedToTurn ? isa<UnitAttr>(askedToTurn) : !store.isBounded() && !seldom;
  if (turns && mayTurn(store))
    return StoreWay::Turned;
  return seldom ? StoreWay::Elements : StoreWay::Wide;
}

void cuda::chooseStores(hw::KernelOp kernel) {
  Attribute asked = kernel->getAttr(hw::turnedStoresAttr);
  Builder b(kernel.getContext());
  kernel.walk([&](tile::StoreOp store) {
    store->setAttr(wayAttr, b.getI64IntegerAttr(static_cast<int64_t>(chooseWay(store, asked))));
  });
}

StoreWay cuda::wayOf(tile::StoreOp store) {
  return static_cast<StoreWay>(store->getAttrOfType<IntegerAttr>(wayAttr).getInt());
}
