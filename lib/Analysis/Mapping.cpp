//===- Mapping.cpp - where the tasks of a program run ------------------------===//
//
// What:     see the header: reading, checking against the machine, printing.
// Verifies: form and names of keys, levels, memories and instances; nothing that needs the program.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Mapping.h"

#include "heddle/Analysis/Plan.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace heddle {
namespace {

constexpr StringLiteral keys = "variant, proc, mems, tunables, calls, entry, pipeline, warpspecialize, scale, smem, "
                               "persistent, raster, order, stage, plan";
/// Decisions of plans that instances state otherwise.
constexpr StringLiteral ownDecisions[] = {"parameters", "groups", "persistent", "raster", "warp_specialize", "smem"};
constexpr int64_t mostNumber = (int64_t(1) << 31) - 1;

std::string listed(ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

std::string decisionText(Attribute value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto number = dyn_cast<IntegerAttr>(value); number && !isa<BoolAttr>(value))
    os << number.getInt();
  else if (auto list = dyn_cast<ArrayAttr>(value))
    os << "[" << llvm::join(llvm::map_range(list, decisionText), ", ") << "]";
  else
    value.print(os);
  return text;
}

/// Reads one instance; errors are reported where its keys stand.
class InstanceReader {
public:
  InstanceReader(TaskInstance &instance, const Machine &machine) : instance(instance), machine(machine) {}

  LogicalResult read(StringRef key, Attribute value) {
    loc = instance.placeOf(key.str());
    if (key == "variant")
      return name(key, value, instance.variant);
    if (key == "proc")
      return readLevel(value);
    if (key == "mems")
      return names(key, value, instance.mems);
    if (key == "calls")
      return names(key, value, instance.calls);
    if (key == "tunables")
      return readTunables(value);
    if (key == "entry") {
      std::optional<bool> entry;
      if (failed(flag(key, value, entry)))
        return failure();
      instance.entry = *entry;
      return success();
    }
    if (key == "warpspecialize")
      return flag(key, value, instance.warpspecialize);
    if (key == "persistent")
      return flag(key, value, instance.persistent);
    if (key == "pipeline")
      return number(key, value, 1, 1 << 10, instance.pipeline);
    if (key == "scale")
      return number(key, value, 1, 1 << 22, instance.scale);
    if (key == "smem")
      return number(key, value, 1, mostNumber, instance.smem);
    if (key == "raster")
      return number(key, value, 1, 1 << 10, instance.raster);
    if (key == "order")
      return readOrder(value);
    if (key == "stage")
      return number(key, value, 0, 1 << 10, instance.stage);
    if (key == "plan")
      return readPlan(value);
    return emitError(*loc) << "mapping: expected one of " << keys << ", got '" << key << "'";
  }

  /// What has to be there, and what the machine has to say of it.
  LogicalResult finish() {
    for (auto [key, value] : {std::pair<StringRef, StringRef>{"variant", instance.variant}, {"proc", instance.proc}})
      if (value.empty())
        return emitError(instance.loc) << "mapping: expected the key '" << key << "' of '" << instance.name
                                       << "', got none";
    const MachineProcessor &level = *machine.processor(instance.proc);
    for (const std::string &memory : instance.mems) {
      if (memory == noMemory || level.canSee(memory))
        continue;
      std::vector<std::string> seen = level.sees;
      seen.push_back(noMemory.str());
      return emitError(instance.placeOf("mems"))
             << "mapping: expected a memory that level " << level.name << " of machine '" << machine.name()
             << "' sees (" << listed(seen) << "), got " << memory;
    }
    return success();
  }

private:
  InFlightDiagnostic expected(StringRef key, StringRef form, Attribute value) {
    return emitError(*loc) << "mapping: expected " << key << " to be " << form << ", got " << value;
  }

  LogicalResult name(StringRef key, Attribute value, std::string &out) {
    auto text = dyn_cast<StringAttr>(value);
    if (!text || text.empty())
      return expected(key, "a name", value);
    out = text.str();
    return success();
  }

