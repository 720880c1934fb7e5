//===- Progress.cpp - What a tool is doing, for work that takes seconds ----===//
#include "heddle/Support/Progress.h"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace heddle {

using Seconds = std::chrono::duration<double>;

Progress::Progress(std::string tool, int file, double quiet)
    : tool(std::move(tool)), file(file), terminal(isatty(file)), begin(std::chrono::steady_clock::now()), next(quiet) {
  const char *wish = std::getenv("HEDDLE_PROGRESS");
  if (!wish || std::string(wish) != "off")
    thread = std::thread([this] { loop(); });
}

Progress::~Progress() {
  now("");
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  wake.notify_one();
  if (thread.joinable())
    thread.join();
}

void Progress::now(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  what = text;
  if (what.empty() && shown && terminal)
    write("\r\033[K");
  shown = shown && !what.empty();
}

void Progress::write(const std::string &text) const {
  for (size_t done = 0; done < text.size();) {
    ssize_t part = ::write(file, text.data() + done, text.size() - done);
    if (part <= 0)
      return; // nobody listens; not worth failing for
    done += static_cast<size_t>(part);
  }
}

void Progress::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!stop) {
    double elapsed = Seconds(std::chrono::steady_clock::now() - begin).count();
    if (elapsed < next) {
      wake.wait_for(lock, Seconds(next - elapsed));
      continue;
    }
    if (!what.empty()) {
      std::string line = tool + ": " + what + "; " + std::to_string(static_cast<int64_t>(elapsed)) + " s";
      winsize size{};
      if (terminal && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        line.resize(std::min<size_t>(line.size(), size.ws_col - 1)); // a wrapped line cannot be rewritten
      write(terminal ? "\r" + line + "\033[K" : line + "\n");
      shown = true;
    }
    next = terminal ? elapsed + 0.5 : 2 * elapsed;
  }
}

} // namespace heddle
