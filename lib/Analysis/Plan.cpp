//===- Plan.cpp - decisions about a kernel, by label ------------------------===//
//
// What:      see the header: reading and binding. `keys` below is the list of all decisions.
// Verifies:  form on reading (before any work); on binding, that what a label names has the decision.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Plan.h"

#include "heddle/Analysis/DecisionFile.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
namespace heddle {
namespace {

enum Owner : unsigned { OfKernel = 1, OfLoop = 2, OfOperation = 4 };
enum class Form { Number, Numbers, Name, Names, Flag, Sizes, Source };

struct Key {
  StringLiteral name;
  unsigned owners;
  Form form;
  int64_t least = 0, most = 0;
};

constexpr int64_t mostCycles = (int64_t(1) << 31) - 1;
constexpr int64_t mostInterval = int64_t(1) << 24; // tables of a schedule have an entry for each unit of time
/// The text has a copy of the loop for each stage; what a start asks of a search grows with it.
constexpr int64_t mostStages = 64, mostStart = int64_t(1) << 20;
constexpr Key keys[] = {
    {"label", OfLoop | OfOperation, Form::Name},
    {"parameters", OfKernel, Form::Sizes, 1, tile::maxTileElements},
    {"groups", OfKernel, Form::Number, 1, tile::mostGroups},
    {"tiles", OfKernel, Form::Number, 1, tile::mostGroups},
    {"blocks", OfKernel, Form::Number, 1, mostBlocks},
    {"persistent", OfKernel, Form::Flag},
    {"tile_source", OfKernel, Form::Source},
    {"split_k", OfKernel, Form::Number, 1, mostSplits},
    {"warp_specialize", OfKernel, Form::Flag},
    {"store_warp", OfKernel, Form::Flag},
    {"cluster", OfKernel, Form::Numbers, 1, tile::mostClusterBlocks},
    {"raster", OfKernel, Form::Number, 1, tile::mostRaster},
    {"descending", OfKernel, Form::Numbers, 0, 1 << 20},
    {"ascending", OfKernel, Form::Number, 0, 1 << 20},
    {"once", OfKernel, Form::Flag},
    {"defer", OfKernel, Form::Flag},
    {"stage_outer", OfKernel, Form::Flag},
    {"thread_copies", OfKernel, Form::Flag},
    {"reread", OfKernel, Form::Flag},
    {"parts", OfKernel, Form::Numbers, 0, 256},
    {"retile", OfKernel, Form::Number, 0, 256},
    {"narrow", OfKernel, Form::Flag},
    {"overlap", OfKernel, Form::Flag},
    {"depth", OfKernel, Form::Number, 1, mostSlots},
    {"resolution", OfKernel, Form::Number, 0, 1 << 20},
    {"smem", OfKernel, Form::Number, 1, mostCycles},
    {"registers", OfKernel, Form::Numbers, 1, 1024},
    {"spare", OfKernel, Form::Number, -40, 1024},
    {"ends", OfKernel, Form::Flag},
    {"slices", OfKernel, Form::Flag},
    {"recompute", OfKernel, Form::Flag},
    {"turned_stores", OfKernel, Form::Flag},
    {"matrix_stores", OfKernel, Form::Flag},
    {"slices_behind", OfKernel, Form::Flag},
    {"drains", OfKernel, Form::Flag},
    {"one_code", OfKernel, Form::Flag},
    {"skip_ones", OfKernel, Form::Flag},
    {"count_masks", OfKernel, Form::Flag},
    {"start_sums", OfKernel, Form::Flag},
    {"transpose_products", OfKernel, Form::Flag},
    {"in", OfLoop, Form::Name},
    {"scale", OfLoop, Form::Number, 1, mostScale},
    {"interval", OfLoop, Form::Number, 1, mostInterval},
    {"without", OfLoop, Form::Names},
    {"ordered", OfLoop, Form::Flag},
    {"cut", OfLoop, Form::Numbers, 0, mostCycles},
    {"group", OfOperation, Form::Numbers, 0, 63},
    {"stage", OfOperation, Form::Numbers, 0, mostStages},
    {"start", OfOperation, Form::Numbers, 0, mostStart},
    {"ring", OfOperation, Form::Numbers, 1, mostSlots},
    {"inflight", OfOperation, Form::Numbers, 1, 1 << 10},
};

const Key *findKey(StringRef name) {
  for (const Key &key : keys)
    if (key.name == name)
      return &key;
  return nullptr;
}

std::string keysOf(unsigned owner) {
  std::string text;
  for (const Key &key : keys)
    if (key.owners & owner)
      text += (text.empty() ? "" : ", ") + key.name.str();
  return text;
}

std::string quotedList(ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

bool isNumber(Attribute value, const Key &key) {
  auto number = dyn_cast<IntegerAttr>(value);
  std::optional<int64_t> n = number ? number.getValue().trySExtValue() : std::nullopt;
  return n && *n >= key.least && *n <= key.most;
}

bool hasForm(Attribute value, const Key &key) {
  switch (key.form) {
  case Form::Number: return isNumber(value, key);
  case Form::Flag: return isa<BoolAttr>(value);
  case Form::Name: return isa<StringAttr>(value) && !cast<StringAttr>(value).empty();
  case Form::Source:
    return isa<StringAttr>(value) &&
           (cast<StringAttr>(value) == strideSource || cast<StringAttr>(value) == counterSource);
  case Form::Sizes:
    return isa<DictionaryAttr>(value) && llvm::all_of(cast<DictionaryAttr>(value), [&](NamedAttribute size) {
             return isNumber(size.getValue(), key);
           });
  case Form::Names:
    return isa<ArrayAttr>(value) &&
           llvm::all_of(cast<ArrayAttr>(value), [](Attribute name) { return isa<StringAttr>(name); });
  case Form::Numbers:
    if (auto list = dyn_cast<ArrayAttr>(value))
      return !list.empty() && llvm::all_of(list, [&](Attribute n) { return isNumber(n, key); });
    if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
      return !list.empty() &&
             llvm::all_of(list.asArrayRef(), [&](int64_t n) { return n >= key.least && n <= key.most; });
    return isNumber(value, key);
  }
  return false;
}

std::string describeForm(const Key &key) {
  std::string range = " from " + std::to_string(key.least) + " to " + std::to_string(key.most);
  switch (key.form) {
  case Form::Number: return "a number" + range;
  case Form::Numbers: return "a number or a list of numbers" + range;
  case Form::Flag: return "true or false";
  case Form::Source: return "\"stride\" or \"counter\"";
  case Form::Name: return "a name";
  case Form::Names: return "a list of names";
  case Form::Sizes: return "a dictionary of numbers" + range;
  }
  return "";
}

/// Key and form of one decision.
LogicalResult verifyValue(Location loc, StringRef name, Attribute value, unsigned owners) {
  const Key *key = findKey(name);
  if (!key || !(key->owners & owners))
    return emitError(loc) << "plan: expected one of " << keysOf(owners) << ", got '" << name << "'";
  if (!hasForm(value, *key))
    return emitError(loc) << "plan: expected " << name << " to be " << describeForm(*key) << ", got " << value;
  return success();
}

/// An operation whose place in the schedule is a decision.
bool isScheduled(Operation *op) {
  return touchesTiles(op) && !isFree(op) && !op->hasTrait<OpTrait::IsTerminator>() && !op->getNumRegions();
}

} // namespace

LogicalResult verifyKernelDecision(Location loc, StringRef key, Attribute value) {
  return verifyValue(loc, key, value, OfKernel);
}

SmallVector<int64_t> planNumbers(Attribute value) {
  SmallVector<int64_t> numbers;
  if (auto list = dyn_cast<ArrayAttr>(value))
    for (Attribute number : list)
      numbers.push_back(cast<IntegerAttr>(number).getInt());
  else if (auto dense = dyn_cast<DenseI64ArrayAttr>(value))
    numbers.assign(dense.asArrayRef().begin(), dense.asArrayRef().end());
  else
    numbers.push_back(cast<IntegerAttr>(value).getInt());
  return numbers;
}

FailureOr<Plan> Plan::read(tile::KernelOp kernel, StringRef text, StringRef file) {
  Plan plan;
  MLIRContext *context = kernel.getContext();
  // The program.
  std::map<std::string, Operation *> named;
  WalkResult walk = kernel->walk([&](Operation *op) {
    Attribute attr = op->getDiscardableAttr(planAttr);
    if (!attr)
      return WalkResult::advance();
    auto entry = dyn_cast<DictionaryAttr>(attr);
    if (!entry) {
      op->emitError("plan: expected a dictionary of decisions, got ") << attr;
      return WalkResult::interrupt();
    }
    unsigned owner = op == kernel ? OfKernel : isa<scf::ForOp>(op) ? OfLoop : OfOperation;
    for (NamedAttribute value : entry) {
      if (failed(verifyValue(op->getLoc(), value.getName(), value.getValue(), owner)))
        return WalkResult::interrupt();
      if (op == kernel)
        plan.kernelValues.insert({value.getName().str(), {value.getValue(), op->getLoc()}});
      else
        plan.beyondKernel |= value.getName() != "label";
    }
    if (auto label = dyn_cast_or_null<StringAttr>(entry.get("label"))) {
      if (label == kernelLabel) {
        op->emitError("plan: expected another label than 'kernel', which is the kernel's");
        return WalkResult::interrupt();
      }
      if (auto [other, isNew] = named.insert({label.str(), op}); !isNew) {
        (op->emitError("plan: expected distinct labels, got '") << label.getValue() << "' twice")
                .attachNote(other->second->getLoc())
            << "here as well";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  // The file.
  if (file.empty())
    return plan;
  plan.fileName = file.str();
  FailureOr<DecisionFile> decisions = DecisionFile::read(text, file, "plan", "label", context);
  if (failed(decisions))
    return failure();
  for (NamedAttribute named : decisions->entries()) {
    StringRef label = named.getName();
    PlanEntry entry{decisions->placeOf(label), {}};
    auto values = dyn_cast<DictionaryAttr>(named.getValue());
    if (!values)
      return emitError(entry.loc) << "plan: expected a dictionary of decisions for '" << label << "', got "
                                  << named.getValue();
    for (NamedAttribute value : values) {
      Location loc = decisions->placeOf(label, value.getName());
      unsigned owners = label == kernelLabel ? OfKernel : OfLoop | OfOperation;
      if (const Key *key = findKey(value.getName()); owners != OfKernel && key && key->owners == OfKernel)
        owners = OfKernel;            // `bind` refuses it, once it knows whether the label names anything
      if (value.getName() == "label") // a label is the key of its entry
        return emitError(loc) << "plan: expected the label as the key of its entry, got the key 'label'";
      if (failed(verifyValue(loc, value.getName(), value.getValue(), owners)))
        return failure();
      entry.values.insert({value.getName().str(), {value.getValue(), loc}});
    }
    if (label != kernelLabel) {
      plan.beyondKernel |= !entry.values.empty();
      plan.entries.insert({label.str(), std::move(entry)});
      continue;
    }
    for (auto &[key, value] : entry.values)
      if (auto [known, isNew] = plan.kernelValues.insert({key, value}); !isNew && known->second.value != value.value)
        return emitError(value.loc) << "plan: expected " << key << " = " << known->second.value
                                    << " as in the program, got " << value.value;
  }
  return plan;
}

LogicalResult Plan::bind(tile::KernelOp selected) {
  std::map<std::string, SmallVector<Operation *>> byLabel;
  llvm::StringSet<> taken;
  auto own = [](Operation *op) {
    auto entry = dyn_cast_or_null<DictionaryAttr>(op->getDiscardableAttr(planAttr));
    return entry ? entry : DictionaryAttr::get(op->getContext());
  };
  auto add = [&](Operation *op, std::string name) {
    byLabel[name].push_back(op);
    labels[op] = std::move(name);
  };
  SmallVector<Operation *> loops, whole, tagged;
  WalkResult walk = selected->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isLoop = isa<scf::ForOp>(op), decides = isLoop || isScheduled(op);
    if (op == selected)
      return WalkResult::advance();
    DictionaryAttr values = own(op);
    auto name = dyn_cast_or_null<StringAttr>(values.get("label"));
    if (!decides && values.size() > (name ? 1 : 0)) {
      op->emitError("plan: expected an operation that is scheduled, got one that each user computes for itself (views, "
                    "broadcasts, constants and scalars)");
      return WalkResult::interrupt();
    }
    if (name)
      taken.insert(name.getValue());
    if (decides && name)
      add(op, name.str());
    else if (decides)
      (isLoop ? loops : op->hasAttr(groupAttr) ? tagged : whole).push_back(op);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  auto numbered = [](StringRef base, int64_t n) { return n ? (base + "_" + Twine(n)).str() : base.str(); };
  // Whole operations and loops first: a label is theirs alone.
  llvm::StringMap<int64_t> next;
  auto nameWhole = [&](Operation *op, StringRef base) {
    std::string name;
    do {
      name = numbered(base, next[base]++);
    } while (taken.contains(name));
    taken.insert(name);
    add(op, name);
  };
  for (Operation *op : loops)
    nameWhole(op, op->hasAttr(programLoopAttr) ? "programs" : "loop"); // of a persistent kernel, or its author's
  for (Operation *op : whole)
    nameWhole(op, op->getName().stripDialect());
  std::map<std::pair<std::string, int64_t>, int64_t> counts; // by mnemonic and sub-tile
  for (Operation *op : tagged) {
    StringRef base = op->getName().stripDialect();
    int64_t &n = counts.try_emplace({base.str(), groupOf(op)}, 0).first->second;
    while (taken.contains(numbered(base, n)))
      ++n;
    add(op, numbered(base, n++));
  }
  for (auto &[label, entry] : entries)
    if (!byLabel.count(label)) {
      std::vector<std::string> known;
      for (auto &other : byLabel)
        known.push_back(other.first);
      return emitError(entry.loc) << "plan: expected 'kernel', or the label of an operation or a loop ("
                                  << quotedList(known) << "), got '" << label << "'";
    }

  auto groups = selected->getAttrOfType<IntegerAttr>("groups");
  for (auto &[label, ops] : byLabel)
    for (Operation *op : ops) {
      bool isLoop = isa<scf::ForOp>(op);
      // The program's decisions join those of the file.
      for (NamedAttribute value : own(op)) {
        auto [entry, isNew] = entries.try_emplace(label, PlanEntry{op->getLoc(), {}});
        auto [known, added] = entry->second.values.insert({value.getName().str(), {value.getValue(), op->getLoc()}});
        if (!added && known->second.value != value.getValue())
          return emitError(known->second.loc) << "plan: expected " << value.getName().getValue() << " = "
                                              << value.getValue() << " as in the program, got " << known->second.value;
      }
      auto entry = entries.find(label);
      if (entry == entries.end())
        continue;
      auto parent = dyn_cast<scf::ForOp>(op->getParentOp());
      bool inSchedule = isLoop ? isScheduledLoop(cast<scf::ForOp>(op)) : parent && isScheduledLoop(parent);
      for (auto &[key, value] : entry->second.values) {
        if (failed(verifyValue(value.loc, key, value.value, isLoop ? OfLoop : OfOperation)))
          return failure();
        if (key == "in" && (!parent || this->label(parent) != cast<StringAttr>(value.value).getValue()))
          return emitError(value.loc) << "plan: expected '" << label << "' in "
                                      << (parent ? "'" + this->label(parent).str() + "'" : "no loop") << ", got "
                                      << value.value;
        if (key != "label" && key != "in" && !inSchedule)
          return emitError(value.loc) << "plan: expected no decision on '" << label << "', which "
                                      << (isLoop ? "has loops in it or no tiles and runs as written"
                                                 : "is in no scheduled loop and keeps its place")
                                      << ", got " << key;
        int64_t subtiles = op->hasAttr(groupAttr) && groups ? groups.getInt() : 1;
        if (SmallVector<int64_t> list = isLoop || key == "label" ? SmallVector<int64_t>() : planNumbers(value.value);
            list.size() > 1 && static_cast<int64_t>(list.size()) != subtiles)
          return emitError(value.loc) << "plan: expected one value of " << key << " of '" << label
                                      << (subtiles > 1
                                              ? "', or one for each of " + std::to_string(subtiles) + " sub-tiles, got "
                                              : "', got ")
                                      << list.size();
      }
    }
  return success();
}

const PlanValue *Plan::ofKernel(StringRef key) const {
  auto it = kernelValues.find(key.str());
  return it == kernelValues.end() ? nullptr : &it->second;
}

const PlanValue *Plan::find(Operation *op, StringRef key) const {
  auto entry = entries.find(label(op).str());
  if (entry == entries.end())
    return nullptr;
  auto value = entry->second.values.find(key.str());
  return value == entry->second.values.end() ? nullptr : &value->second;
}

int64_t Plan::number(StringRef key, int64_t otherwise) const {
  const PlanValue *value = ofKernel(key);
  return value ? planNumbers(value->value).front() : otherwise;
}

int64_t Plan::number(Operation *op, StringRef key, int64_t otherwise) const {
  const PlanValue *value = find(op, key);
  if (!value)
    return otherwise;
  SmallVector<int64_t> list = planNumbers(value->value);
  return list[list.size() == 1 ? 0 : groupOf(op)];
}

StringRef Plan::label(Operation *op) const {
  auto it = labels.find(op);
  return it == labels.end() ? StringRef() : StringRef(it->second);
}

} // namespace heddle