  LogicalResult names(StringRef key, Attribute value, std::vector<std::string> &out) {
    auto list = dyn_cast<ArrayAttr>(value);
    for (Attribute entry : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto text = dyn_cast<StringAttr>(entry);
      if (!text || text.empty())
        return expected(key, "a list of names", value);
      out.push_back(text.str());
    }
    return list ? LogicalResult(success()) : LogicalResult(expected(key, "a list of names", value));
  }

  LogicalResult flag(StringRef key, Attribute value, std::optional<bool> &out) {
    auto boolean = dyn_cast<BoolAttr>(value);
    if (!boolean && !isa<UnitAttr>(value))
      return expected(key, "true, false or without a value", value);
    out = !boolean || boolean.getValue();
    return success();
  }

  LogicalResult number(StringRef key, Attribute value, int64_t least, int64_t most, std::optional<int64_t> &out) {
    auto integer = dyn_cast<IntegerAttr>(value);
    std::optional<int64_t> n = integer ? integer.getValue().trySExtValue() : std::nullopt;
    if (!n || *n < least || *n > most)
      return expected(key, "a number from " + std::to_string(least) + " to " + std::to_string(most), value);
    out = n;
    return success();
  }

  LogicalResult readLevel(Attribute value) {
    if (failed(name("proc", value, instance.proc)))
      return failure();
    if (machine.processor(instance.proc))
      return success();
    std::vector<std::string> known;
    for (const MachineProcessor &level : machine.processors())
      known.push_back(level.name);
    return emitError(*loc) << "mapping: expected a processor level of machine '" << machine.name() << "' ("
                           << listed(known) << "), got " << instance.proc;
  }

  /// A permutation.
  LogicalResult readOrder(Attribute value) {
    auto list = dyn_cast<ArrayAttr>(value);
    SmallVector<bool> seen(list ? list.size() : 0);
    for (Attribute entry : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto number = dyn_cast<IntegerAttr>(entry);
      std::optional<int64_t> n = number ? number.getValue().trySExtValue() : std::nullopt;
      if (!n || *n < 0 || *n >= static_cast<int64_t>(seen.size()) || seen[*n])
        return expected("order", "a list of the numbers of a range's variables from 0, each once", value);
      seen[*n] = true;
      instance.order.push_back(*n);
    }
    return list ? LogicalResult(success())
                : LogicalResult(
                      expected("order", "a list of the numbers of a range's variables from 0, each once", value));
  }

  LogicalResult readPlan(Attribute value) {
    instance.plan = dyn_cast<DictionaryAttr>(value);
    if (!instance.plan)
      return expected("plan", "a dictionary of decisions", value);
    for (NamedAttribute decision : instance.plan) {
      if (Mapping::statesOtherwise(decision.getName()))
        return emitError(*loc) << "mapping: expected decisions in plan that no key of an instance states, got '"
                               << decision.getName().getValue() << "'";
      if (failed(verifyKernelDecision(*loc, decision.getName(), decision.getValue())))
        return failure();
    }
    return success();
  }

  LogicalResult readTunables(Attribute value) {
    auto values = dyn_cast<DictionaryAttr>(value);
    if (!values)
      return expected("tunables", "a dictionary of numbers", value);
    for (NamedAttribute tunable : values) {
      std::optional<int64_t> n;
      if (failed(number(tunable.getName(), tunable.getValue(), 1, mostNumber, n)))
        return failure();
      instance.tunables[tunable.getName().str()] = *n;
    }
    return success();
  }

  TaskInstance &instance;
  const Machine &machine;
  std::optional<Location> loc;
};

std::string quoted(StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
  return text;
}

std::string quotedList(ArrayRef<std::string> names) {
  return "[" + llvm::join(llvm::map_range(names, [](StringRef name) { return quoted(name); }), ", ") + "]";
}

/// As the attribute parser takes a key.
std::string word(StringRef text) {
  bool bare = !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
              llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return bare ? text.str() : quoted(text);
}

} // namespace

bool Mapping::statesOtherwise(StringRef decision) { return llvm::is_contained(ownDecisions, decision); }

