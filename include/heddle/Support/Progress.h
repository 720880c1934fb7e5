//===- Progress.h - What a tool is doing, for work that takes seconds ------===//
//
// What:   says on stderr what is being done and for how long, from the second second on: at a terminal one line that is
//         rewritten and removed at the end, elsewhere a plain line at 2 s and then after twice the time of the line
//         before. Quick work says nothing.
// Where:  the tools own one; libraries only call back (CompileOptions::progress, SolveOptions::step), and never print.
// Off:    the environment variable HEDDLE_PROGRESS set to "off".
// How:    a thread of its own, so that a single long query or simulation needs no hook.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SUPPORT_PROGRESS_H
#define HEDDLE_SUPPORT_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace heddle {

class Progress {
public:
  /// `tool` begins each line; nothing is said in the first `quiet` seconds. Seconds count from here.
  explicit Progress(std::string tool, int file = 2, double quiet = 2);
  ~Progress();
  Progress(const Progress &) = delete;

  /// What is being done from now on; empty: nothing that is worth a line. A line at a terminal is removed then, so that
  /// others can print.
  void now(const std::string &what);

private:
  void loop();
  void write(const std::string &text) const;

  std::string tool, what;
  int file;
  bool terminal, shown = false, stop = false;
  std::chrono::steady_clock::time_point begin;
  double next; ///< seconds after `begin` when the next line is due
  std::mutex mutex;
  std::condition_variable wake;
  std::thread thread;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_PROGRESS_H
