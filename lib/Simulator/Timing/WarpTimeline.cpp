//===- WarpTimeline.cpp - The timeline of one CTA as SVG --------------------===//
//
// What:   SimResult::events -> one lane per warp group and per unit, time to the right in cycles; hatched: the group
//         waits.
// Labels: a bar shows its name when it fits; every bar has a tooltip with name and cycles.
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "heddle/Support/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace heddle;
using namespace heddle::sim;

namespace {
struct Kind {
  const char *label, *colour;
  std::set<std::string> ops;
};
} // namespace

/// Colours by kind of operation; the last one takes the rest.
static const std::vector<Kind> &kinds() {
  static const std::vector<Kind> list = {
      {"dot", "#4c78a8", {"dot"}},
      {"copy in", "#54a24b", {"copy", "load"}},
      {"copy out", "#88d27a", {"copy_out", "store"}},
      {"exp, special functions",
       "#f58518",
       {"exp", "exp2", "log", "log2", "rsqrt", "sqrt", "tanh", "erf", "divf", "sin", "cos"}},
      {"reduce", "#b279a2", {"reduce"}},
      {"shared memory", "#9d755d", {"read", "write", "put"}},
      {"conversion", "#e8c33c", {"truncf", "extf", "sitofp", "uitofp", "fptosi"}},
      {"arithmetic", "#eeca9b", {}}};
  return list;
}

static const Kind &kindOf(const std::string &op) {
  for (const Kind &kind : kinds())
    if (kind.ops.count(op))
      return kind;
  return kinds().back();
}

static std::string number(double value) {
  char buffer[32];
  snprintf(buffer, sizeof buffer, "%.1f", value);
  return buffer;
}

/// A round distance between ticks that gives about `count` of them.
static int64_t tickOf(int64_t cycles, int64_t count) {
  int64_t tick = 1;
  while (true)
    for (int64_t factor : {1, 2, 5}) {
      if (tick * factor * count >= cycles)
        return tick * factor;
      if (factor == 5)
        tick *= 10;
    }
}

std::string heddle::sim::drawTimeline(const SimResult &result, const std::string &title) {
  const double left = 90, top = 56, row = 26, gap = 6;
  int64_t cycles = 1;
  for (const SimEvent &event : result.events)
    cycles = std::max(cycles, event.end);
  double width = std::clamp(cycles * 0.2, 1400.0, 12000.0), scale = width / cycles;

  std::vector<std::string> lanes = result.groups;
  for (const char *unit : {"TMA", "TC", "SFU", "ALU", "MIO", "LSU"})
    if (llvm::any_of(result.events, [&](const SimEvent &e) { return e.onUnit && e.lane == unit; }))
      lanes.push_back(unit);
  for (const SimEvent &event : result.events)
    if (event.onUnit && !llvm::is_contained(lanes, event.lane))
      lanes.push_back(event.lane);
  double bottom = top + lanes.size() * (row + gap) + 8;

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(left + width + 20) + "\" height=\"" +
                    number(bottom + 40) +
                    "\" font-family=\"sans-serif\" font-size=\"11\">\n"
                    "<defs><pattern id=\"wait\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                    "patternTransform=\"rotate(45)\">"
                    "<rect width=\"6\" height=\"6\" fill=\"#f4f4f4\"/><rect width=\"2\" height=\"6\" "
                    "fill=\"#d0d0d0\"/></pattern></defs>\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" y=\"18\" font-size=\"14\">" +
                    xmlText(title) + "</text>\n";
  double x = left;
  for (const Kind &kind : kinds()) {
    svg += "<rect x=\"" + number(x) + "\" y=\"28\" width=\"12\" height=\"12\" fill=\"" + kind.colour +
           "\"/><text x=\"" + number(x + 16) + "\" y=\"38\">" + kind.label + "</text>\n";
    x += 40 + 6.2 * std::string(kind.label).size();
  }
  svg += "<rect x=\"" + number(x) + "\" y=\"28\" width=\"12\" height=\"12\" fill=\"url(#wait)\"/><text x=\"" +
         number(x + 16) + "\" y=\"38\">waits</text>\n";

  for (int64_t tick = tickOf(cycles, std::max<int64_t>(8, width / 150)), t = 0; t <= cycles; t += tick) {
    std::string at = number(left + t * scale);
    svg += "<line x1=\"" + at + "\" y1=\"" + number(top - 4) + "\" x2=\"" + at + "\" y2=\"" + number(bottom) +
           "\" stroke=\"#e0e0e0\"/><text x=\"" + at + "\" y=\"" + number(bottom + 14) + "\" text-anchor=\"middle\">" +
           std::to_string(t) + "</text>\n";
  }
  svg += "<text x=\"" + number(left) + "\" y=\"" + number(bottom + 30) + "\">cycles</text>\n";
  for (auto [i, lane] : llvm::enumerate(lanes))
    svg += "<text x=\"" + number(left - 8) + "\" y=\"" + number(top + i * (row + gap) + 17) +
           "\" text-anchor=\"end\">" + xmlText(lane) + "</text>\n";
  for (const SimEvent &event : result.events) {
    size_t lane =
        std::find(lanes.begin() + (event.onUnit ? result.groups.size() : 0), lanes.end(), event.lane) - lanes.begin();
    if (lane == lanes.size())
      continue;
    double y = top + lane * (row + gap), w = std::max(0.3, (event.end - event.begin) * scale);
    svg += "<g><title>" + xmlText(event.name) + (event.wait ? " waits" : "") + ": " + std::to_string(event.begin) +
           " to " + std::to_string(event.end) + "</title><rect x=\"" + number(left + event.begin * scale) + "\" y=\"" +
           number(y) + "\" width=\"" + number(w) + "\" height=\"" + number(row) + "\" fill=\"" +
           (event.wait ? "url(#wait)" : kindOf(event.op).colour) + "\"" +
           (w > 3 ? " stroke=\"white\" stroke-width=\"0.5\"" : "") + "/>";
    if (w > 6.5 * event.name.size() + 4)
      svg += "<text x=\"" + number(left + event.begin * scale + 3) + "\" y=\"" + number(y + 17) + "\"" +
             (event.wait ? " fill=\"#909090\"" : "") + ">" + xmlText(event.name) + "</text>";
    svg += "</g>\n";
  }
  return svg + "</svg>\n";
}
