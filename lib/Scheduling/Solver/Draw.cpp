//===- Draw.cpp - Schedules and graphs as SVG -----------------------------===//
//
// What:      self-contained SVG text; colours by warp group, one palette for all pictures; titles carry exact numbers.
// Trusts:    the schedule is legal.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Draw.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Support/Text.h"

#include <algorithm>
#include <cstdio>

namespace heddle {
namespace {

constexpr const char *palette[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                   "#b07aa1", "#76b7b2", "#edc948", "#9c755f"};

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  return buffer;
}

class Canvas {
public:
  std::string body;
  double width = 0, height = 0;

  void grow(double x, double y) {
    width = std::max(width, x);
    height = std::max(height, y);
  }
  void rect(double x, double y, double w, double h, const std::string &fill, const std::string &title,
            const std::string &label = "", double opacity = 1) {
    grow(x + w + 10, y + h + 10);
    body += "<g><title>" + xmlText(title) + "</title><rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
            number(std::max(w, 1.0)) + "\" height=\"" + number(h) + "\" fill=\"" + fill + "\" fill-opacity=\"" +
            number(opacity) + "\" stroke=\"#fff\" stroke-width=\"0.5\"/>";
    size_t fits = static_cast<size_t>(std::max(0.0, (w - 4) / 6.2));
    if (!label.empty() && fits >= 1)
      body += "<text x=\"" + number(x + w / 2) + "\" y=\"" + number(y + h / 2 + 4) +
              "\" text-anchor=\"middle\" fill=\"#fff\">" + xmlText(label.substr(0, fits)) + "</text>";
    body += "</g>\n";
  }
  void text(double x, double y, const std::string &label, const char *anchor = "start", const char *weight = "normal") {
    grow(x + (anchor[0] == 's' ? 6.5 * static_cast<double>(label.size()) : 0) + 10, y + 10);
    body += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\" font-weight=\"" +
            weight + "\">" + xmlText(label) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char *style) {
    grow(std::max(x1, x2) + 10, std::max(y1, y2) + 10);
    body += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
            "\" " + style + "/>\n";
  }
  std::string finish() const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" + number(height) +
           "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
           "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
           "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#555\"/></marker></defs>\n" +
           body + "</svg>\n";
  }
};

std::string colour(const Schedule &s, int v) {
  int g = s.group[v];
  return g < 0 ? palette[0] : palette[static_cast<size_t>(g) % std::size(palette)];
}

constexpr double left = 120, row = 24;

void axis(Canvas &c, double y, double scale, int64_t cycles, int64_t every) {
  for (int64_t t = 0; t <= cycles; t += every) {
    c.line(left + static_cast<double>(t) * scale, y, left + static_cast<double>(t) * scale, y + 4, "stroke=\"#888\"");
    c.text(left + static_cast<double>(t) * scale, y + 15, std::to_string(t), "middle");
  }
}

int64_t tick(int64_t cycles) {
  int64_t every = 1;
  for (int64_t factor :
       {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000, 1000000, 10000000, 100000000})
    if (every = factor; cycles / factor <= 12)
      break;
  return every;
}

/// The interval wraps: draws [begin, begin + length) modulo ii as up to two boxes.
void modular(Canvas &c, double y, double h, double scale, int64_t ii, int64_t begin, int64_t length,
             const std::string &fill, const std::string &title, const std::string &label, double opacity = 1) {
  for (length = std::min(length, ii); length > 0;) {
    int64_t slot = begin % ii, part = std::min(length, ii - slot);
    c.rect(left + static_cast<double>(slot) * scale, y, static_cast<double>(part) * scale, h, fill, title, label,
           opacity);
    begin += part;
    length -= part;
  }
}

/// A step curve of use per slot with its limit.
double useCurve(Canvas &c, double y, double scale, const std::string &label, const std::vector<int64_t> &use,
                int64_t limit) {
  int64_t peak = *std::max_element(use.begin(), use.end());
  int64_t top = std::max<int64_t>({limit, peak, 1});
  constexpr double h = 44;
  c.text(4, y + 14, label);
  c.text(4, y + 28, "peak " + std::to_string(peak) + (limit ? " of " + std::to_string(limit) : ""));
  for (size_t s = 0; s < use.size();) {
    size_t e = s;
    while (e < use.size() && use[e] == use[s])
      ++e;
    double part = h * static_cast<double>(use[s]) / static_cast<double>(top);
    c.rect(left + static_cast<double>(s) * scale, y + h - part, static_cast<double>(e - s) * scale, part, "#9aa7b8",
           "slots " + std::to_string(s) + " to " + std::to_string(e - 1) + ": " + std::to_string(use[s]));
    s = e;
  }
  double limitY = y + h - h * static_cast<double>(limit) / static_cast<double>(top);
  if (limit)
    c.line(left, limitY, left + static_cast<double>(use.size()) * scale, limitY,
           "stroke=\"#c00\" stroke-dasharray=\"4 3\"");
  return y + h + 12;
}

} // namespace