FailureOr<Mapping> Mapping::read(StringRef text, StringRef file, const Machine &machine, MLIRContext *context) {
  FailureOr<DecisionFile> decisions = DecisionFile::read(text, file, "mapping", "instance", context);
  if (failed(decisions))
    return failure();
  if (machine.processors().empty())
    return emitError(FileLineColLoc::get(context, file, 1, 1))
           << "mapping: expected a machine that states its processors, got '" << machine.name() << "'";
  Mapping mapping;
  for (NamedAttribute named : decisions->entries()) {
    TaskInstance instance{named.getName().str(), decisions->placeOf(named.getName())};
    auto values = dyn_cast<DictionaryAttr>(named.getValue());
    if (!values)
      return emitError(instance.loc) << "mapping: expected a dictionary for instance '" << instance.name << "', got "
                                     << named.getValue();
    for (NamedAttribute value : values)
      instance.places.insert({value.getName().str(), decisions->placeOf(instance.name, value.getName())});
    InstanceReader reader(instance, machine);
    for (NamedAttribute value : values)
      if (failed(reader.read(value.getName(), value.getValue())))
        return failure();
    if (failed(reader.finish()))
      return failure();
    mapping.all.push_back(std::move(instance));
  }
  llvm::sort(mapping.all, [](const TaskInstance &a, const TaskInstance &b) {
    auto placeOf = [](const TaskInstance &instance) {
      auto at = cast<FileLineColLoc>(instance.loc);
      return std::pair(at.getLine(), at.getColumn());
    };
    return placeOf(a) < placeOf(b);
  });
  for (const TaskInstance &instance : mapping.all)
    for (const std::string &callee : instance.calls)
      if (!mapping.find(callee))
        return emitError(instance.placeOf("calls"))
               << "mapping: expected instances of this mapping in calls, got '" << callee << "'";
  int64_t entries = llvm::count_if(mapping.all, [](const TaskInstance &i) { return i.entry; });
  if (entries != 1)
    return emitError(FileLineColLoc::get(context, file, 1, 1))
           << "mapping: expected one instance with 'entry', got " << entries;
  return mapping;
}

const TaskInstance *Mapping::find(StringRef name) const {
  auto it = llvm::find_if(all, [&](const TaskInstance &instance) { return instance.name == name; });
  return it == all.end() ? nullptr : &*it;
}

const TaskInstance &Mapping::entry() const {
  return *llvm::find_if(all, [](const TaskInstance &instance) { return instance.entry; });
}

std::string Mapping::str() const {
  std::string text = "{\n";
  for (const TaskInstance &instance : all) {
    std::string line =
        "  " + word(instance.name) + " = {variant = " + quoted(instance.variant) + ", proc = " + quoted(instance.proc);
    if (!instance.mems.empty())
      line += ", mems = " + quotedList(instance.mems);
    std::string tunables;
    for (auto &[name, value] : instance.tunables)
      tunables += (tunables.empty() ? "" : ", ") + word(name) + " = " + std::to_string(value);
    if (!tunables.empty())
      line += ", tunables = {" + tunables + "}";
    if (!instance.calls.empty())
      line += ", calls = " + quotedList(instance.calls);
    for (auto [key, value] : {std::pair<const char *, const std::optional<int64_t> &>{"pipeline", instance.pipeline},
                              {"scale", instance.scale},
                              {"smem", instance.smem},
                              {"raster", instance.raster},
                              {"stage", instance.stage}})
      if (value)
        line += std::string(", ") + key + " = " + std::to_string(*value);
    std::string order;
    for (int64_t variable : instance.order)
      order += (order.empty() ? "" : ", ") + std::to_string(variable);
    if (!order.empty())
      line += ", order = [" + order + "]";
    for (auto [key, value] :
         {std::pair<const char *, const std::optional<bool> &>{"warpspecialize", instance.warpspecialize},
          {"persistent", instance.persistent}})
      if (value)
        line += std::string(", ") + key + (*value ? "" : " = false");
    std::string decisions;
    for (NamedAttribute decision : instance.plan ? instance.plan.getValue() : ArrayRef<NamedAttribute>())
      decisions +=
          (decisions.empty() ? "" : ", ") + decision.getName().str() + " = " + decisionText(decision.getValue());
    if (!decisions.empty())
      line += ", plan = {" + decisions + "}";
    text += line + (instance.entry ? ", entry}" : "}") + (&instance == &all.back() ? "\n" : ",\n");
  }
  return text + "}\n";
}

} // namespace heddle
