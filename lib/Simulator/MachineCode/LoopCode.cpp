//===- LoopCode.cpp - see LoopCode.h ----------------------------------------===//
#include "LoopCode.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace heddle::sim {

bool isOrder(const CodeBarrier &barrier) {
  return barrier.turns > 1 && barrier.turns == barrier.slots && !barrier.name.ends_with(".empty");
}

int64_t emptyOf(const CodeKernel &kernel, int64_t full) {
  const std::string &name = kernel.barriers[full].name;
  if (!name.ends_with(".full"))
    return -1;
  std::string wanted = name.substr(0, name.size() - 5) + ".empty";
  for (size_t i = 0; i < kernel.barriers.size(); ++i)
    if (kernel.barriers[i].name == wanted)
      return static_cast<int64_t>(i);
  return -1;
}

static StepKind kindOf(const std::string &opcode) {
  static const std::map<std::string, StepKind> kinds = [] {
    std::map<std::string, StepKind> out;
    auto add = [&](StepKind kind, std::initializer_list<const char *> names) {
      for (const char *name : names)
        out[name] = kind;
    };
    add(StepKind::Fma, {"FFMA", "FADD", "FMUL"});
    add(StepKind::Alu, {"FMNMX",  "FSEL", "FSETP", "LOP3",  "IADD3",  "SHF",   "ISETP",  "PRMT", "F2FP",
                        "MOV",    "SEL",  "IMNMX", "PLOP3", "VIMNMX", "VIADD", "LEA",    "IABS", "CS2R",
                        "HMNMX2", "FCHK", "P2R",   "R2P",   "BMSK",   "SGXT",  "HSETP2", "POPC"});
    add(StepKind::Multiply, {"IMAD", "HADD2", "HFMA2", "HMUL2"});
    add(StepKind::Special, {"MUFU"});
    add(StepKind::Exchange, {"SHFL"});
    add(StepKind::SharedRead, {"LDS", "LDSM"});
    add(StepKind::SharedWrite, {"STS", "STSM"});
    add(StepKind::GlobalRead, {"LDG", "LD"});
    add(StepKind::Product, {"HGMMA", "QGMMA", "IGMMA", "BGMMA"});
    add(StepKind::GroupBarrier, {"BAR"});
    add(StepKind::Fence, {"FENCE", "MEMBAR"});
    add(StepKind::BulkStore, {"UTMASTG", "UTMAREDG", "UBLKRED", "UBLKCP"});
    add(StepKind::BulkWait, {"DEPBAR"});
    add(StepKind::Branch, {"BRA"});
    return out;
  }();
  if (opcode.starts_with("SYNCS."))
    return opcode.starts_with("SYNCS.PHASECHK") ? StepKind::BarrierWait : StepKind::BarrierArrive;
  if (opcode.starts_with("WARPGROUP.DEPBAR"))
    return StepKind::ProductWait;
  auto known = kinds.find(opcode.substr(0, opcode.find('.')));
  return known == kinds.end() ? StepKind::Other : known->second;
}

namespace {
class Reader {
public:
  Reader(const CodeListing &listing, const CodeKernel &kernel)
      : code(listing.instructions), listing(listing), kernel(kernel), loops(listing.loops()),
        waitsAgain(code.size(), false), ofFactor(code.size(), false) {
    for (const CodeLoop &loop : loops)
      if (loop.last - loop.first < 12 && listing.has(loop, "SYNCS.PHASECHK") && !hasProducts(loop))
        for (int64_t i = loop.first; i <= loop.last; ++i)
          waitsAgain[i] = code[i].predicated;
    findFactorTests();
  }
  Result<LoopCode> read() const;

private:
  bool hasProducts(const CodeLoop &loop) const {
    for (int64_t i = loop.first; i <= loop.last; ++i)
      if (kindOf(code[i].opcode) == StepKind::Product)
        return true;
    return false;
  }
  std::vector<CodeLoop> innermost(bool products) const;
  std::vector<CodeLoop> mainLoops() const;
  int64_t barrierOf(const CodeInstruction &instruction) const;
  bool skips(int64_t branch, int64_t target) const;
  void findFactorTests();
  Step stepOf(const CodeInstruction &instruction) const;
  GroupCode groupOf(const CodeLoop &loop) const;