Status checkDrawable(const Problem &p, const Schedule &s) {
  auto most = [](const char *what, int64_t limit, int64_t got) {
    return Error(ErrorKind::Limit,
                 "expected at most " + std::to_string(limit) + " " + what + " to draw, got " + std::to_string(got));
  };
  if (int64_t nodes = static_cast<int64_t>(p.nodes.size()); nodes > mostDrawnNodes)
    return most("nodes", mostDrawnNodes, nodes);
  if (int64_t stages = s.stages(p); stages > mostDrawnStages)
    return most("stages", mostDrawnStages, stages);
  return Status::success();
}

std::string drawSchedule(const Problem &p, const Schedule &s) {
  Canvas c;
  int n = static_cast<int>(p.nodes.size());
  double y = 20;
  c.text(4, y,
         p.name + ": interval " + std::to_string(s.ii) + ", length " + std::to_string(s.length(p)) + ", " +
             std::to_string(s.stages(p)) + " stages",
         "start", "bold");
  double x = left;
  y += 10;
  for (size_t g = 0; g < p.groups.size(); ++g) {
    c.rect(x, y, 12, 12, palette[g % std::size(palette)], p.groups[g].name);
    c.text(x + 16, y + 10, p.groups[g].name);
    x += 32 + 6.5 * static_cast<double>(p.groups[g].name.size());
  }
  y += 34;

  // 1. Modular reservation table.
  double scale = 760.0 / static_cast<double>(s.ii);
  c.text(4, y, "modular reservation table", "start", "bold");
  y += 8;
  SlotUse use = computeUse(p, s);
  for (size_t u = 0; u < p.units.size(); ++u) {
    c.text(4, y + 16, p.units[u].name + " (" + std::to_string(p.units[u].capacity) + ")");
    double h = row - 4;
    int lanes = static_cast<int>(std::min<int64_t>(p.units[u].capacity, 4)), lane = 0;
    for (int v = 0; v < n; ++v)
      for (const Reservation &r : p.nodes[v].reservations)
        if (r.unit == static_cast<int>(u)) {
          modular(c, y + h * (lane % lanes) / lanes, h / lanes, scale, s.ii, s.start[v] + r.start, r.length,
                  colour(s, v),
                  p.nodes[v].name + ": " + p.units[u].name + " from " + std::to_string(s.start[v] + r.start) + " for " +
                      std::to_string(r.length) + " cycles",
                  p.nodes[v].name, lanes > 1 ? 0.7 : 1);
          ++lane;
        }
    y += row;
  }
  axis(c, y, scale, s.ii, tick(s.ii));
  y += 40;

  // 2. Pipelined timeline: a few iterations by group, from the start of the first.
  int64_t stages = s.stages(p), iterations = std::min<int64_t>(stages + 1, 4);
  int64_t span = s.length(p) + (iterations - 1) * s.ii;
  double timeScale = 960.0 / static_cast<double>(std::max<int64_t>(span, 1));
  c.text(4, y, "timeline of " + std::to_string(iterations) + " iterations", "start", "bold");
  y += 8;
  size_t rows = std::max<size_t>(1, p.groups.size());
  for (size_t g = 0; g < rows; ++g) {
    // Lanes: first fit, so that overlapping operations of a group are all visible.
    struct Box {
      int64_t begin, end;
      int v;
      int64_t iteration;
    };
    std::vector<Box> boxes;
    for (int64_t i = 0; i < iterations; ++i)
      for (int v = 0; v < n; ++v)
        if (p.groups.empty() || s.group[v] == static_cast<int>(g))
          boxes.push_back(
              {s.start[v] + i * s.ii, s.start[v] + i * s.ii + std::max<int64_t>(1, p.nodes[v].latency), v, i});
    if (boxes.empty())
      continue;
    std::stable_sort(boxes.begin(), boxes.end(), [](const Box &a, const Box &b) { return a.begin < b.begin; });
    std::vector<int64_t> lanes;
    for (const Box &box : boxes) {
      size_t lane = 0;
      while (lane < lanes.size() && lanes[lane] > box.begin)
        ++lane;
      if (lane == lanes.size())
        lanes.push_back(0);
      lanes[lane] = box.end;
      c.rect(left + static_cast<double>(box.begin) * timeScale, y + static_cast<double>(lane) * 18,
             static_cast<double>(box.end - box.begin) * timeScale, 16, colour(s, box.v),
             p.nodes[box.v].name + ", iteration " + std::to_string(box.iteration) + ": " + std::to_string(box.begin) +
                 " to " + std::to_string(box.end),
             p.nodes[box.v].name, 1.0 - 0.18 * static_cast<double>(box.iteration));
    }
    c.text(4, y + 12, p.groups.empty() ? "all" : p.groups[g].name);
    y += 18 * static_cast<double>(lanes.size()) + 8;
  }
  for (int64_t i = 0; i * s.ii <= span && i <= mostDrawnStages + iterations; ++i)
    c.line(left + static_cast<double>(i * s.ii) * timeScale, y - 4, left + static_cast<double>(i * s.ii) * timeScale,
           y + 6, "stroke=\"#c00\"");
  axis(c, y, timeScale, span, tick(span));
  y += 40;

  // 3. Registers and memories over one interval.
  c.text(4, y, "registers and memory over one interval", "start", "bold");
  y += 8;
  for (size_t g = 0; g < p.groups.size(); ++g)
    if (*std::max_element(use.registers[g].begin(), use.registers[g].end()) > 0)
      y = useCurve(c, y, scale, p.groups[g].name + " regs", use.registers[g], p.groups[g].regs);
  for (size_t m = 0; m < p.memories.size(); ++m)
    y = useCurve(c, y, scale, p.memories[m].name, use.memories[m], p.memories[m].capacity);
  return c.finish();
}

