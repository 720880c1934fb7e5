//===- EventPasses.h - what graphs of events go through ----------------------===//
//
// What:   one function for each stage, and what these share. Private to lib/Conversion/TaskToTile.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_EVENTPASSES_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_EVENTPASSES_H

#include "Instances.h"
#include "heddle/Conversion/TaskToTile/Events.h"

namespace heddle {

EventGraph dependencesOf(const Instances &tree);
void vectorise(EventGraph &graph);
void eliminateCopies(EventGraph &graph);
void placeShared(EventGraph &graph);
/// Leaves out waits that another wait of the same operation implies. The last thing: they say for whose sake they are.
void dropImplied(std::vector<EventOp> &ops);

using EventOps = std::vector<EventOp>;

template <typename Ops, typename Fn> void eachOp(Ops &ops, Fn fn) {
  for (auto &op : ops) {
    fn(op);
    eachOp(op.body, fn);
  }
}

template <typename Op, typename Fn> void eachRefs(Op &op, Fn fn) {
  fn(op.after);
  fn(op.yields);
  fn(op.lastUses);
}

/// Every part that `op` itself names: fn(part, access, whether it reads).
template <typename Op, typename Fn> void eachPart(Op &op, Fn fn) {
  if (op.kind == EventOp::Copy) {
    fn(op.from, EventAccess::Read, true);
    fn(op.to, op.adds ? EventAccess::Reduce : EventAccess::Write, op.adds);
  }
  for (auto &argument : op.arguments)
    fn(argument.part, argument.access, argument.reads);
}

/// Does `op`, or what is in it, name the tensor?
bool touches(const EventOp &op, int tensor);
bool conflict(EventAccess a, EventAccess b);
/// False only where two pieces of one partition have different known indices.
bool mayOverlap(const EventPart &a, const EventPart &b);
/// Adds what is not there yet.
void addRefs(std::vector<EventRef> &refs, llvm::ArrayRef<EventRef> more);
/// The waits `refs` of an operation with dimensions `dims`, as seen by one that waits for it at `at`.
std::vector<EventRef> composed(llvm::ArrayRef<EventRef> refs, llvm::ArrayRef<EventDim> dims,
                               llvm::ArrayRef<std::string> at);
/// fn(ref) instead of each wait for `event`.
void replaceEvent(EventOps &ops, int event, llvm::function_ref<std::vector<EventRef>(const EventRef &)> fn);
/// "x1" is no occurrence of "x".
std::string replaceName(llvm::StringRef text, llvm::StringRef from, llvm::StringRef to);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_EVENTPASSES_H
