//===- WarpProtocolState.cpp - Joins and shifts of a group's abstract state -===//
#include "WarpProtocolState.h"

#include <algorithm>

using namespace mlir;

namespace heddle {

SmemPart SmemPart::slice(int64_t r, int64_t c, int64_t extentR, int64_t extentC) const {
  SmemPart part = *this;
  if (transposed) {
    std::swap(r, c);
    std::swap(extentR, extentC);
  }
  part.row += r;
  part.col += c;
  part.rows = extentR;
  part.cols = extentC;
  return part;
}

static bool sameAccess(const ProtocolAccess &a, const ProtocolAccess &b) {
  return a.kind == b.kind && a.op == b.op && a.dot == b.dot && a.part.instance == b.part.instance &&
         a.part.overlaps(b.part);
}

void GroupState::join(const GroupState &other) {
  for (const DotInFlight &dot : other.dots) {
    auto same = std::find_if(dots.begin(), dots.end(), [&](const DotInFlight &d) { return d.id == dot.id; });
    if (same == dots.end())
      dots.push_back(dot);
    else
      same->newer = std::min(same->newer, dot.newer);
  }
  for (const ProtocolAccess &access : other.accesses) {
    auto same =
        std::find_if(accesses.begin(), accesses.end(), [&](const ProtocolAccess &a) { return sameAccess(a, access); });
    if (same == accesses.end()) {
      accesses.push_back(access);
      continue;
    }
    same->newer = std::min(same->newer, access.newer);
    same->retired &= access.retired;
    same->fenced &= access.fenced;
    same->met &= access.met;
    same->asyncReady &= access.asyncReady;
  }
  // A field counts as written only when both paths wrote it. Counts of open uses are equal: the caller has checked.
  for (size_t i = 0; i < acquired.size() && i < other.acquired.size(); ++i) {
    std::set<int64_t> both;
    std::set_intersection(acquired[i].fields.begin(), acquired[i].fields.end(), other.acquired[i].fields.begin(),
                          other.acquired[i].fields.end(), std::inserter(both, both.begin()));
    acquired[i].fields = both;
  }
}

template <typename Fn> static void forEachUse(GroupState &state, Fn fn) {
  for (OpenUse &use : state.acquired)
    fn(use.use);
  for (OpenUse &use : state.got)
    fn(use.use);
  for (auto &[ring, use] : state.lastAcquire)
    fn(use);
  for (auto &[ring, use] : state.lastGet)
    fn(use);
}

void GroupState::shift(Operation *loop) {
  forEachUse(*this, [&](UseNumber &use) {
    auto same = std::find_if(use.shifts.begin(), use.shifts.end(), [&](auto &s) { return s.first == loop; });
    if (same == use.shifts.end())
      use.shifts.push_back({loop, 1});
    else
      ++same->second;
  });
}

void GroupState::freeze(Operation *loop) {
  forEachUse(*this, [&](UseNumber &use) {
    if (loop->isAncestor(use.value.getParentBlock()->getParentOp()))
      use.frozen = true;
  });
}

} // namespace heddle