std::string drawGraph(const Problem &p, const Schedule *s) {
  // Layers by longest path over edges of distance 0; inside a layer by node id.
  int n = static_cast<int>(p.nodes.size());
  std::vector<int> layer(n, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Edge &e : p.edges)
      if (e.distance == 0 && layer[e.to] < layer[e.from] + 1)
        layer[e.to] = layer[e.from] + 1, changed = true;
  }
  std::vector<int> used(static_cast<size_t>(n) + 1, 0);
  std::vector<std::pair<double, double>> at(n);
  Canvas c;
  constexpr double w = 120, h = 30;
  for (int v = 0; v < n; ++v)
    at[v] = {20 + (w + 30) * used[layer[v]]++, 20 + (h + 46) * layer[v]};
  for (const Edge &e : p.edges) {
    auto [x1, y1] = at[e.from];
    auto [x2, y2] = at[e.to];
    std::string style =
        std::string("stroke=\"#555\" marker-end=\"url(#arrow)\"") + (e.distance ? " stroke-dasharray=\"5 3\""
                                                                     : e.order  ? " stroke-dasharray=\"1 3\""
                                                                                : "");
    bool up = layer[e.to] <= layer[e.from];
    c.line(x1 + w / 2 + (up ? 20 : 0), up ? y1 : y1 + h, x2 + w / 2 + (up ? 20 : 0), up ? y2 + h : y2, style.c_str());
  }
  for (int v = 0; v < n; ++v) {
    std::string title = p.nodes[v].name + ", latency " + std::to_string(p.nodes[v].latency);
    if (s)
      title += ", at " + std::to_string(s->start[v]) + (s->group[v] >= 0 ? " on " + p.groups[s->group[v]].name : "");
    c.rect(at[v].first, at[v].second, w, h, s ? colour(*s, v) : "#777", title, p.nodes[v].name);
  }
  return c.finish();
}

std::string drawReport(const Problem &p, const Schedule &s, const std::string &text) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>" + xmlText(p.name) +
      "</title>\n<style>body{font-family:sans-serif;margin:2em}pre{background:#f4f4f4;padding:1em;"
      "white-space:pre-wrap}table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right;"
      "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}svg{max-width:100%}</style>"
      "</head>\n<body>\n<h1>" +
      xmlText(p.name) + "</h1>\n<h2>Why</h2>\n<pre>" + xmlText(text) + "</pre>\n<h2>Schedule</h2>\n" +
      drawSchedule(p, s) + "<h2>Dependence graph</h2>\n" + drawGraph(p, &s) +
      "<p>Dashed edges reach a later iteration.</p>\n<h2>Operations</h2>\n<table><tr><th>operation</th>"
      "<th>start</th><th>stage</th><th>slot</th><th>group</th><th>latency</th><th>depth</th><th>source</th></tr>\n";
  std::vector<int> order;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
    order.push_back(v);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return s.start[a] < s.start[b]; });
  for (int v : order)
    out += "<tr><td>" + xmlText(p.nodes[v].name) + "</td><td>" + std::to_string(s.start[v]) + "</td><td>" +
           std::to_string(s.start[v] / s.ii) + "</td><td>" + std::to_string(s.start[v] % s.ii) + "</td><td>" +
           (s.group[v] >= 0 ? xmlText(p.groups[s.group[v]].name) : "-") + "</td><td>" +
           std::to_string(p.nodes[v].latency) + "</td><td>" + std::to_string(s.depth[v]) + "</td><td>" +
           xmlText(p.nodes[v].loc) + "</td></tr>\n";
  return out + "</table>\n</body>\n</html>\n";
}

} // namespace heddle
