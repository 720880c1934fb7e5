//===- SmemPlan.cpp - see SmemPlan.h --------------------------------------------===//
#include "SmemPlan.h"

#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/HW/Limits.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

hw::TileType heddle::storageFor(ArrayRef<int64_t> shape, Type elementType) {
  int64_t bytes = llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  int64_t rows = shape.size() == 1 ? 1 : shape[0], cols = shape.back(), swizzle = 0;
  for (int64_t width : hw::swizzles)
    if (shape.size() == 2 && cols * bytes % width == 0) {
      swizzle = width;
      break;
    }
  return hw::TileType::get(elementType.getContext(), shape, elementType, rows, cols, swizzle, 0, 0, false);
}

/// `base`, or `base` with the first number from 2 on that makes a name not yet in `taken`.
static std::string uniqueName(llvm::StringSet<> &taken, const Twine &base) {
  std::string name = base.str();
  for (int64_t n = 2; !taken.insert(name).second; ++n)
    name = (base + "_" + Twine(n)).str();
  return name;
}

SmemPlan heddle::planSharedMemory(warp::KernelOp kernel) {
  SmemPlan plan;
  llvm::StringSet<> names;
  auto note = [&](Operation *op, int64_t bytes, const Twine &text) {
    plan.takers.push_back({op->getLoc(), bytes, text.str()});
  };

  for (auto aref : kernel.getBody().getOps<warp::ArefOp>()) {
    RingPlan &ring = plan.rings[aref.getResult()];
    warp::ArefType type = aref.getType();
    ArrayRef<int64_t> alternatives = aref.getAlternatives().value_or(ArrayRef<int64_t>());
    int64_t slot = 0, inSlot = 0, begin = plan.bytes;
    bool several = type.getPayload().size() > 1;
    StringRef base = aref.getName(), apart = !base.empty() && llvm::isDigit(base.back()) ? "_" : "";
    for (auto [index, payload] : llvm::enumerate(type.getPayload())) {
      SmemField field;
      field.name = uniqueName(names, several ? base + apart + Twine(index) : Twine(base));
      auto tile = dyn_cast<RankedTensorType>(payload);
      if (!tile) { // a number: its place is beside the barriers
        field.type = storageFor({1}, IntegerType::get(type.getContext(), 32));
        field.slotStride = smemAlignment;
        ring.fields.push_back(field);
        continue;
      }
      field.type = storageFor(tile.getShape(), tile.getElementType());
      field.offset = plan.bytes;
      field.slotStride = alignedBytes(field.type.getStorageBytes());
      if (!alternatives.empty()) { // a slot is one piece, which each alternative fills from its beginning
        inSlot = aref.filledWith(index).first == static_cast<int64_t>(index) ? 0 : inSlot;
        field.offset = begin + inSlot;
        slot = std::max(slot, inSlot += field.slotStride);
        ring.fields.push_back(field);
        continue;
      }
      plan.bytes += field.slotStride * type.getDepth();
      slot += field.slotStride;
      ring.fields.push_back(field);
    }
    if (!alternatives.empty()) {
      ring.shared = aref.getName().str();
      for (SmemField &field : ring.fields)
        field.slotStride = slot;
      plan.bytes += slot * type.getDepth();
    }
    if (slot)
      note(aref, type.getDepth() * slot,
           "ring '" + aref.getName() + "' takes " + Twine(type.getDepth()) + " x " + Twine(slot));
  }
  for (auto scratch : kernel.getBody().getOps<warp::ScratchOp>()) {
    SmemField field;
    field.name = uniqueName(names, scratch.getName());
    field.type = storageFor(scratch.getType().getShape(), scratch.getType().getElementType());
    field.offset = plan.bytes;
    plan.bytes += alignedBytes(field.type.getStorageBytes());
    plan.scratches[scratch.getResult()] = field;
    note(scratch, field.type.getStorageBytes(),
         "scratch '" + scratch.getName() + "' takes " + Twine(field.type.getStorageBytes()));
  }
  for (auto group : kernel.getBody().getOps<warp::GroupOp>()) {
    int64_t bytes = 0;
    group.walk([&](Operation *op) { bytes = std::max(bytes, hw::exchangeBytes(op)); });
    if (!bytes)
      continue;
    plan.exchanges[group] = plan.bytes;
    plan.bytes += roundUp(bytes, smemAlignment);
    note(group, bytes, "exchanges of group '" + group.getSymName() + "' take " + Twine(bytes));
  }
  for (auto aref : kernel.getBody().getOps<warp::ArefOp>()) {
    RingPlan &ring = plan.rings[aref.getResult()];
    int64_t depth = aref.getType().getDepth();
    ring.full = roundUp(plan.bytes, barrierBytes);
    ring.empty = ring.full + barrierBytes * depth;
    plan.bytes = ring.empty + barrierBytes * depth;
    for (auto [field, payload] : llvm::zip(ring.fields, aref.getType().getPayload()))
      if (payload.isIndex()) {
        field.offset = roundUp(plan.bytes, smemAlignment);
        plan.bytes = field.offset + field.slotStride * depth;
      }
  }
  for (auto order : kernel.getBody().getOps<warp::OrderOp>()) {
    int64_t offset = plan.orders[order.getResult()] = roundUp(plan.bytes, barrierBytes);
    plan.bytes = offset + barrierBytes * static_cast<int64_t>(order.getType().getPlaces());
  }
  plan.bytes = roundUp(plan.bytes, smemAlignment);
  return plan;
}