  const std::vector<CodeInstruction> &code;
  const CodeListing &listing;
  const CodeKernel &kernel;
  std::vector<CodeLoop> loops;
  std::vector<bool> waitsAgain; ///< what a loop that only waits does when it has waited in vain
  std::vector<bool> ofFactor;   ///< predicated by a vote on whether a factor is one
};
} // namespace

/// Follows predicates in the order of the text: a comparison with one, a vote over it, and what the vote's result
/// decides.
void Reader::findFactorTests() {
  std::set<std::string> compared, voted;
  auto operand = [](const CodeInstruction &instruction, int number) {
    std::istringstream all(instruction.operands);
    std::string text;
    for (int i = 0; i <= number; ++i)
      std::getline(all >> std::ws, text, ',');
    return text;
  };
  for (size_t i = 0; i < code.size(); ++i) {
    const CodeInstruction &instruction = code[i];
    bool isNegated = instruction.predicate.starts_with('!');
    ofFactor[i] = voted.count(instruction.predicate.substr(isNegated));
    bool compares = instruction.opcode.starts_with("FSETP.NEU") && operand(instruction, 3) == "1";
    bool votes = instruction.opcode == "VOTE.ANY" && compared.count(operand(instruction, 1));
    std::string result = operand(instruction, 0);
    if (result.size() != 2 || result[0] != 'P' || result == "PT")
      continue;
    compared.erase(result);
    voted.erase(result);
    if (compares)
      compared.insert(result);
    if (votes)
      voted.insert(result);
  }
}

/// Loops that hold products, or copies, and no other such loop.
std::vector<CodeLoop> Reader::innermost(bool products) const {
  std::vector<CodeLoop> with, out;
  for (const CodeLoop &loop : loops)
    if (products ? hasProducts(loop) : listing.has(loop, "UTMALDG") && !hasProducts(loop))
      with.push_back(loop);
  for (const CodeLoop &loop : with)
    if (std::none_of(with.begin(), with.end(),
                     [&](const CodeLoop &other) { return loop.holds(other) && !(other.holds(loop)); }))
      out.push_back(loop);
  return out;
}

/// One of each group that has code of its own: between two of them the code of a group ends.
std::vector<CodeLoop> Reader::mainLoops() const {
  std::vector<CodeLoop> out;
  for (const CodeLoop &loop : innermost(true)) {
    bool sameGroup = !out.empty();
    for (int64_t i = sameGroup ? out.back().last : 0; sameGroup && i < loop.first; ++i)
      sameGroup = !code[i].opcode.starts_with("EXIT");
    if (!sameGroup)
      out.push_back(loop);
    else if (loop.last - loop.first < out.back().last - out.back().first)
      out.back() = loop;
  }
  return out;
}

int64_t Reader::barrierOf(const CodeInstruction &instruction) const {
  size_t close = instruction.operands.find(']'), at = instruction.operands.rfind("+0x", close);
  int64_t offset = at == std::string::npos ? -1 : std::strtoll(instruction.operands.c_str() + at + 1, nullptr, 16);
  for (size_t i = 0; i < kernel.barriers.size(); ++i) {
    const CodeBarrier &barrier = kernel.barriers[i];
    if (offset < 0 ? isOrder(barrier) : offset >= barrier.offset && offset < barrier.offset + 8 * barrier.slots)
      return static_cast<int64_t>(i);
  }
  return -1;
}

Step Reader::stepOf(const CodeInstruction &instruction) const {
  Step step;
  step.kind = kindOf(instruction.opcode);
  step.stall = instruction.stall;
  step.setsOnResult = instruction.setsOnResult;
  step.setsOnOperands = instruction.setsOnOperands;
  step.waits = instruction.waits;
  auto number = [](const std::string &text, size_t at) { return std::strtoll(text.c_str() + at, nullptr, 0); };
  switch (step.kind) {
  case StepKind::Product: {
    step.columns = number(instruction.opcode, instruction.opcode.find("64x") + 3);
    size_t second = instruction.operands.find(", ");
    step.fromRegisters = second != std::string::npos && instruction.operands[second + 2] == 'R';
    step.endsGroup = instruction.operands.find("gsb0") != std::string::npos;
    break;
  }
  case StepKind::ProductWait: step.pending = number(instruction.operands, instruction.operands.rfind(' ') + 1); break;
  case StepKind::BarrierWait:
  case StepKind::BarrierArrive: step.barrier = barrierOf(instruction); break;
  case StepKind::SharedRead:
  case StepKind::SharedWrite:
    if (instruction.opcode.find("M.") != std::string::npos) // matrices of 8 x 8, one, two or four
      step.bits = instruction.opcode.ends_with(".4") ? 128 : instruction.opcode.ends_with(".2") ? 64 : 32;
    else
      step.bits = instruction.opcode.ends_with(".128") ? 128 : instruction.opcode.ends_with(".64") ? 64 : 32;
    break;
  default: break;
  }
  return step;
}

