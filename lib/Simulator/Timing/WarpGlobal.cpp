//===- WarpGlobal.cpp - The history of global memory in one CTA ------------===//
#include "WarpGlobal.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

static bool isWrite(GlobalKind kind) { return kind != GlobalKind::Load && kind != GlobalKind::Copy; }
static bool isAdd(GlobalKind kind) { return kind == GlobalKind::Add || kind == GlobalKind::CopyOutAdd; }
static bool isCopyOut(GlobalKind kind) { return kind == GlobalKind::CopyOut || kind == GlobalKind::CopyOutAdd; }
static bool isCopy(GlobalKind kind) { return kind == GlobalKind::Copy || isCopyOut(kind); }

static const char *nameOf(GlobalKind kind) {
  switch (kind) {
  case GlobalKind::Load: return "load";
  case GlobalKind::Store:
  case GlobalKind::Add: return "store";
  case GlobalKind::Copy: return "copy";
  case GlobalKind::CopyOut:
  case GlobalKind::CopyOutAdd: return "copy_out";
  }
  return "";
}

bool GlobalBox::isEmpty() const {
  return llvm::any_of(llvm::zip(begin, end), [](auto dim) { return std::get<0>(dim) >= std::get<1>(dim); });
}

bool GlobalBox::overlaps(const GlobalBox &other) const {
  for (size_t d = 0; d < begin.size(); ++d)
    if (begin[d] >= other.end[d] || other.begin[d] >= end[d])
      return false;
  return true;
}

bool GlobalBox::contains(const GlobalBox &other) const {
  for (size_t d = 0; d < begin.size(); ++d)
    if (other.begin[d] < begin[d] || end[d] < other.end[d])
      return false;
  return true;
}

/// Whether `old` lies before the access that `who` makes now.
Complaint WarpGlobal::ordered(const Accessor &who, const Record &old, GlobalKind now, StringRef name) {
  std::string by = std::string(nameOf(old.kind)) + " by @" + groupNames[old.group];
  std::string both =
      std::string(nameOf(now)) + " of " + name.str() + " by @" + groupNames[who.group] + " and the " + by;
  bool known = llvm::any_of(old.known, [&](auto seen) { return (*who.clock)[seen.first] >= seen.second; });
  // Copies of one group are started by one thread.
  bool sameThread = old.group == who.group && isCopyOut(old.kind) && isCopyOut(now) && old.done;
  if (!known && !sameThread) {
    if (isCopyOut(old.kind) && !old.done)
      return "expected a complete wait for the " + by + " before the " + nameOf(now) + " of " + name.str() + " by @" +
             groupNames[who.group] + ", got none";
    if (old.group == who.group && old.kind != GlobalKind::Copy)
      return "expected a barrier between the " + both + ", got none";
    return "expected the " + both + " to be ordered, got a race in global memory";
  }
  if (isCopy(now) && (old.kind == GlobalKind::Store || old.kind == GlobalKind::Add)) {
    if (!old.fenced)
      return "expected a global fence between the " + both + ", got none";
    if (!old.visible)
      return "expected a barrier after the global fence between the " + both + ", got none";
  }
  ++orderedPairs;
  return std::nullopt;
}

Complaint WarpGlobal::access(const Accessor &who, unsigned tensor, StringRef name, GlobalBox box, GlobalKind kind,
                             Operation *op, int64_t id) {
  if (box.isEmpty())
    return std::nullopt;
  std::vector<Record> &records = history[tensor];
  // What is outside of all such loops is ordered with everything.
  auto isOrdered = [&](const Record &old) {
    return old.program == who.program || old.program == noProgram || who.program == noProgram;
  };
  for (const Record &old : records)
    if (isOrdered(old) && (isWrite(old.kind) || isWrite(kind)) && !(isAdd(old.kind) && isAdd(kind)) &&
        old.box.overlaps(box))
      if (Complaint complaint = ordered(who, old, kind, name))
        return complaint;
  // What a write covers is ordered before it, hence before everything that will be ordered after it. An access covers
  // earlier ones by the same operation: whatever will wait for it has waited for them.
  llvm::erase_if(records, [&](const Record &old) {
    return old.program == who.program && box.contains(old.box) &&
           ((isWrite(kind) && !isAdd(kind)) || (old.op == op && old.group == who.group));
  });
  Record record{kind, who.group, std::move(box), op, id, who.program};
  if (!isCopy(kind)) {
    record.done = true;
    if (who.oneThread)
      record.known.push_back({who.group, (*who.clock)[who.group]});
  }
  records.push_back(std::move(record));
  return std::nullopt;
}

void WarpGlobal::got(int64_t id, int group, int64_t epoch) {
  for (auto &[tensor, records] : history)
    for (Record &old : records)
      if (old.id == id && old.kind == GlobalKind::Copy)
        old.known.push_back({group, epoch});
}

void WarpGlobal::complete(int64_t id, int group, int64_t epoch, bool oneThread) {
  for (auto &[tensor, records] : history)
    for (Record &old : records)
      if (old.id == id && isCopyOut(old.kind)) {
        old.done = true;
        if (oneThread)
          old.known.push_back({group, epoch});
      }
}

void WarpGlobal::fence(int group, bool oneThread) {
  for (auto &[tensor, records] : history)
    for (Record &old : records)
      if (old.group == group) {
        old.fenced = true;
        old.visible |= oneThread;
      }
}

void WarpGlobal::barrier(int group, int64_t epoch) {
  for (auto &[tensor, records] : history)
    for (Record &old : records)
      if (old.group == group && old.done) {
        if (old.known.empty())
          old.known.push_back({group, epoch});
        old.visible |= old.fenced;
      }
}
