//===- PlanText.cpp - the plan of a compilation as text ---------------------===//
//
// What:      see the header. The text is a dictionary attribute of MLIR with comments.
// Where:     behind TileToWarp, which makes the last decisions; the lowering below it makes none.
//
//===----------------------------------------------------------------------===//
#include "PlanText.h"

#include "PlanOptions.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Transforms/SplitContraction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace heddle {
namespace {

/// A word as the attribute parser takes it bare, else in quotes.
std::string word(StringRef text) {
  bool bare = !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
              llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (bare)
    return text.str();
  std::string out;
  llvm::raw_string_ostream os(out);
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
  return out;
}

std::string list(ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

/// The decisions on one label, and who made them.
class Line {
public:
  Line(StringRef label, unsigned depth) : label(label), depth(depth) {}

  void add(StringRef key, const std::string &value, StringRef who) {
    text += (text.empty() ? "" : ", ") + key.str() + " = " + value;
    std::string &keys = makers[who];
    keys += (keys.empty() ? "" : ", ") + key.str();
  }
  /// One value a sub-tile, or one for all.
  void add(StringRef key, ArrayRef<int64_t> values, StringRef who) {
    add(key, llvm::all_equal(values) ? std::to_string(values.front()) : list(values), who);
  }

  void note(const std::string &said) { remark = said; }

  void print(llvm::raw_ostream &os, bool last) const {
    os.indent(2 + 2 * depth) << word(label) << " = {" << text << "}" << (last ? "" : ",");
    StringRef separator = " // ";
    for (auto &[who, keys] : makers) {
      os << separator << who << ": " << keys;
      separator = "; ";
    }
    os << (remark.empty() ? "" : separator) << remark << "\n";
  }

private:
  std::string label, text, remark;
  unsigned depth;
  llvm::MapVector<StringRef, std::string> makers;
};

class Describer {
public:
  Describer(Compilation &compilation, const Plan &plan, const FormOptions &options, bool persistent,
            const Machine &machine)
      : compilation(compilation), plan(plan), options(options), persistent(persistent), machine(machine),
        decisions(compilation.decisions) {}

  std::string run() {
    auto kernel = *compilation.instructions->getOps<tile::KernelOp>().begin();
    describeKernel(kernel);
    kernel->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { describeLoop(loop); });
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "// plan of kernel '" << kernel.getSymName() << "' for machine '" << machine.name()
       << "': every decision, and behind // who made it\n{\n";
    for (auto [i, line] : llvm::enumerate(lines))
      line.print(os, i + 1 == lines.size());
    os << "}\n";
    return text;
  }

private:
  StringRef whoOf(Operation *op, StringRef key, StringRef otherwise) const {
    return plan.find(op, key) ? "user" : otherwise;
  }

  void describeKernel(tile::KernelOp kernel) {
    Line line(kernelLabel, 0);
    describeParameters(line);
    auto written = *compilation.tile->getOps<tile::KernelOp>().begin();
    bool asked = options.groups != 0 || plan.ofKernel("groups") || written->hasAttr("groups");
    line.add("groups", std::to_string(kernel->getAttrOfType<IntegerAttr>("groups").getInt()),
             asked ? "user" : "default");
    line.add("tiles", std::to_string(turnsOf(kernel)),
             plan.ofKernel("tiles") || options.tilesInFlight ? "user"
             : turnsOf(kernel) > 1                           ? "solver"
                                                             : "default");
    line.add("persistent", persistent ? "true" : "false",
             plan.ofKernel("persistent") || options.persistent != Persistence::WhereItGains ? "user" : "default");
    bool sourced = options.tileSource || plan.ofKernel("tile_source");
    scf::ForOp programs = programLoop(kernel);
    bool counted = programs && programs->hasAttr(countedAttr);
    if (counted || (persistent && sourced))
      line.add("tile_source", ("\"" + (counted ? counterSource : strideSource) + "\"").str(),
               sourced ? "user" : "default");
    tile::GridOp grid = *written.getBody().getOps<tile::GridOp>().begin();
    if (std::optional<uint64_t> raster = grid.getRaster())
      line.add("raster", std::to_string(*raster), plan.ofKernel("raster") ? "user" : "program");
    if (auto split = written->getAttrOfType<IntegerAttr>(splitAttr))
      line.add("split_k", std::to_string(split.getInt()), "user");
    if (bool asked = plan.ofKernel("blocks"); asked || options.blocks > 1)
      line.add("blocks", std::to_string(plan.number("blocks", options.blocks)), asked ? "user" : "default");
    const PlanValue *specialize = plan.ofKernel("warp_specialize");
    if (specialize || options.specialize)
      line.add("warp_specialize",
               (specialize ? cast<BoolAttr>(specialize->value).getValue() : *options.specialize) ? "true" : "false",
               "user");
    if (const PlanValue *stores = plan.ofKernel("store_warp"))
      line.add("store_warp", cast<BoolAttr>(stores->value).getValue() ? "true" : "false", "user");
    if (!compilation.cluster.empty())
      line.add("cluster", list(compilation.cluster), "user");
    ProgramOrder order = compilation.order;
    if (bool ordered = plan.ofKernel("descending") || order.upward; ordered || order.section)
      line.add(order.upward ? "ascending" : "descending",
               order.least ? list(SmallVector<int64_t>{order.least, order.section}) : std::to_string(order.section),
               ordered ? "user" : "default");
    if (compilation.retiled)
      line.add("retile", std::to_string(*compilation.retiled), plan.ofKernel("retile") ? "user" : "default");
    if (compilation.retiled.value_or(0) && compilation.narrowed)
      line.add("narrow", "true", plan.ofKernel("narrow") ? "user" : "default");
    if (compilation.once)
      line.add("once", *compilation.once ? "true" : "false", plan.ofKernel("once") ? "user" : "default");
    if (compilation.defers)
      line.add("defer", *compilation.defers ? "true" : "false", plan.ofKernel("defer") ? "user" : "default");
    if (compilation.stageOuter)
      line.add("stage_outer", *compilation.stageOuter ? "true" : "false",
               plan.ofKernel("stage_outer") ? "user" : "default");
    if (compilation.threadCopies)
      line.add("thread_copies", *compilation.threadCopies ? "true" : "false",
               plan.ofKernel("thread_copies") ? "user" : "default");
    if (bool asked = plan.ofKernel("reread"); asked || compilation.rows == Rows::Reread)
      line.add("reread", compilation.rows == Rows::Reread ? "true" : "false", asked ? "user" : "default");
    if (const PlanValue *parts = plan.ofKernel("parts"))
      line.add("parts", list(planNumbers(parts->value)), "user");
    else if (!compilation.parts.empty())
      line.add("parts", list(compilation.parts), "default");
    if (const PlanValue *overlap = plan.ofKernel("overlap"); overlap || !options.overlap)
      line.add("overlap", overlap && cast<BoolAttr>(overlap->value).getValue() ? "true" : "false",
               !overlap && options.blocks > 1 && !plan.ofKernel("blocks") ? "default" : "user");
    if (int64_t most = options.warp.maxDepth; plan.ofKernel("depth") || most != TileToWarpOptions().maxDepth)
      line.add("depth", std::to_string(plan.number("depth", most)), plan.ofKernel("depth") ? "user" : "default");
    if (const PlanValue *resolution = plan.ofKernel("resolution"))
      line.add("resolution", std::to_string(planNumbers(resolution->value).front()), "user");
    line.add("smem", std::to_string(machine.memoryCapacity("smem")), plan.ofKernel("smem") ? "user" : "default");
    line.add("registers", list(decisions.registers), plan.ofKernel("registers") ? "user" : "default");
    if (int64_t spare = compilation.spareRegisters; spare || plan.ofKernel("spare"))
      line.add("spare", std::to_string(plan.number("spare", spare)), plan.ofKernel("spare") ? "user" : "default");
    for (const TextDecision &decision : textDecisions())
      if (const PlanValue *planned = plan.ofKernel(decision.key); planned || options.*decision.option)
        line.add(decision.key, !planned || cast<BoolAttr>(planned->value).getValue() ? "true" : "false", "user");
    if (const PlanValue *countMasks = plan.ofKernel("count_masks"))
      line.add("count_masks", cast<BoolAttr>(countMasks->value).getValue() ? "true" : "false", "user");
    if (const PlanValue *turned = plan.ofKernel("turned_stores"))
      line.add("turned_stores", cast<BoolAttr>(turned->value).getValue() ? "true" : "false", "user");
    const PlanValue *oneCode = plan.ofKernel("one_code");
    if (oneCode || compilation.oneCode)
      line.add("one_code", compilation.oneCode ? "true" : "false", oneCode ? "user" : "default");
    if (compilation.skipOnes)
      line.add("skip_ones", *compilation.skipOnes ? "true" : "false", plan.ofKernel("skip_ones") ? "user" : "default");
    if (compilation.startSums)
      line.add("start_sums", *compilation.startSums ? "true" : "false",
               plan.ofKernel("start_sums") ? "user" : "default");
    if (compilation.transposeProducts)
      line.add("transpose_products", *compilation.transposeProducts ? "true" : "false",
               plan.ofKernel("transpose_products") ? "user" : "default");
    lines.push_back(std::move(line));
  }

  void describeParameters(Line &line) {
    std::string values;
    for (auto &[name, value] : compilation.parameters)
      values += (values.empty() ? "" : ", ") + word(name) + " = " + std::to_string(value);
    bool asked = plan.ofKernel("parameters") || !options.parameters.empty();
    if (!values.empty())
      line.add("parameters", "{" + values + "}", asked ? "user" : "program");
  }

  void describeLoop(scf::ForOp loop) {
    unsigned depth = 0;
    for (Operation *parent = loop->getParentOp(); isa<scf::ForOp>(parent); parent = parent->getParentOp())
      ++depth;
    Line line(plan.label(loop), depth);
    if (auto parent = dyn_cast<scf::ForOp>(loop->getParentOp()))
      line.add("in", "\"" + plan.label(parent).str() + "\"", "program");
    auto scheduled = llvm::find_if(compilation.loops, [&](auto &made) { return made.extracted.loop == loop; });
    if (scheduled == compilation.loops.end()) {
      lines.push_back(std::move(line));
      return;
    }
    const WarpDecisions::Loop &lowered = decisions.loops[scheduled - compilation.loops.begin()];
    const Problem &problem = scheduled->extracted.problem;
    const Schedule &schedule = scheduled->result.schedule;
    StringRef scheduler = schedulerOf(*scheduled);
    line.add("scale", std::to_string(problem.scale), whoOf(loop, "scale", "default"));
    line.add("interval", std::to_string(schedule.ii * problem.scale), whoOf(loop, "interval", scheduler));
    if (std::vector<Constraint> missing = schedule.constraints.missing(); !missing.empty()) {
      std::string names;
      for (Constraint constraint : missing)
        names += (names.empty() ? "\"" : ", \"") + std::string(constraintName(constraint)) + "\"";
      line.add("without", "[" + names + "]", "user");
    }
    SmallVector<int64_t> cuts;
    for (auto [group, cut] : lowered.cut)
      if (group >= 0) {
        cuts.resize(std::max<size_t>(cuts.size(), group + 1), 0);
        cuts[group] = cut;
      }
    if (!cuts.empty() && !llvm::is_contained(cuts, -1))
      line.add("cut", list(cuts), whoOf(loop, "cut", "default"));
    if (lowered.ordered || plan.find(loop, "ordered"))
      line.add("ordered", lowered.ordered ? "true" : "false", whoOf(loop, "ordered", "default"));
    lines.push_back(std::move(line));

    int firstCompute = problem.findGroup("compute0");
    llvm::MapVector<StringRef, SmallVector<std::pair<int, Operation *>>> byLabel; // with the node of each
    for (auto [v, members] : llvm::enumerate(scheduled->extracted.ops))
      for (Operation *op : members)
        byLabel[plan.label(op)].push_back({static_cast<int>(v), op});
    auto slots = [&](int v) {
      auto ring = lowered.rings.find(problem.nodes[v].name);
      return ring == lowered.rings.end() ? 1 : decisions.slots.at(ring->second);
    };
    // Where one ring has fewer slots than the schedule keeps, those that others got more of leave too little for that.
    bool allHold = true;
    for (auto [v, node] : llvm::enumerate(problem.nodes))
      allHold &= !lowered.rings.count(node.name) || slots(static_cast<int>(v)) >= schedule.depth[v];
    for (auto &[label, operations] : byLabel) {
      auto [node, op] = operations.front();
      const Node &first = problem.nodes[node];
      auto values = [&, &operations = operations](llvm::function_ref<int64_t(int)> of) {
        int64_t size = 1;
        for (auto [v, member] : operations)
          size = std::max(size, groupOf(member) + 1);
        SmallVector<int64_t> result(operations.size() == 1 ? 1 : size, of(operations.front().first));
        for (auto [v, member] : operations)
          result[operations.size() == 1 ? 0 : groupOf(member)] = of(v);
        return result;
      };
      Line line(label, depth + 1);
      if (!first.variableLatency && firstCompute >= 0)
        line.add("group", values([&](int v) { return schedule.group[v] - firstCompute; }),
                 whoOf(op, "group", scheduler));
      line.add("stage", values([&](int v) { return schedule.start[v] / schedule.ii; }),
               whoOf(op, "stage", whoOf(op, "start", scheduler)));
      line.add("start", values([&](int v) { return schedule.start[v] * problem.scale; }),
               whoOf(op, "start", scheduler));
      // Pinned rings hold what the schedule keeps alive. The lowering may do with fewer slots, by the rule that a
      // replay follows again: then loads start later than their times.
      bool holds =
          llvm::all_of(operations, [&](auto &member) { return slots(member.first) >= schedule.depth[member.first]; });
      if (lowered.rings.count(first.name) && (allHold || (holds && plan.find(op, "ring"))))
        line.add("ring", values(slots), whoOf(op, "ring", "default"));
      else if (lowered.rings.count(first.name))
        line.note("ring of " + std::to_string(slots(node)) + ", by what fits" +
                  (holds ? "" : "; the schedule would keep " + std::to_string(schedule.depth[node])));
      if (const PlanValue *inflight = plan.find(op, "inflight"))
        line.add("inflight", planNumbers(inflight->value), "user");
      lines.push_back(std::move(line));
    }
  }

  StringRef schedulerOf(const ScheduledLoop &loop) const {
    if (plannedSchedule(loop.extracted) || !options.scheduleFiles.empty())
      return "user";
    return options.scheduler == SchedulerKind::Heuristic ? "heuristic"
           : options.scheduler == SchedulerKind::Random  ? "random"
                                                         : "solver";
  }

  Compilation &compilation;
  const Plan &plan;
  const FormOptions &options;
  bool persistent;
  const Machine &machine;
  const WarpDecisions &decisions;
  std::vector<Line> lines;
};
} // namespace

std::string describePlan(Compilation &compilation, const Plan &plan, const FormOptions &options, bool persistent,
                         const Machine &machine) {
  return Describer(compilation, plan, options, persistent, machine).run();
}

} // namespace heddle