/// Whether the steady state takes the forward branch at `branch`.
bool Reader::skips(int64_t branch, int64_t target) const {
  if (!code[branch].predicated)
    return true;
  if (ofFactor[branch])
    return code[branch].predicate.starts_with('!');
  for (int64_t i = branch + 1; i < target; ++i) {
    if (waitsAgain[i])
      return true;
    StepKind kind = kindOf(code[i].opcode);
    bool arithmetic = kind == StepKind::Alu || kind == StepKind::Multiply ||
                      (kind == StepKind::Other && !code[i].opcode.starts_with("WARP") && code[i].opcode[0] == 'U' &&
                       !code[i].opcode.starts_with("UTMA"));
    if (!arithmetic)
      return false;
  }
  return true;
}

GroupCode Reader::groupOf(const CodeLoop &loop) const {
  GroupCode out;
  int64_t begin = loop.first;
  while (begin > 0 && !code[begin - 1].opcode.starts_with("EXIT") && !code[begin - 1].opcode.starts_with("BRX"))
    --begin;
  for (int64_t i = begin; i < loop.first; ++i) {
    StepKind kind = kindOf(code[i].opcode);
    if (waitsAgain[i] || (kind != StepKind::BarrierWait && kind != StepKind::BarrierArrive))
      continue;
    ++(kind == StepKind::BarrierWait ? out.waited : out.arrived)[barrierOf(code[i])];
  }
  for (int64_t i = loop.first; i <= loop.last; ++i) {
    if (waitsAgain[i]) { // the predicate, which says that the first wait was long enough, is read all the same
      out.steps.emplace_back();
      out.steps.back().waits = code[i].waits;
      continue;
    }
    out.steps.push_back(stepOf(code[i]));
    if (ofFactor[i] && code[i].target.empty() && !code[i].predicate.starts_with('!'))
      out.steps.back().kind = StepKind::Other;
    auto target = listing.labels.find(code[i].target);
    if (code[i].target.empty() || target == listing.labels.end())
      continue;
    int64_t to = target->second;
    if (to > i + 1 && to <= loop.last && skips(i, to))
      i = to - 1;
  }
  return out;
}

Result<LoopCode> Reader::read() const {
  std::vector<CodeLoop> main = mainLoops();
  if (main.empty())
    return userError("expected a loop with products in the machine code, got none");
  if (kernel.groups > 1 && main.size() != 1 && static_cast<int64_t>(main.size()) != kernel.groups)
    return userError("expected one main loop, or one for each of " + std::to_string(kernel.groups) + " groups, got " +
                     std::to_string(main.size()));
  LoopCode out;
  for (int64_t g = 0; g < kernel.groups; ++g)
    out.groups.push_back(groupOf(main[main.size() == 1 ? 0 : g]));
  std::vector<CodeLoop> loads = innermost(false);
  if (loads.empty())
    return out;
  for (int64_t i = loads.back().first; i <= loads.back().last; ++i) {
    int64_t barrier = kindOf(code[i].opcode) == StepKind::BarrierArrive ? barrierOf(code[i]) : -1;
    bool ring = barrier >= 0 && emptyOf(kernel, barrier) >= 0;
    if (ring && std::find(out.copies.begin(), out.copies.end(), barrier) == out.copies.end())
      out.copies.push_back(barrier);
  }
  return out;
}

Result<LoopCode> readMainLoop(const CodeListing &listing, const CodeKernel &kernel) {
  return Reader(listing, kernel).read();
}

} // namespace heddle::sim
