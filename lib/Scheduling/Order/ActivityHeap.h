//===- ActivityHeap.h - The most active variable first (private) ----------===//
//
// What: variables numbered from 1 with activities that decay, and a binary heap of those that may be undecided. No heap
//       of the standard library moves an element whose rank changed.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_ORDER_ACTIVITYHEAP_H
#define HEDDLE_LIB_SCHEDULING_ORDER_ACTIVITYHEAP_H

#include <cstddef>
#include <vector>

namespace heddle {

class ActivityHeap {
public:
  /// The next variable, in the heap.
  void add() {
    activity.push_back(0);
    place.push_back(-1);
    insert(static_cast<int>(place.size()) - 1);
  }
  void insert(int v) {
    if (placeOf(v) >= 0)
      return;
    heap.push_back(v);
    up(heap.size() - 1);
  }
  /// Takes out the most active one; 0: none is left.
  int pop() {
    if (heap.empty())
      return 0;
    int top = heap.front(), last = heap.back();
    heap.pop_back();
    placeOf(top) = -1;
    if (top != last) {
      heap.front() = last;
      down(0);
    }
    return top;
  }
  void bump(int v) {
    double &now = activity[static_cast<size_t>(v)];
    now += increment;
    if (now > 1e100) {
      for (double &each : activity)
        each *= 1e-100;
      increment *= 1e-100;
    }
    if (placeOf(v) >= 0)
      up(static_cast<size_t>(placeOf(v)));
  }
  /// What is bumped later counts more.
  void decay() { increment /= 0.95; }

private:
  int &placeOf(int v) { return place[static_cast<size_t>(v)]; }
  bool hotter(int a, int b) const { return activity[static_cast<size_t>(a)] > activity[static_cast<size_t>(b)]; }
  void put(int v, size_t at) {
    heap[at] = v;
    placeOf(v) = static_cast<int>(at);
  }
  void up(size_t at) {
    int v = heap[at];
    for (; at > 0 && hotter(v, heap[(at - 1) / 2]); at = (at - 1) / 2)
      put(heap[(at - 1) / 2], at);
    put(v, at);
  }
  void down(size_t at) {
    int v = heap[at];
    for (size_t child; (child = 2 * at + 1) < heap.size(); at = child) {
      if (child + 1 < heap.size() && hotter(heap[child + 1], heap[child]))
        ++child;
      if (!hotter(heap[child], v))
        break;
      put(heap[child], at);
    }
    put(v, at);
  }

  std::vector<double> activity = {0}; ///< of 0, which is no variable, and of each variable
  std::vector<int> place = {-1};      ///< in the heap; -1: not there
  std::vector<int> heap;
  double increment = 1;
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_ORDER_ACTIVITYHEAP_H
