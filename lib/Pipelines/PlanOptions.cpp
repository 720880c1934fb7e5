//===- PlanOptions.cpp - what a plan says of a kernel, as options ----------===//
//
// What:      decisions about the whole kernel become the options of its compilation, and a smaller machine.
// Where:     at the beginning of compileKernel, before anything is decided. Keys that one step alone reads (defer,
//            once, the order of programs) are read there; loops and operations have theirs bound after selection.
// Verifies:  options of the command line and the plan say the same.
//
//===----------------------------------------------------------------------===//
#include "PlanOptions.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/Parameters.h"
#include "heddle/Transforms/Persist.h"
#include "heddle/Transforms/SplitContraction.h"

using namespace mlir;
namespace heddle {

ArrayRef<TextDecision> textDecisions() {
  static const TextDecision decisions[] = {
      {"ends", &FormOptions::endBlocks, hw::endBlocksAttr},
      {"slices", &FormOptions::slices, hw::slicesAttr},
      {"recompute", &FormOptions::recompute, hw::recomputeAttr},
      {"matrix_stores", &FormOptions::matrixStores, hw::matrixStoresAttr},
      {"drains", &FormOptions::drains, hw::drainsAttr},
      {"slices_behind", &FormOptions::slicesBehind, hw::slicesAttr, "behind"},
  };
  return decisions;
}

/// A parameter that a plan gives a value is one of the kernel's.
static LogicalResult checkParameter(tile::KernelOp kernel, StringRef name, Location loc) {
  ParameterValues known = parametersOf(kernel);
  if (known.count(name.str()))
    return success();
  std::string names;
  for (auto &[other, value] : known)
    names += (names.empty() ? "'" : ", '") + other + "'";
  return emitError(loc) << "plan: expected a parameter of the kernel"
                        << (names.empty() ? ", which has none" : " (" + names + ")") << ", got '" << name << "'";
}

/// As a plan has it: numbers without their types.
static std::string valueText(Attribute value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  return text;
}

void notePlanned(const Plan &plan, StringRef file, Diagnostic &diagnostic) {
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (place && place.getFilename() == file)
    return;
  for (StringRef key : {"parameters", "groups", "tiles", "blocks", "persistent", "warp_specialize", "cluster", "depth",
                        "smem", "registers", "spare", "overlap", "parts", "retile"})
    if (const PlanValue *value = plan.ofKernel(key); value && value->loc != diagnostic.getLocation())
      diagnostic.attachNote(value->loc) << "the plan says " << key << " = " << valueText(value->value);
}

LogicalResult applyToKernel(const Plan &plan, tile::KernelOp kernel, FormOptions &options, Machine &machine) {
  if (const PlanValue *groups = plan.ofKernel("groups")) {
    int64_t asked = options.groups, planned = planNumbers(groups->value).front();
    auto own = kernel->getAttrOfType<IntegerAttr>("groups");
    if (asked == 0 && own)
      asked = own.getInt();
    if (asked && asked != planned)
      return emitError(groups->loc) << "plan: expected groups = " << asked << " as asked for, got " << planned;
    options.groups = planned;
  }
  if (const PlanValue *parameters = plan.ofKernel("parameters"))
    for (NamedAttribute value : cast<DictionaryAttr>(parameters->value)) {
      if (failed(checkParameter(kernel, value.getName(), parameters->loc)))
        return failure();
      int64_t planned = cast<IntegerAttr>(value.getValue()).getInt();
      auto [known, isNew] = options.parameters.try_emplace(value.getName().str(), planned);
      if (!isNew && known->second != planned)
        return emitError(parameters->loc) << "plan: expected parameter " << known->first << " = " << known->second
                                          << " as asked for, got " << planned;
    }
  if (const PlanValue *tiles = plan.ofKernel("tiles")) {
    int64_t planned = planNumbers(tiles->value).front();
    if (options.tilesInFlight && options.tilesInFlight != planned)
      return emitError(tiles->loc) << "plan: expected tiles = " << options.tilesInFlight << " as asked for, got "
                                   << planned;
    options.tilesInFlight = planned;
  }
  options.blocks = plan.number("blocks", options.blocks);
  machine = machine.withBlocks(options.blocks);
  if (const PlanValue *cluster = plan.ofKernel("cluster")) {
    SmallVector<int64_t> numbers = planNumbers(cluster->value);
    std::vector<int64_t> planned(numbers.begin(), numbers.end());
    if (!options.cluster.empty() && options.cluster != planned)
      return emitError(cluster->loc) << "plan: expected cluster = [" << options.cluster << "] as asked for, got "
                                     << cluster->value;
    options.cluster = planned;
  }
  if (const PlanValue *persistent = plan.ofKernel("persistent")) {
    Persistence planned = cast<BoolAttr>(persistent->value).getValue() ? Persistence::Always : Persistence::Never;
    if (options.persistent != Persistence::WhereItGains && options.persistent != planned)
      return emitError(persistent->loc) << "plan: expected persistent = "
                                        << (options.persistent == Persistence::Always ? "true" : "false")
                                        << " as asked for, got " << persistent->value;
    options.persistent = planned;
  }
  if (const PlanValue *split = plan.ofKernel("split_k")) {
    auto own = kernel->getAttrOfType<IntegerAttr>(splitAttr); // what a program was divided by comes before its plan
    int64_t planned = planNumbers(split->value).front(), made = own ? own.getInt() : 1;
    if (planned != made)
      return emitError(split->loc) << "plan: expected split_k = " << made << " as the kernel was made, got " << planned;
  }
  if (const PlanValue *source = plan.ofKernel("tile_source")) {
    bool counts = cast<StringAttr>(source->value) == counterSource;
    TileSource planned = counts ? TileSource::Counter : TileSource::Stride;
    if (options.tileSource && *options.tileSource != planned)
      return emitError(source->loc) << "plan: expected tile_source = \"" << (counts ? strideSource : counterSource)
                                    << "\" as asked for, got " << source->value;
    options.tileSource = planned;
  }
  if (const PlanValue *specialize = plan.ofKernel("warp_specialize")) {
    bool planned = cast<BoolAttr>(specialize->value).getValue();
    if (options.specialize && *options.specialize != planned)
      return emitError(specialize->loc) << "plan: expected warp_specialize = " << (planned ? "false" : "true")
                                        << " as asked for, got " << specialize->value;
    options.specialize = planned;
  }
  if (const PlanValue *stores = plan.ofKernel("store_warp"))
    options.warp.storeWarp = cast<BoolAttr>(stores->value).getValue();
  if (const PlanValue *overlap = plan.ofKernel("overlap")) {
    bool planned = cast<BoolAttr>(overlap->value).getValue();
    if (!options.overlap && planned)
      return emitError(overlap->loc) << "plan: expected overlap = false as asked for, got true";
    options.overlap = planned;
  }
  if (const PlanValue *depth = plan.ofKernel("depth")) {
    int64_t planned = planNumbers(depth->value).front(), asked = options.warp.maxDepth;
    if (asked != TileToWarpOptions().maxDepth && asked != planned)
      return emitError(depth->loc) << "plan: expected depth = " << asked << " as asked for, got " << planned;
    options.warp.maxDepth = planned;
  }
  if (const PlanValue *resolution = plan.ofKernel("resolution")) {
    int64_t planned = planNumbers(resolution->value).front(), asked = options.extract.resolution;
    if (asked != defaultResolution && asked != planned)
      return emitError(resolution->loc) << "plan: expected resolution = " << asked << " as asked for, got " << planned;
    options.extract.resolution = planned;
  }
  if (const PlanValue *smem = plan.ofKernel("smem")) {
    int64_t limit = planNumbers(smem->value).front(), most = machine.memoryCapacity("smem");
    if (limit > most)
      return emitError(smem->loc) << "plan: expected at most the " << most << " bytes of shared memory of machine '"
                                  << machine.name() << "', got " << limit;
    machine = machine.withMemory("smem", limit);
  }
  if (const PlanValue *registers = plan.ofKernel("registers")) {
    options.warp.registers = planNumbers(registers->value);
    Occupancy occupancy(machine.warps());
    for (int64_t planned : options.warp.registers)
      if (targetOf(machine).emitsKernels() && !occupancy.isBudget(planned))
        return emitError(registers->loc) << "plan: expected registers that setmaxnreg can set, multiples of "
                                         << occupancy.granule() << " from " << occupancy.leastBudget() << " to "
                                         << occupancy.largestBudget() << ", got " << planned;
  }
  options.extract.spareRegisters = plan.number("spare", options.extract.spareRegisters);
  options.nearsBound &= !plan.ofKernel("spare");
  if (const PlanValue *countMasks = plan.ofKernel("count_masks"))
    options.extract.countMasks = cast<BoolAttr>(countMasks->value).getValue();
  for (const TextDecision &decision : textDecisions())
    if (const PlanValue *planned = plan.ofKernel(decision.key))
      options.*decision.option = cast<BoolAttr>(planned->value).getValue();
  if (const PlanValue *turned = plan.ofKernel("turned_stores"))
    options.turnedStores = cast<BoolAttr>(turned->value).getValue();
  if (const PlanValue *oneCode = plan.ofKernel("one_code"))
    options.oneCode = cast<BoolAttr>(oneCode->value).getValue();
  if (const PlanValue *skipOnes = plan.ofKernel("skip_ones"))
    options.skipOnes = cast<BoolAttr>(skipOnes->value).getValue();
  if (const PlanValue *retile = plan.ofKernel("retile"))
    options.retile = planNumbers(retile->value).front();
  if (const PlanValue *narrow = plan.ofKernel("narrow"))
    options.narrow = cast<BoolAttr>(narrow->value).getValue();
  if (const PlanValue *transposed = plan.ofKernel("transpose_products"))
    options.transposeProducts = cast<BoolAttr>(transposed->value).getValue();
  if (const PlanValue *startSums = plan.ofKernel("start_sums"))
    options.startSums = cast<BoolAttr>(startSums->value).getValue();
  return success();
}

} // namespace heddle
